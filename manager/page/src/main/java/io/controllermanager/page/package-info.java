/** The page that shows in a browser what the controllers do, from the actuator's endpoints, for any application. */
@NullMarked
package io.controllermanager.page;

import org.jspecify.annotations.NullMarked;
