/** Tests of watches that need no server. */
@NullMarked
package io.controllermanager.apiserver.watch;

import org.jspecify.annotations.NullMarked;
