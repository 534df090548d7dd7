@NullMarked
package io.controllermanager.testing.apiserver.access;

import org.jspecify.annotations.NullMarked;
