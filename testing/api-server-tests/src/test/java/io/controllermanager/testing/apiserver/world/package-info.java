/** Tests of the world that moves. */
@NullMarked
package io.controllermanager.testing.apiserver.world;

import org.jspecify.annotations.NullMarked;
