/** Actuator endpoints that show how controllers, informers and leader election are. */
@NullMarked
package io.controllermanager.spring.actuate.endpoint;

import org.jspecify.annotations.NullMarked;
