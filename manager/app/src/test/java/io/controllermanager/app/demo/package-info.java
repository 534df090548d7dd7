/** README's run command: the controller manager with an API server beside it. */
@NullMarked
package io.controllermanager.app.demo;

import org.jspecify.annotations.NullMarked;
