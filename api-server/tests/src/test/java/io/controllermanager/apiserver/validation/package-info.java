/** Tests of what judges built-in types. */
@NullMarked
package io.controllermanager.apiserver.validation;

import org.jspecify.annotations.NullMarked;
