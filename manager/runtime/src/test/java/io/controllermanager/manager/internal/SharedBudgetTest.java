package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.writes.RecordedWrite;
import io.controllermanager.apiserver.writes.WriteRecording;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.informer.Shards;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.Index;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Replicas that share a controller by shards, and a roll-out budget with it, while some of them are killed. */
class SharedBudgetTest extends ShardedHostsFixture {

    private static final int MOST = 5;
    private static final Shards SHARDS = new Shards(6, Shards.By.NAME);
    private static final Index<V1ConfigMap> ALL = Index.of("all", object -> "all");

    private final String namespace = server.createNamespace("shared-budget");
    private final String slots = server.createNamespace("slots");
    private final ResourceClient<V1ConfigMap> owners = new ResourceClient<>(server.client(), CONFIG_MAP);
    private final ResourceClient<V1Secret> children = new ResourceClient<>(server.client(), SECRET);
    private final Random random = new Random(41);
    private volatile String wanted = "1";

    @Test
    void noMoreThanTheBudgetAreChangedAtATime() throws ApiException {
        rollOut(60, 2);
    }

    @Test
    @Tag("deep")
    void noMoreThanTheBudgetOfAThousandAreChangedAtATime() throws ApiException {
        rollOut(1_000, 8);
    }

    private void rollOut(int objects, int kills) throws ApiException {
        for (int i = 0; i < objects; i++) {
            owners.create(new V1ConfigMap()
                    .metadata(new V1ObjectMeta().namespace(namespace).name("object-" + i)));
        }
        for (int i = 0; i < 3; i++) {
            start("host-" + i);
        }
        awaitPassing(() -> assertThat(runAll()).isEqualTo(objects));
        try (WriteRecording recording = server.recordWrites()) {
            wanted = "2";
            hosts.forEach(host -> host.manager.resync());
            int[] left = {kills};
            awaitPassing(() -> {
                runSome();
                int changed = at("2").size();
                if (left[0] > 0 && changed > objects * (kills - left[0] + 1) / (kills + 1)) {
                    left[0]--;
                    List<Host> alive =
                            hosts.stream().filter(host -> !host.killed.get()).toList();
                    alive.get(random.nextInt(alive.size())).kill();
                    start("host-" + hosts.size());
                }
                assertThat(changed).isEqualTo(objects);
                assertThat(held()).isEmpty();
            });
            assertThat(left[0]).isZero();
            assertThat(mostAtATime(recording.writes())).isEqualTo(MOST);
        }
    }

    /** What runs of each child is what it should, as by its own controller; returns how many there are. */
    private int runAll() throws ApiException {
        List<V1Secret> all = children.list(namespace);
        for (V1Secret child : all) {
            run(child);
        }
        return all.size();
    }

    private void runSome() throws ApiException {
        for (V1Secret child : children.list(namespace)) {
            if (random.nextBoolean()) {
                run(child);
            }
        }
    }

    private void run(V1Secret child) throws ApiException {
        V1ObjectMeta metadata = child.getMetadata();
        String version = Objects.requireNonNull(metadata.getLabels()).get("version");
        if (!version.equals(runs(child))) {
            children.patch(
                    namespace,
                    metadata.getName(),
                    new Patch.Merge("{\"metadata\":{\"annotations\":{\"runs\":\"" + version + "\"}}}"));
        }
    }

    private static @Nullable String runs(V1Secret child) {
        Map<String, String> annotations = child.getMetadata().getAnnotations();
        return annotations == null ? null : annotations.get("runs");
    }

    private Set<String> at(String version) throws ApiException {
        Set<String> names = new TreeSet<>();
        for (V1Secret child : children.list(namespace)) {
            if (version.equals(runs(child))) {
                names.add(child.getMetadata().getName());
            }
        }
        return names;
    }

    private List<String> held() throws ApiException {
        return owners.list(slots).stream()
                .filter(one -> one.getData() != null)
                .flatMap(one -> one.getData().values().stream())
                .toList();
    }

    /** How many slots were held, or children were changed and did not run yet, whichever were more. */
    private int mostAtATime(List<RecordedWrite> writes) {
        int most = 0;
        Map<String, Boolean> changing = new HashMap<>();
        for (RecordedWrite write : writes) {
            JsonNode after = write.after();
            if (after == null) {
                continue;
            }
            if (write.namespace().equals(slots)) {
                most = Math.max(most, after.path("data").size());
            } else if (write.resource().equals("secrets")) {
                JsonNode metadata = after.path("metadata");
                changing.put(
                        write.name(),
                        !metadata.path("labels")
                                .path("version")
                                .asText()
                                .equals(metadata.path("annotations")
                                        .path("runs")
                                        .asText()));
                most = Math.max(most, (int)
                        changing.values().stream().filter(yes -> yes).count());
            }
        }
        return most;
    }

    private final class Rolling implements ObjectReconciler<V1ConfigMap> {

        @Override
        public void describe(ControllerDescription<V1ConfigMap> d) {
            d.owns(SECRET)
                    .budget(ALL, MOST, object -> true)
                    .options(ControllerOptions.DEFAULTS.withWorkers(4).withShards(SHARDS));
        }

        @Override
        public Outcome reconcile(V1ConfigMap object, Reconciliation<V1ConfigMap> r) throws ApiException {
            String version = wanted;
            V1Secret child = r.apply(new V1Secret()
                    .metadata(new V1ObjectMeta().labels(Map.of("version", version)))
                    .type("Opaque"));
            return version.equals(runs(child)) ? Outcome.done() : Outcome.progressing("Starts", "it starts");
        }
    }

    private void start(String identity) {
        start(
                identity,
                slots,
                namespace,
                SHARDS,
                ControllerRegistration.of(TypedController.descriptor("c", CONFIG_MAP, new Rolling())));
    }
}
