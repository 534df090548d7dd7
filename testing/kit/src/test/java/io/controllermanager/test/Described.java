package io.controllermanager.test;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.kubernetes.client.openapi.ApiException;
import java.util.function.Consumer;

/** A small reconciler for greetings, as two functions. */
record Described(Consumer<ControllerDescription<Greeting>> description, Work work)
        implements ObjectReconciler<Greeting> {

    /** What it does with one. */
    interface Work {
        Outcome reconcile(Greeting greeting, Reconciliation<Greeting> r) throws ApiException;
    }

    static ControllerDescriptor controller(
            String name, Consumer<ControllerDescription<Greeting>> description, Work work) {
        return TypedController.descriptor(name, Greeting.TYPE, new Described(description, work));
    }

    @Override
    public void describe(ControllerDescription<Greeting> d) {
        description.accept(d);
    }

    @Override
    public Outcome reconcile(Greeting greeting, Reconciliation<Greeting> r) throws ApiException {
        return work.reconcile(greeting, r);
    }
}
