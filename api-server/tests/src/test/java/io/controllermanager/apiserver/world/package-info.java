/** Tests of the world that moves. */
@NullMarked
package io.controllermanager.apiserver.world;

import org.jspecify.annotations.NullMarked;
