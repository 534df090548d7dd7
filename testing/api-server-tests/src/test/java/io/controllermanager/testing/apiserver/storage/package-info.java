/** Tests of what is stored. */
@NullMarked
package io.controllermanager.testing.apiserver.storage;

import org.jspecify.annotations.NullMarked;
