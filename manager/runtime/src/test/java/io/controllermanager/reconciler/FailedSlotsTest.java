package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.schedule.Schedule;
import io.controllermanager.schedule.Slot;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A schedule's slots while reconciles fail, and are tried again long after the next slot or not at all. */
class FailedSlotsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration BACKOFF = Duration.ofHours(1);

    static List<Supplier<Outcome>> ends() {
        return List.of(
                Outcome::retry,
                () -> {
                    throw new IllegalStateException("not today");
                },
                () -> {
                    throw new TerminalException("never");
                });
    }

    /** Notes its slots, and ends as it is told. */
    private record Often(Supplier<Outcome> end, List<Slot> slots) implements ObjectReconciler<Gadget> {

        @Override
        public void describe(ControllerDescription<Gadget> d) {
            d.schedules().options(ControllerOptions.DEFAULTS.withBackoff(BACKOFF, BACKOFF));
        }

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            r.scheduled("note", Schedule.every(MINUTE), slots::add);
            return end.get();
        }
    }

    @ParameterizedTest
    @MethodSource("ends")
    void noSlotIsLate(Supplier<Outcome> end) throws ApiException {
        VirtualTime time = new VirtualTime();
        List<Slot> slots = new CopyOnWriteArrayList<>();
        try (ApiServer server = ApiServer.builder().clock(time::now).start()) {
            String namespace = server.createNamespace("slots");
            Gadget.install(server.client());
            new ResourceClient<>(server.client(), Gadget.TYPE)
                    .create(Gadget.named(namespace, "g", new Gadget.Spec("S", List.of(), null)));
            try (RunningHost host = new RunningHost(
                    server.client(),
                    namespace,
                    TypedController.descriptor("gadget", Gadget.TYPE, new Often(end, slots)),
                    time)) {
                await().until(() -> {
                    time.advance(Duration.ofMillis(10)); // The start waits for the caches by the timer.
                    return host.status().delayed() == 1;
                });
                for (int slot = 1; slot <= 3; slot++) {
                    int so = slot;
                    time.advance(MINUTE);
                    await().untilAsserted(() -> assertThat(slots).hasSize(so));
                    await().until(() -> host.status().delayed() == 1);
                }
            }
        }
    }
}
