/** Images, followed without Docker: of the executable, of the example and of another application. */
@NullMarked
package io.controllermanager.app.image;

import org.jspecify.annotations.NullMarked;
