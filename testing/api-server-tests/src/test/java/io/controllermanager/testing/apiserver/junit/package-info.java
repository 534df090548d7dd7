@NullMarked
package io.controllermanager.testing.apiserver.junit;

import org.jspecify.annotations.NullMarked;
