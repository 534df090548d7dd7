/** Has each line be written, in whatever format. */
@NullMarked
package io.controllermanager.spring.logging;

import org.jspecify.annotations.NullMarked;
