/** Tests of the work queue and its rate limiters. */
@NullMarked
package io.controllermanager.workqueue.internal;

import org.jspecify.annotations.NullMarked;
