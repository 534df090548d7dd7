/** Tests of the judge. */
@NullMarked
package io.controllermanager.testing.failover;

import org.jspecify.annotations.NullMarked;
