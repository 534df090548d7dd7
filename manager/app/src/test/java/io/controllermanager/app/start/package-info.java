/** The context that the build has prepared, beside the one that Spring makes at each start. */
@NullMarked
package io.controllermanager.app.start;

import org.jspecify.annotations.NullMarked;
