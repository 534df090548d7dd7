@NullMarked
package io.controllermanager.testing.controlplane;

import org.jspecify.annotations.NullMarked;
