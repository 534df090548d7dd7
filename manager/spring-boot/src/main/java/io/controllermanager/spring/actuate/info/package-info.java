/** What {@code /actuator/info} says of the process: the versions that matter to whoever runs it. */
@NullMarked
package io.controllermanager.spring.actuate.info;

import org.jspecify.annotations.NullMarked;
