@NullMarked
package io.controllermanager.readiness;

import org.jspecify.annotations.NullMarked;
