/** Tests of the host: with a cluster in memory, and with nothing faked. */
@NullMarked
package io.controllermanager.manager.internal;

import org.jspecify.annotations.NullMarked;
