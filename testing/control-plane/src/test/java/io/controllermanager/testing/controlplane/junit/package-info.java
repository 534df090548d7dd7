@NullMarked
package io.controllermanager.testing.controlplane.junit;

import org.jspecify.annotations.NullMarked;
