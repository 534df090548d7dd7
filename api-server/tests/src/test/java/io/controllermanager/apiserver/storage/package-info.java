/** Tests of what is stored. */
@NullMarked
package io.controllermanager.apiserver.storage;

import org.jspecify.annotations.NullMarked;
