package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Which changes of an object bring in those that have a value of an index in common with it. */
class PeersTest {

    private static final int COUNT = 200;

    /** Notes what comes, and writes nothing. */
    private static final class Noting implements ObjectReconciler<Gadget> {

        final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public void describe(ControllerDescription<Gadget> d) {
            d.peers(Index.of("size", gadget -> gadget.spec().size()))
                    .peers(Index.of(
                            "parts",
                            gadget -> gadget.status() == null || gadget.status().parts() == null
                                    ? null
                                    : String.valueOf(gadget.status().parts())));
        }

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) {
            seen.add(gadget.name());
            return Outcome.done();
        }
    }

    @Test
    void aStatusWakesNoneAndASpecWakesAll() throws ApiException {
        Noting reconciler = new Noting();
        try (ApiServer server = ApiServer.start()) {
            Gadget.install(server.client());
            String namespace = server.createNamespace("peers");
            ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);
            for (int i = 0; i < COUNT; i++) {
                gadgets.create(Gadget.named(namespace, "g" + i, new Gadget.Spec("L", List.of(), null)));
            }
            try (RunningHost host = new RunningHost(
                    server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, reconciler))) {
                host.awaitIdle(COUNT);
                reconciler.seen.clear();

                gadgets.patchStatus(namespace, "g0", new Patch.Merge("{\"status\":{\"conditions\":[]}}"));
                gadgets.create(Gadget.named(namespace, "later", new Gadget.Spec("S", List.of(), null)));
                await().until(() -> reconciler.seen.contains("later"));
                assertThat(reconciler.seen).containsExactly("later");

                gadgets.patch(namespace, "g0", new Patch.Merge("{\"spec\":{\"parts\":[\"a\"]}}"));
                await().untilAsserted(() ->
                        assertThat(reconciler.seen).hasSize(COUNT + 1).doesNotHaveDuplicates());

                reconciler.seen.clear();
                Patch parts = new Patch.Merge("{\"status\":{\"parts\":7}}");
                Gadget first = gadgets.patchStatus(namespace, "g1", parts);
                // Else the first one's event may find the second one in the index.
                host.awaitSeen(first.getMetadata().getResourceVersion());
                gadgets.patchStatus(namespace, "g2", parts);
                // What the second one has in common with the first by now.
                await().until(() -> reconciler.seen.contains("g1"));
                assertThat(reconciler.seen).containsOnly("g1");
            }
        }
    }
}
