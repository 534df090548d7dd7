package io.controllermanager.test;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.Finalizer;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes a ConfigMap and an entry in the guest book for each Greeting. */
final class GreetingController implements Reconciler {

    static final Duration CHECKED = Duration.ofMinutes(5);

    private static final Result DONE = new Result(false);
    private static final String FINALIZER = "example.com/guest-book";

    private final ControllerContext context;
    private final GuestBook book;
    private final boolean restless;
    private final Lister<Greeting> greetings;
    private final Lister<V1ConfigMap> configMaps;
    private final ResourceClient<Greeting> greetingClient;
    private final ResourceClient<V1ConfigMap> configMapClient;
    private final Finalizer<Greeting> finalizer;

    private GreetingController(ControllerContext context, GuestBook book, boolean restless) {
        this.context = context;
        this.book = book;
        this.restless = restless;
        greetings = context.informer(Greeting.TYPE).lister();
        configMaps = context.informer(ResourceTypes.CONFIG_MAP).lister();
        greetingClient = new ResourceClient<>(context.apiClient(), Greeting.TYPE);
        configMapClient = new ResourceClient<>(context.apiClient(), ResourceTypes.CONFIG_MAP);
        finalizer = Finalizer.named(FINALIZER, greetingClient);
    }

    static ControllerDescriptor descriptor(GuestBook book) {
        return descriptor(book, false);
    }

    /** One whose status says when it was written, so that it is written again and again. */
    static ControllerDescriptor restless(GuestBook book) {
        return descriptor(book, true);
    }

    private static ControllerDescriptor descriptor(GuestBook book, boolean restless) {
        return ControllerDescriptor.named("greeting")
                .forType(Greeting.TYPE)
                .owns(ResourceTypes.CONFIG_MAP)
                .reconcilerFactory(context -> new GreetingController(context, book, restless))
                .build();
    }

    @Override
    public Result reconcile(Request request) {
        Greeting greeting = greetings.namespace(request.getNamespace()).get(request.getName());
        if (greeting == null) {
            return DONE;
        }
        try {
            return reconcile(request, greeting);
        } catch (ApiException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private Result reconcile(Request request, Greeting greeting) throws ApiException {
        Greeting admitted = finalizer.admit(greeting, gone -> book.entries().remove(gone.name()));
        if (admitted == null) {
            return DONE;
        }
        book.entries().put(request.getName(), admitted.spec().text());
        write(admitted);
        removeOthers(admitted);
        report(admitted);
        return new Result(true, CHECKED);
    }

    private void write(Greeting greeting) throws ApiException {
        V1ConfigMap present =
                configMaps.namespace(greeting.namespace()).get(greeting.spec().configMapName());
        V1ConfigMap wanted = wanted(greeting);
        if (present == null) {
            configMapClient.create(wanted);
        } else if (!Objects.equals(present.getData(), wanted.getData())) {
            configMapClient.update(configMapClient.copy(present).data(wanted.getData()));
        }
    }

    private V1ConfigMap wanted(Greeting greeting) {
        V1ObjectMeta metadata = new V1ObjectMeta()
                .namespace(greeting.namespace())
                .name(greeting.spec().configMapName())
                .addOwnerReferencesItem(new V1OwnerReference()
                        .apiVersion(Greeting.TYPE.apiVersion())
                        .kind(Greeting.TYPE.kind())
                        .name(greeting.name())
                        .uid(greeting.getMetadata().getUid())
                        .controller(true));
        return new V1ConfigMap()
                .apiVersion("v1")
                .kind("ConfigMap")
                .metadata(metadata)
                .data(Map.of("text", greeting.spec().text()));
    }

    private void removeOthers(Greeting greeting) throws ApiException {
        String wanted = greeting.spec().configMapName();
        for (V1ConfigMap other : configMaps.namespace(greeting.namespace()).list()) {
            if (isOwnedBy(other, greeting) && !wanted.equals(other.getMetadata().getName())) {
                configMapClient.delete(greeting.namespace(), other.getMetadata().getName());
            }
        }
    }

    private static boolean isOwnedBy(V1ConfigMap configMap, Greeting greeting) {
        List<V1OwnerReference> owners = configMap.getMetadata().getOwnerReferences();
        return owners != null
                && owners.stream()
                        .anyMatch(owner ->
                                owner.getUid().equals(greeting.getMetadata().getUid()));
    }

    private void report(Greeting greeting) throws ApiException {
        V1Condition before = ready(greeting);
        V1Condition ready = new V1Condition()
                .type("Ready")
                .status("True")
                .reason("Served")
                .message("the text is there")
                .observedGeneration(greeting.getMetadata().getGeneration())
                .lastTransitionTime(before == null ? now() : before.getLastTransitionTime());
        Greeting.Status status = new Greeting.Status(
                greeting.spec().configMapName(), restless ? now().toString() : null, List.of(ready));
        if (!status.equals(greeting.status())) {
            Greeting changed = greetingClient.copy(greeting);
            changed.setStatus(status);
            greetingClient.updateStatus(changed);
            context.events().normal(greeting, "Served", "The text is there");
        }
    }

    private static @Nullable V1Condition ready(Greeting greeting) {
        Greeting.Status status = greeting.status();
        return status == null || status.conditions() == null
                ? null
                : status.conditions().get(0);
    }

    private OffsetDateTime now() {
        return OffsetDateTime.ofInstant(context.clock().now(), ZoneOffset.UTC);
    }
}
