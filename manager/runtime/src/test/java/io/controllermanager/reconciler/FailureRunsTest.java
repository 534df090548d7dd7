package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailureRunsTest {

    private final VirtualTime time = new VirtualTime();
    private final FailureRuns runs = new FailureRuns(time, new KeyMemories());

    private static Gadget gadget(String uid, long generation) {
        Gadget gadget = Gadget.named("ns", "g", new Gadget.Spec("L", List.of(), null));
        gadget.getMetadata().uid(uid).generation(generation);
        return gadget;
    }

    @Test
    void lastsFromTheFirstOfManyFailuresInARow() {
        assertThat(runs.lasts(gadget("a", 1))).isFalse();
        time.advance(FailureRuns.LASTING.minus(Duration.ofSeconds(1)));
        assertThat(runs.lasts(gadget("a", 2))).isFalse();
        time.advance(Duration.ofSeconds(1));
        assertThat(runs.lasts(gadget("a", 2))).isTrue();
        assertThat(runs.lasts(gadget("b", 1))).isFalse();

        time.advance(FailureRuns.LASTING);
        runs.end(Keys.of(gadget("b", 1)));
        assertThat(runs.lasts(gadget("b", 1))).isFalse();
    }

    @Test
    void eachGenerationMayBeReportedSoOften() {
        for (int i = 0; i < FailureRuns.MOST_REPORTS; i++) {
            assertThat(runs.mayReport(gadget("a", 1))).isTrue();
            runs.reported(gadget("a", 1));
        }
        assertThat(runs.mayReport(gadget("a", 1))).isFalse();
        assertThat(runs.mayReport(gadget("a", 2))).isTrue();
    }
}
