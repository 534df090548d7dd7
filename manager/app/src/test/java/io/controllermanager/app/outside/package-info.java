/** Projects outside the reactor, which depend on what it has built as everybody else does. */
@NullMarked
package io.controllermanager.app.outside;

import org.jspecify.annotations.NullMarked;
