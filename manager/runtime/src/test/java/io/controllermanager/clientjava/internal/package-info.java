/** Tests of the compatibility with client-java. */
@NullMarked
package io.controllermanager.clientjava.internal;

import org.jspecify.annotations.NullMarked;
