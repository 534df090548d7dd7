package io.controllermanager.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.apiserver.writes.WriteRecording;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.schedule.Missed;
import io.controllermanager.schedule.Schedule;
import io.controllermanager.schedule.Slot;
import io.controllermanager.test.RunningManager.Setup;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slots on the embedded API server, in virtual time. */
class SchedulesTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final String CRD = "classpath:greetings.yaml";

    /** Copies a greeting each night, and keeps the last three copies. */
    @Reconciles(Greeting.class)
    private static final class Copies implements ObjectReconciler<Greeting> {

        private static final Schedule NIGHTLY = Schedule.cron("30 2 * * *", BERLIN);

        @Override
        public void describe(ControllerDescription<Greeting> d) {
            d.schedules().owns(ResourceTypes.CONFIG_MAP).prunes();
        }

        @Override
        public Outcome reconcile(Greeting greeting, Reconciliation<Greeting> r) throws ApiException {
            r.scheduled("copy", NIGHTLY, slot -> r.create(copy(greeting, slot)));
            r.keepLatest(ResourceTypes.CONFIG_MAP, 3, copy -> true);
            return Outcome.ready("Copied", "each night has a copy");
        }
    }

    private static V1ConfigMap copy(Greeting greeting, Slot slot) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().name(greeting.name() + "-" + slot.suffix()))
                .putDataItem("text", greeting.spec().text());
    }

    private static void greet(ApiServer server) throws ApiException {
        new ResourceClient<>(server.client(), Greeting.TYPE).create(new Greeting("g", "g", "hello"));
    }

    @Test
    void runsAtTheNextSlotByItself() throws ApiException {
        try (ApiServer server = ApiServer.builder().manifests(CRD).start();
                RunningManager manager =
                        RunningManager.startInVirtualTime(server, TypedController.descriptor(new Copies()))) {
            greet(server);
            manager.settles();
            ResourceClient<V1ConfigMap> copies = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
            assertThat(copies.list("default")).isEmpty();

            manager.advance(Duration.ofDays(1));
            assertThat(copies.list("default")).hasSize(1);

            manager.advance(Duration.ofDays(6));
            manager.settles();
            assertThat(copies.list("default")).hasSize(3);
        }
    }

    private static final class FourNights implements Scenario {

        private @Nullable WriteRecording recording;

        @Override
        public ApiServerBuilder server() {
            return ApiServer.builder().manifests(CRD);
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(TypedController.descriptor(new Copies()));
        }

        @Override
        public void play(Stage stage) throws ApiException {
            recording = stage.server().recordWrites();
            greet(stage.server());
            stage.advance(Duration.ofDays(4));
        }

        /** What keepLatest has deleted comes back nowhere. */
        @Override
        public Object outside() {
            return recording == null ? List.of() : made(recording);
        }
    }

    /** The copies that were ever made, in their order; one that was made twice is there twice. */
    private static List<String> made(WriteRecording recording) {
        return recording.writes().stream()
                .filter(write ->
                        write.verb().equals("create") && write.resource().equals("configmaps"))
                .map(write -> write.name())
                .toList();
    }

    @Test
    void makesOneCopyEachNightWhereverTheProcessIsLost() {
        CrashPoints.of(FourNights::new).check();
    }

    /** What a schedule does that stores its slots before and one that stores them after, with failures on the way. */
    @Reconciles(Greeting.class)
    private record Year(Predicate<String> fails, List<Slot> atLeastOnce, List<Slot> atMostOnce)
            implements ObjectReconciler<Greeting> {

        private static final Schedule NIGHTLY = Copies.NIGHTLY.missed(Missed.ALL);

        @Override
        public void describe(ControllerDescription<Greeting> d) {
            d.schedules().owns(ResourceTypes.CONFIG_MAP).prunes();
        }

        @Override
        public Outcome reconcile(Greeting greeting, Reconciliation<Greeting> r) throws ApiException {
            r.scheduled("copy", NIGHTLY, slot -> {
                atLeastOnce.add(slot);
                r.create(copy(greeting, slot));
                end("copy");
            });
            r.scheduled("mail", NIGHTLY.atMostOnce(), slot -> {
                atMostOnce.add(slot);
                end("mail");
            });
            r.keepLatest(ResourceTypes.CONFIG_MAP, 3, copy -> true);
            return Outcome.done();
        }

        private void end(String action) {
            if (fails.test(action)) {
                throw new IllegalStateException(action + " has failed");
            }
        }
    }

    /** Of each night the slot: 2:30, but 3:00 where the clock is set forward, and the first 2:30 where it is set back. */
    private static List<Slot> nights(LocalDate first, LocalDate end) {
        return first.datesUntil(end)
                .map(day -> day.equals(LocalDate.of(2026, 3, 29))
                        ? Instant.parse("2026-03-29T01:00:00Z")
                        : day.atTime(2, 30).atZone(BERLIN).toInstant())
                .map(Slot::new)
                .toList();
    }

    /** The fast tier plays many such years without a server: ScheduledYearTest of the runtime. */
    @ParameterizedTest
    @ValueSource(longs = 1)
    @Tag("deep")
    void runsEachNightOfAYearOverFailOversFailuresAndClockSteps(long seed) throws ApiException {
        Random random = new Random(seed);
        VirtualTime time = new VirtualTime();
        List<Slot> atLeastOnce = new CopyOnWriteArrayList<>();
        List<Slot> atMostOnce = new CopyOnWriteArrayList<>();
        Year year = new Year(action -> random.nextInt(10) == 0, atLeastOnce, atMostOnce);
        LocalDate end = LocalDate.of(2027, 1, 1);
        try (ApiServer server =
                        ApiServer.builder().manifests(CRD).clock(time::now).start();
                WriteRecording recording = server.recordWrites()) {
            greet(server);
            Duration behind = Duration.ZERO;
            while (time.now().atZone(BERLIN).toLocalDate().isBefore(end)) {
                // The next leader's clock is behind, or it comes after days without any.
                Duration next = Duration.ofMinutes(random.nextInt(180));
                time.shiftWallClock(behind.minus(next));
                behind = next;
                if (random.nextInt(4) == 0) {
                    time.advance(Duration.ofHours(random.nextInt(100)));
                }
                Setup setup = new Setup(server.client(), server, Set.of(), time, () -> {}, () -> {});
                try (RunningManager manager = new RunningManager(setup, List.of(TypedController.descriptor(year)))) {
                    manager.advance(Duration.ofHours(random.nextInt(500)));
                    time.shiftWallClock(Duration.ofHours(-random.nextInt(4)));
                    manager.advance(Duration.ofHours(random.nextInt(500)));
                }
            }

            // The last leader may have come some nights further.
            List<Slot> nights = nights(LocalDate.of(2026, 1, 1), end.plusMonths(3));
            List<Slot> made = nights.subList(0, made(recording).size());
            assertThat(made).containsAll(nights(LocalDate.of(2026, 1, 1), end));
            assertThat(made(recording))
                    .containsExactlyElementsOf(
                            made.stream().map(slot -> "g-" + slot.suffix()).toList());
            assertThat(atLeastOnce).hasSizeGreaterThan(made.size());
            assertThat(new LinkedHashSet<>(atLeastOnce)).containsExactlyElementsOf(made);
            assertThat(atMostOnce).containsExactlyElementsOf(made);
        }
    }
}
