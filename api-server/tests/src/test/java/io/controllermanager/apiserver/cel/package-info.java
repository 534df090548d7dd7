/** Tests of the rules of custom types. */
@NullMarked
package io.controllermanager.apiserver.cel;

import org.jspecify.annotations.NullMarked;
