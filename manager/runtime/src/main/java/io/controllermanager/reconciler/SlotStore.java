package io.controllermanager.reconciler;

import io.controllermanager.client.ApiStatus;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the slots of each value in a ConfigMap of the host's namespace, which all replicas write. It is made with the first slot
 * of its value, and stays. A write counts only if nobody has written since what it is based on. Safe for use by several threads.
 */
final class SlotStore {

    private static final String DOMAIN = "slots.controller-manager/";
    private static final String VALUE = DOMAIN + "value";
    private static final String BY_HOLDER = "controller-manager/slots-by-holder";
    private static final int CONFLICT = 409;

    /** Each try that fails is one that another has won. */
    private static final int TRIES = 20;

    private final String namespace;
    private final String prefix;
    private final String index;
    private final Map<String, String> labels;
    private final Informer<V1ConfigMap> informer;
    private final ResourceClient<V1ConfigMap> client;

    /** What becomes of slots. */
    @FunctionalInterface
    interface Change {

        /** As they are to be; the same to leave them. */
        Slots of(Slots current) throws ApiException;
    }

    /**
     * Reads through an informer, which is filled before the first reconcile.
     *
     * @param index the name of the index that has the values
     */
    SlotStore(ControllerContext context, String index) {
        this.namespace = context.hostNamespace();
        this.prefix = "slots-" + context.name() + "-";
        this.index = index;
        this.labels = Map.of(DOMAIN + context.name(), DesiredState.hash(index));
        this.informer = context.informer(Selection.of(ResourceTypes.CONFIG_MAP)
                .inNamespaces(Set.of(namespace))
                .labelled(labels));
        this.client = new ResourceClient<>(context.apiClient(), ResourceTypes.CONFIG_MAP);
        informer.addIndexers(Map.of(
                BY_HOLDER,
                stored -> slots(stored).holders().values().stream().distinct().toList()));
    }

    /** The slots of a value as the cache has them, with what this process has written. */
    Slots cached(String value) {
        return slots(value, informer.lister().get(Keys.shown(namespace, nameOf(value))));
    }

    /** Where a key has slots, as the cache has them. */
    List<Slots> heldBy(String key) {
        return informer.snapshot().byIndex(BY_HOLDER, key).stream()
                .map(SlotStore::slots)
                .toList();
    }

    /**
     * Changes slots.
     *
     * @param first on what the change is tried first; a later try has what the API server has
     * @return what they are now
     * @throws ApiException 409 if others keep getting in between
     */
    Slots change(Slots first, Change change) throws ApiException {
        Slots current = first;
        for (int i = 0; i < TRIES; i++) {
            Slots changed = change.of(current);
            if (changed.equals(current) || write(changed)) {
                return changed;
            }
            current = slots(first.value(), client.get(namespace, nameOf(first.value())));
        }
        throw new ApiException(CONFLICT, shown(first.value()) + " is written by others each time");
    }

    /** Whether what that is based on was stored. */
    private boolean write(Slots slots) throws ApiException {
        V1ConfigMap whole = new V1ConfigMap()
                .metadata(new V1ObjectMeta()
                        .namespace(namespace)
                        .name(nameOf(slots.value()))
                        .labels(labels)
                        .annotations(Map.of(VALUE, slots.value()))
                        .resourceVersion(slots.version()))
                .data(slots.holders());
        try {
            return (slots.version() == null ? client.create(whole) : client.update(whole)) != null;
        } catch (ApiException e) {
            if (e.getCode() != CONFLICT && (slots.version() == null || !ApiStatus.isObjectNotFound(e))) {
                throw e;
            }
            return false;
        }
    }

    /** Tells of slots that are there or have changed, with those before, on the informer's thread. */
    void onChange(BiConsumer<Slots, Slots> listener) {
        informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1ConfigMap stored) {
                listener.accept(new Slots("", Map.of(), null), slots(stored));
            }

            @Override
            public void onUpdate(V1ConfigMap before, V1ConfigMap stored) {
                listener.accept(slots(before), slots(stored));
            }

            @Override
            public void onDelete(V1ConfigMap stored, boolean unknown) {
                listener.accept(slots(stored), slots(stored));
            }
        });
    }

    /** Where the slots of a value are, for people. */
    String shown(String value) {
        return "ConfigMap " + Keys.shown(namespace, nameOf(value));
    }

    /** A value may be longer than a name, and have other letters. */
    private String nameOf(String value) {
        return prefix + DesiredState.hash(index + "/" + value);
    }

    private static Slots slots(V1ConfigMap stored) {
        Map<String, String> annotations = stored.getMetadata().getAnnotations();
        return slots(annotations == null ? "" : annotations.getOrDefault(VALUE, ""), stored);
    }

    private static Slots slots(String value, @Nullable V1ConfigMap stored) {
        return stored == null
                ? new Slots(value, Map.of(), null)
                : new Slots(
                        value,
                        stored.getData() == null ? Map.of() : stored.getData(),
                        stored.getMetadata().getResourceVersion());
    }
}
