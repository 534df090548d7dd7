package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerOptions;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Makes a ConfigMap for each part of a Gadget. */
final class GadgetReconciler implements ObjectReconciler<Gadget>, Cleaner<Gadget> {

    private static final Index<Gadget> BY_SIZE =
            Index.of("size", gadget -> gadget.spec().size());

    private final boolean force;
    private final Map<String, String> extraData;
    final List<String> cleanedUp = new CopyOnWriteArrayList<>();

    /** What each reconcile fails with, null for nothing. */
    volatile @Nullable RuntimeException failure;

    GadgetReconciler(boolean force, Map<String, String> extraData) {
        this.force = force;
        this.extraData = extraData;
    }

    @Override
    public void describe(ControllerDescription<Gadget> d) {
        d.owns(ResourceTypes.CONFIG_MAP)
                .references(ResourceTypes.CONFIG_MAP, gadget -> gadget.spec().config())
                .peers(BY_SIZE)
                .prunes()
                .options(ControllerOptions.DEFAULTS.withWorkers(4));
        if (force) {
            d.force();
        }
    }

    @Override
    public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
        RuntimeException thrown = failure;
        if (thrown != null) {
            throw thrown;
        }
        String config = gadget.spec().config();
        V1ConfigMap copied = config == null ? null : r.find(ResourceTypes.CONFIG_MAP, config);
        for (String part : gadget.spec().parts()) {
            Map<String, String> data = new HashMap<>(extraData);
            data.put("size", gadget.spec().size());
            if (copied != null) {
                data.putAll(copied.getData());
            }
            r.apply(new V1ConfigMap()
                    .metadata(new V1ObjectMeta().name(gadget.name() + "-" + part))
                    .data(data));
        }
        r.pruneOthers();
        int alike = r.find(BY_SIZE, gadget.spec().size()).size();
        r.status(new Gadget.Status(null, gadget.spec().parts().size(), null))
                .condition("Ready", true, "Made", "all parts are there")
                .condition("Alone", alike == 1, "Counted", alike + " of this size");
        return Outcome.done();
    }

    @Override
    public Outcome cleanup(Gadget gadget, Reconciliation<Gadget> reconciliation) {
        cleanedUp.add(gadget.name());
        return Outcome.done();
    }
}
