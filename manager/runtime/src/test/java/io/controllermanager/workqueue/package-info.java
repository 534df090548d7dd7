/** Tests of the work queue and its rate limiters. */
@NullMarked
package io.controllermanager.workqueue;

import org.jspecify.annotations.NullMarked;
