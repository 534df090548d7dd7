/** Tests of the compatibility with client-java. */
@NullMarked
package io.controllermanager.clientjava;

import org.jspecify.annotations.NullMarked;
