package io.controllermanager.test;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.reconciler.Cleaner;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.Map;

/** Makes a ConfigMap and an entry in the guest book for each Greeting. */
@Reconciles(Greeting.class)
final class GreetingController implements ObjectReconciler<Greeting>, Cleaner<Greeting> {

    private static final Duration CHECKED = Duration.ofMinutes(5);

    private final GuestBook book;
    private final boolean restless;

    private GreetingController(GuestBook book, boolean restless) {
        this.book = book;
        this.restless = restless;
    }

    static ControllerDescriptor descriptor(GuestBook book) {
        return TypedController.descriptor(new GreetingController(book, false));
    }

    /** One whose status says when it was written, so that it is written again and again. */
    static ControllerDescriptor restless(GuestBook book) {
        return TypedController.descriptor(new GreetingController(book, true));
    }

    @Override
    public void describe(ControllerDescription<Greeting> d) {
        d.owns(ResourceTypes.CONFIG_MAP)
                .prunes()
                .finalizer("example.com/guest-book")
                .options(ControllerOptions.DEFAULTS.withWorkers(4));
        if (restless) {
            d.when(event -> true);
        }
    }

    @Override
    public Outcome reconcile(Greeting greeting, Reconciliation<Greeting> r) throws ApiException {
        String name = greeting.spec().configMapName();
        book.entries().put(greeting.name(), greeting.spec().text());
        r.apply(new V1ConfigMap()
                .metadata(new V1ObjectMeta().name(name))
                .data(Map.of("text", greeting.spec().text())));
        r.pruneOthers();
        r.status(new Greeting.Status(name, restless ? r.context().clock().now().toString() : null, null));
        return Outcome.ready("Served", "the text is there").again(CHECKED);
    }

    @Override
    public Outcome cleanup(Greeting greeting, Reconciliation<Greeting> r) {
        book.entries().remove(greeting.name());
        return Outcome.done();
    }
}
