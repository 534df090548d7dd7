@NullMarked
package io.controllermanager.testing.support;

import org.jspecify.annotations.NullMarked;
