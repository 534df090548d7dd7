/**
 * What happens while the image is built: a controller manager does its work before an API server in memory, so that the
 * JVM can record the classes that it loads and the code that it compiles.
 */
@NullMarked
package io.controllermanager.image;

import org.jspecify.annotations.NullMarked;
