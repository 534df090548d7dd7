package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.controllermanager.controller.internal.journal.Journal.TimeLine;
import io.controllermanager.controller.internal.journal.ReconcileRecord;
import io.controllermanager.workqueue.internal.Causes;
import io.controllermanager.workqueue.internal.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One sentence for each thing that a key can wait for, which says what to do. */
class KeyWaitTest {

    private static final Place IDLE = new Place(null, null, 0, 0, null, null);

    private static final String TRIGGER = "example.com/now";

    private static KeyWait in(ControllerState state, @Nullable String detail) {
        return new KeyWait(
                "foo",
                "default/a",
                state,
                detail,
                null,
                null,
                false,
                true,
                null,
                null,
                null,
                2,
                known(null),
                null,
                null);
    }

    private static KeyWait at(Place place, @Nullable ReconcileRecord last) {
        return at(place, known(last), null, TRIGGER);
    }

    private static KeyWait at(Place place, TimeLine known, @Nullable String detail, @Nullable String trigger) {
        return new KeyWait(
                "foo",
                "default/a",
                ControllerState.RUNNING,
                detail,
                null,
                "me",
                true,
                true,
                null,
                null,
                place,
                2,
                known,
                null,
                trigger);
    }

    private static KeyWait elsewhere(@Nullable Integer shard, @Nullable String holder, @Nullable String detail) {
        return new KeyWait(
                "foo",
                "default/a",
                ControllerState.WAITING_FOR_LEADERSHIP,
                detail,
                shard,
                holder,
                "me".equals(holder),
                false,
                null,
                null,
                IDLE,
                2,
                known(null),
                null,
                TRIGGER);
    }

    private static TimeLine known(@Nullable ReconcileRecord last) {
        return new TimeLine(last == null ? List.of() : List.of(last), 1, Instant.EPOCH);
    }

    private static Place delayed(Causes.@Nullable Delay why) {
        return new Place(null, null, 0, 0, Duration.ofSeconds(90), why);
    }

    private static ReconcileRecord failed(boolean terminal) {
        return new ReconcileRecord(
                Instant.EPOCH,
                Duration.ZERO,
                "id",
                "",
                0,
                Duration.ZERO,
                null,
                Duration.ZERO,
                List.of(),
                0,
                "error",
                "HTTP 403",
                terminal,
                null,
                List.of(),
                0,
                List.of(),
                0);
    }

    static Stream<Arguments> cases() {
        KeyWait rest = at(IDLE, null);
        return Stream.of(
                arguments(rest, "default/a waits for nothing: it is reconciled when something changes"),
                arguments(rest, "To have it reconciled at once, change its annotation example.com/now."),
                arguments(in(ControllerState.DISABLED, null), "is switched off. It runs if"),
                arguments(in(ControllerState.STOPPED, null), "is stopped. Use the action start"),
                arguments(in(ControllerState.FAILED, "no CRD"), "has failed: no CRD. Mend that"),
                arguments(in(ControllerState.WAITING_FOR_TYPE, "foos"), "waits for its types: foos. If a CRD"),
                arguments(
                        in(ControllerState.WAITING_FOR_CACHES, "HTTP 403"),
                        "has not read all its objects yet: HTTP 403"),
                arguments(in(ControllerState.PAUSED, null), "is paused by an operator. Use the action resume"),
                arguments(in(ControllerState.RUNNING, null), "brings its own workers"),
                arguments(elsewhere(null, "pod-2", null), "Replica pod-2 works on controller foo. Ask that one."),
                arguments(elsewhere(3, "pod-2", null), "Replica pod-2 works on shard 3 of controller foo. Ask"),
                arguments(elsewhere(3, "me", "queues"), "This replica has the Lease of shard 3 of controller foo"),
                arguments(elsewhere(3, null, null), "No replica works on shard 3 of controller foo yet. If"),
                arguments(elsewhere(null, null, "expires"), "No replica works on controller foo yet: expires. If"),
                arguments(with(rest, "has no object default/a", null, null), "Controller foo has no object default/a."),
                arguments(with(rest, null, "paused=true", null), "is paused by its annotation paused=true. Remove"),
                arguments(
                        at(new Place(Duration.ofSeconds(70), null, 0, 0, null, null), null),
                        "has been in a reconcile for 70 s. If that does not end, controller-manager.controller.foo"),
                arguments(
                        at(new Place(Duration.ofSeconds(1), Duration.ofMillis(3), 0, 0, null, null), null),
                        "for 1000 ms, and comes once more after it."),
                arguments(
                        at(new Place(null, Duration.ofSeconds(20), -100, 500, null, null), null),
                        "has waited 20 s for one of 2 workers at priority -100, with 499 other keys."),
                arguments(at(delayed(null), null), "is reconciled in 90 s."),
                arguments(at(delayed(Causes.Delay.BACKOFF), failed(false)), "its last reconcile failed with HTTP 403."),
                arguments(at(delayed(Causes.Delay.BACKOFF), null), "failed or asked to be repeated."),
                arguments(at(delayed(Causes.Delay.ASKED), null), "as its last reconcile asked for."),
                arguments(
                        at(delayed(Causes.Delay.MIN_INTERVAL), null), "controller-manager.controller.foo.min-interval"),
                arguments(at(delayed(Causes.Delay.UNDONE_WRITES), null), "somebody changes back what"),
                arguments(
                        at(IDLE, known(null), ControllerView.REQUEUEING, TRIGGER),
                        "waits until controller foo has queued all that its caches hold."),
                arguments(at(IDLE, failed(true)), "is not tried again before it changes, since its last reconcile"),
                arguments(
                        with(rest, null, null, List.of("example.com/cleanup")),
                        "removed by whoever has set it: example.com/cleanup"));
    }

    private static KeyWait with(
            KeyWait rest, @Nullable String lack, @Nullable String paused, @Nullable List<String> finalizers) {
        return new KeyWait(
                rest.controller(),
                rest.key(),
                rest.state(),
                null,
                null,
                rest.holder(),
                true,
                true,
                lack,
                paused,
                IDLE,
                2,
                known(null),
                finalizers,
                TRIGGER);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theSentenceSaysWhatToDo(KeyWait wait, String part) {
        assertThat(wait.sentence()).contains(part).endsWith(".");
    }

    @Test
    void aFailureThatASuccessHasFollowedIsNoLongerSaid() {
        TimeLine later = new TimeLine(List.of(failed(true)), 1, Instant.EPOCH.plusSeconds(1));
        assertThat(at(IDLE, later, null, null).sentence())
                .isEqualTo("default/a waits for nothing: it is reconciled when something changes that concerns it.");
    }
}
