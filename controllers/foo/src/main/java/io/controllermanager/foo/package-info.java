/**
 * The Foo controller: a {@link io.controllermanager.foo.Foo} asks for a Deployment of nginx by name and
 * replica count, and the controller sees to it that there is one. Seen from outside it behaves as
 * kubernetes/sample-controller v0.36 does, and where it is better on purpose,
 * {@link io.controllermanager.foo.FooReconciler} says so.
 *
 * <p>Read {@link io.controllermanager.foo.FooController} first (what it watches), then the reconciler.
 */
@NullMarked
package io.controllermanager.foo;

import org.jspecify.annotations.NullMarked;
