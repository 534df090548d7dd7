/** Images of the executable, the example and another application, made without Docker. */
@NullMarked
package io.controllermanager.app.image;

import org.jspecify.annotations.NullMarked;
