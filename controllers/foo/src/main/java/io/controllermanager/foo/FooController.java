package io.controllermanager.foo;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.TypedController;

/** Describes the Foo controller to its host. */
public final class FooController {

    /** The controller's name, as in {@code --controllers=-foo}. */
    public static final String NAME = "foo";

    private FooController() {}

    /** The controller's description. Each call describes another one: a description serves one host. */
    public static ControllerDescriptor descriptor() {
        return TypedController.descriptor(new FooReconciler());
    }
}
