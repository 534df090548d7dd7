/** Readiness and liveness of the hosted controllers. */
@NullMarked
package io.controllermanager.spring.actuate.health;

import org.jspecify.annotations.NullMarked;
