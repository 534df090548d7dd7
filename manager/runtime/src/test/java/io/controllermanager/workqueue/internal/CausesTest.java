package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.workqueue.internal.Cause.Kind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Why a key is queued reaches whoever takes it, however it got there. */
class CausesTest {

    private final VirtualTime time = new VirtualTime();
    private final WorkQueue<String> queue =
            WorkQueue.<String>named("test").clock(time).timer(time).build();

    @Test
    void causesOfOneKeyAreMergedUntilItIsTaken() throws InterruptedException {
        queue.add("a", 0, of(Kind.CREATED, "default/a"));
        queue.add("a", 0, of(Kind.UPDATED, "default/a"));
        queue.add("a", 0, of(Kind.UPDATED, "default/a"));

        assertThat(taken()).containsExactly("CREATED 1", "UPDATED 2");
    }

    @Test
    void whatComesWhileAWorkerHasTheKeyIsOfTheNextReconcile() throws InterruptedException {
        queue.add("a", 0, of(Kind.CREATED, "default/a"));
        queue.take();
        queue.add("a", 0, of(Kind.UPDATED, "default/a"));

        assertThat(shown("a")).containsExactly("CREATED 1");
        queue.done("a");
        assertThat(taken()).containsExactly("UPDATED 1");
    }

    @Test
    void aRetryKeepsWhatElseCameAndSaysWhyItWaited() throws InterruptedException {
        queue.add("a", 0, of(Kind.CREATED, "default/a"));
        queue.take();
        Duration delay = queue.addRateLimited("a");
        queue.done("a");
        time.advance(delay);

        assertThat(taken()).containsExactly("RETRY 1");
        assertThat(queue.taken("a").causes().delay()).isEqualTo(Causes.Delay.BACKOFF);
        assertThat(queue.taken("a").causes().delayNanos()).isEqualTo(delay.toNanos());
    }

    @Test
    void aKeyThatIsPutBackKeepsItsCauses() throws InterruptedException {
        queue.add("a", 0, of(Kind.CREATED, "default/a"));
        queue.take();
        queue.addAgain("a");
        queue.done("a");

        assertThat(taken()).containsExactly("CREATED 1");
    }

    @Test
    void delaysOfOneKeyHaveTheCausesOfBoth() throws InterruptedException {
        queue.addAfter("a", Duration.ofSeconds(1), Causes.of(Kind.AGAIN).delayed(Causes.Delay.ASKED, 1), null);
        queue.addAfter(
                "a", Duration.ofSeconds(2), of(Kind.UPDATED, "default/a").delayed(Causes.Delay.MIN_INTERVAL, 2), null);
        time.advance(Duration.ofSeconds(1));

        assertThat(taken()).containsExactly("AGAIN 1", "UPDATED 1");
        assertThat(queue.taken("a").causes().delay()).isEqualTo(Causes.Delay.MIN_INTERVAL);
    }

    @Test
    void manyCausesAreCounted() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            queue.add("a", 0, of(Kind.UPDATED, "default/" + i));
        }

        assertThat(taken()).hasSize(Causes.MOST);
        assertThat(queue.taken("a").causes().more()).isEqualTo(100 - Causes.MOST);
    }

    @Test
    void theFirstStateAndTheLastAreCompared() {
        FieldChange first = new FieldChange.Paths(List.of("spec.a"));

        assertThat(first.then(new FieldChange.Paths(List.of("spec.b", "spec.a")))
                        .paths())
                .containsExactly("spec.a", "spec.b");
        assertThat(FieldChange.between("{}", "1", false)
                        .then(FieldChange.between("2", "{}", false))
                        .paths())
                .isEmpty();
    }

    @Test
    void whereAKeyIsCanBeAsked() throws InterruptedException {
        queue.addAfter("a", Duration.ofSeconds(3), Causes.of(Kind.AGAIN).delayed(Causes.Delay.ASKED, 1), null);
        time.advance(Duration.ofSeconds(1));

        assertThat(queue.place("a").delayed()).isEqualTo(Duration.ofSeconds(2));
        assertThat(queue.place("a").delay()).isEqualTo(Causes.Delay.ASKED);
        assertThat(queue.place("a").ready()).isNull();
        queue.add("a");
        assertThat(queue.place("a").ready()).isNotNull();
        queue.take();
        assertThat(queue.place("a").ready()).isNull();
        assertThat(queue.place("a").processing()).isNotNull();
        assertThat(queue.place("b")).isEqualTo(new Place(null, null, 0, 0, null, null));
    }

    private List<String> taken() throws InterruptedException {
        return shown(queue.take());
    }

    private List<String> shown(@org.jspecify.annotations.Nullable String key) {
        return queue.taken(String.valueOf(key)).causes().all().stream()
                .map(cause -> cause.kind() + " " + cause.times())
                .toList();
    }

    private static Causes of(Kind kind, String key) {
        return Causes.of(new Cause(kind, "foos", key, "", null, null, 1));
    }
}
