package io.controllermanager.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.internal.journal.ReconcileRecord;
import io.controllermanager.controller.internal.journal.ReconcileRecord.Reason;
import io.controllermanager.manager.internal.KeyExplanation;
import io.controllermanager.workqueue.internal.Cause;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Changes that come quicker than they are reconciled: each of them is the cause of a reconcile, and is counted once. */
class ExplainedChangesTest {

    private static final int OBJECTS = 10;
    private static final int CHANGES = 1_500;

    private static final ResourceType<V1ConfigMap> CONFIG_MAP =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");
    private static final ResourceType<V1Secret> SECRET =
            ResourceType.namespaced(V1Secret.class, "", "v1", "Secret", "secrets");

    private final CountDownLatch half = new CountDownLatch(1);

    @Test
    void eachChangeIsACauseOfOneReconcile() throws Exception {
        try (ApiServer server = ApiServer.start()) {
            ResourceClient<V1ConfigMap> maps = new ResourceClient<>(server.client(), CONFIG_MAP);
            try (RunningManager running = RunningManager.start(server, descriptor())) {
                running.converges();
                for (int i = 0; i < OBJECTS; i++) {
                    V1ObjectMeta metadata =
                            new V1ObjectMeta().namespace("default").name("map-" + i);
                    maps.create(new V1ConfigMap().metadata(metadata));
                }
                for (int change = 1; change <= CHANGES; change++) {
                    maps.patch("default", "map-" + change % OBJECTS, new Patch.Merge("""
                            {"data": {"change": "%d"}}""".formatted(change)));
                    if (change == CHANGES / 2) {
                        half.countDown();
                    }
                }
                running.converges();

                List<KeyExplanation> known = Stream.iterate(0, i -> i + 1)
                        .limit(OBJECTS)
                        .map(i -> running.manager().explain("explained", new Request("default", "map-" + i)))
                        .toList();
                List<ReconcileRecord> records = known.stream()
                        .flatMap(each -> each.reconciles().stream())
                        .toList();
                assertThat(known).allMatch(each -> each.quiet() == 0);
                assertThat(records)
                        .as("so that causes are merged")
                        .hasSizeLessThan(CHANGES)
                        .allMatch(record -> record.moreCauses() == 0)
                        .allMatch(record -> !record.causes().isEmpty());
                assertThat(times(records, Cause.Kind.CREATED)).isEqualTo(OBJECTS);
                assertThat(times(records, Cause.Kind.UPDATED)).isEqualTo(CHANGES);
                assertThat(causes(records, Cause.Kind.UPDATED))
                        .allMatch(cause -> cause.paths().stream().allMatch(path -> path.startsWith("data")));
            }
        }
    }

    private static int times(List<ReconcileRecord> records, Cause.Kind kind) {
        return causes(records, kind).mapToInt(Reason::times).sum();
    }

    private static Stream<Reason> causes(List<ReconcileRecord> records, Cause.Kind kind) {
        return records.stream().flatMap(record -> record.causes().stream()).filter(cause -> cause.kind() == kind);
    }

    /** Each reconcile writes, so that there is a record of it. The first ones wait, so that changes are merged. */
    private ControllerDescriptor descriptor() {
        return ControllerDescriptor.named("explained")
                .forType(CONFIG_MAP)
                .reconcilerFactory(context -> {
                    ResourceClient<V1Secret> secrets = new ResourceClient<>(context.apiClient(), SECRET);
                    return request -> {
                        try {
                            half.await();
                            secrets.create(new V1Secret()
                                    .metadata(new V1ObjectMeta()
                                            .namespace("default")
                                            .generateName(request.getName() + "-")));
                            return new Result(false);
                        } catch (InterruptedException | ApiException e) {
                            throw new IllegalStateException(e);
                        }
                    };
                })
                .build();
    }
}
