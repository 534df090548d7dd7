package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1Condition;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProgressDeadlineTest {

    private static final Duration DEADLINE = Duration.ofMinutes(10);
    private static final Outcome WAITS = Outcome.progressing("NotReady", "0 of 1 replicas are ready");

    private final VirtualTime time = new VirtualTime();
    private final ProgressDeadline deadline = new ProgressDeadline(DEADLINE, time, new KeyMemories());

    private static Gadget gadget(long generation) {
        Gadget gadget = Gadget.named("ns", "g", new Gadget.Spec("S", List.of(), null));
        gadget.getMetadata().uid("1").generation(generation);
        return gadget;
    }

    private V1Condition notReadySince(Duration ago, long generation) {
        return new V1Condition()
                .type("Ready")
                .status("False")
                .observedGeneration(generation)
                .lastTransitionTime(time.now().minus(ago).atOffset(ZoneOffset.UTC));
    }

    private static String reason(Outcome outcome) {
        return outcome.condition().reason();
    }

    private Outcome check(long generation, @Nullable V1Condition ready) {
        return deadline.check(gadget(generation), ready, WAITS);
    }

    @Test
    void comesAgainWhenItIsDueAndIsReportedThen() {
        assertThat(check(1, null).toResult()).isEqualTo(new Result(true, DEADLINE));
        time.advance(Duration.ofMinutes(4));
        assertThat(check(1, null).toResult()).isEqualTo(new Result(true, Duration.ofMinutes(6)));
        assertThat(deadline.check(gadget(1), null, WAITS.again(Duration.ofMinutes(1)))
                        .toResult())
                .isEqualTo(new Result(true, Duration.ofMinutes(1)));
        time.advance(Duration.ofMinutes(6));

        Outcome reported = check(1, null);
        assertThat(reported.condition())
                .isEqualTo(new StatusCondition(
                        "Ready",
                        "False",
                        "ProgressDeadlineExceeded",
                        "0 of 1 replicas are ready (for more than 600 s)"));
        assertThat(reported.warning()).isTrue();
        assertThat(reported.toResult()).isEqualTo(new Result(false));
    }

    @Test
    void goesOnWhereAProcessBeforeHasBegun() {
        assertThat(check(1, notReadySince(Duration.ofMinutes(9), 1)).toResult())
                .isEqualTo(new Result(true, Duration.ofMinutes(1)));
    }

    @Test
    void beginsAnewWithAnotherGenerationAndWhenItIsReady() {
        check(1, null);
        time.advance(DEADLINE);
        assertThat(reason(check(2, notReadySince(DEADLINE, 1)))).isEqualTo("NotReady");
        time.advance(Duration.ofMinutes(5));
        // The condition is about the new generation by now, and keeps its time.
        assertThat(reason(check(2, notReadySince(DEADLINE, 2)))).isEqualTo("NotReady");

        deadline.check(gadget(2), null, Outcome.ready("Made", ""));
        time.advance(DEADLINE);
        assertThat(reason(check(2, null))).isEqualTo("NotReady");
    }

    @Test
    void leavesAloneWhatIsNoProgress() {
        for (Outcome outcome : List.of(Outcome.done(), Outcome.retry(), Outcome.blocked("InUse", ""))) {
            assertThat(deadline.check(gadget(1), notReadySince(DEADLINE, 1), outcome))
                    .isSameAs(outcome);
        }
        ProgressDeadline none = new ProgressDeadline(null, time, new KeyMemories());
        assertThat(none.check(gadget(1), notReadySince(DEADLINE, 1), WAITS)).isSameAs(WAITS);
    }
}
