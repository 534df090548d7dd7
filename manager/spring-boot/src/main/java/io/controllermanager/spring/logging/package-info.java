/** Log lines on their way out: each is written, in whatever format, and who logs does not wait for who reads. */
@NullMarked
package io.controllermanager.spring.logging;

import org.jspecify.annotations.NullMarked;
