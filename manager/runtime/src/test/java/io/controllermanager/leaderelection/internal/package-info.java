/** Tests of the election: in virtual time, with hung requests, on a real API server. */
@NullMarked
package io.controllermanager.leaderelection.internal;

import org.jspecify.annotations.NullMarked;
