/** What a release puts onto Maven Central: it is complete, signed, the same from one build to the next, and enough to build with. */
@NullMarked
package io.controllermanager.app.release;

import org.jspecify.annotations.NullMarked;
