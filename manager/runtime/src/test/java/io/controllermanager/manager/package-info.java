/** Tests of the host: with a cluster in memory, and with nothing faked. */
@NullMarked
package io.controllermanager.manager;

import org.jspecify.annotations.NullMarked;
