package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1LeaseSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** How a replica asks another for a Lease, takes its wish back, is refused, or stands aside. */
class LeaseBalanceAskingTest extends Replicas {

    @Test
    void whoStopsTakesBackWhatItHasAskedFor() {
        controllers(4);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofSeconds(20);
        Replica b = new Replica("b").start();
        Replica c = new Replica("c").start();
        time.advance(PERIOD);
        assertThat(wishes()).hasSize(2).containsValues("b", "c");
        c.balance.stop();
        assertThat(wishes()).hasSize(1).containsValue("b");

        b.balance.elector(handOvers.get(0)).stop();
        assertThat(wishes()).isEmpty();
    }

    @Test
    void aWishWhoseTurnDoesNotComeIsDroppedSoThatNothingMovesToOneThatIsGone() {
        controllers(4);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofSeconds(40);
        Replica b = new Replica("b").start();
        Replica c = new Replica("c").start();
        time.advance(PERIOD);
        String first = handOvers.get(0);
        assertThat(wishes()).hasSize(2).containsEntry("manager-" + first, "b");
        c.cut("gone");
        b.balance.stop();
        a.drain = Duration.ZERO;
        time.advance(Duration.ofMinutes(1));

        assertThat(handOvers).containsExactly(first);
        assertThat(wishes()).isEmpty();
    }

    @Test
    void whoStandsAsideNeitherAsksNorTakesAndLetsOthersKnowSo() {
        controllers(2);
        Replica a = new Replica("a").start();
        Replica b = new Replica("b");
        b.balance.elector("c0").standAside(true);
        b.start();
        time.advance(PERIOD.multipliedBy(2));
        assertThat(working).isEqualTo(Map.of("c0", "a", "c1", "b"));
        a.stop();
        time.advance(Duration.ofMinutes(1));
        assertThat(working).isEqualTo(Map.of("c1", "b"));

        b.balance.elector("c0").standAside(false);
        assertThat(working).isEqualTo(Map.of("c0", "b", "c1", "b"));
        b.balance.elector("c0").standAside(true);
        time.advance(Duration.ofMinutes(1));
        assertThat(working).as("what it holds it keeps").isEqualTo(Map.of("c0", "b", "c1", "b"));
    }

    @Test
    void whoStandsAsideTakesBackItsWish() {
        controllers(2);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofSeconds(20);
        Replica b = new Replica("b").start();
        time.advance(PERIOD);
        assertThat(wishes()).containsValue("b");
        handOvers.forEach(controller -> b.balance.elector(controller).standAside(true));

        assertThat(wishes()).isEmpty();
    }

    @Test
    void aWishThatWouldMakeNothingMoreEvenIsRemoved() {
        controllers(3);
        new Replica("a").start();
        new Replica("b").start();
        time.advance(PERIOD.multipliedBy(2));
        assertThat(numbers()).isEqualTo(Map.of("a", 2, "b", 1));
        handOvers.clear();
        String lease = "manager-" + heldBy("a");

        store(lease)
                .edit(edited ->
                        Objects.requireNonNull(edited.getMetadata()).putAnnotationsItem(Leases.PREFERRED_HOLDER, "b"));
        time.advance(Duration.ofMillis(1));

        assertThat(wishes()).isEmpty();
        assertThat(handOvers).isEmpty();
        assertThat(numbers()).isEqualTo(Map.of("a", 2, "b", 1));
    }

    @Test
    void aHolderMayRefuseAndIsAskedForAnother() {
        controllers(2);
        Replica a = new Replica("a").start();
        a.refused = "c0";
        // By the chances of this seed it asks for c0 first.
        new Replica("b").random(new Random(4)::nextDouble).start();
        time.advance(Duration.ofMinutes(5));

        assertThat(a.notices).contains("c0 asked");
        assertThat(working).isEqualTo(Map.of("c0", "a", "c1", "b"));
        assertThat(wishes()).isEmpty();
    }

    @Test
    void aWishThatComesWhileTheHolderStopsIsNoReasonToDoAnythingTwice() {
        controllers(2);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofSeconds(60);
        Replica b = new Replica("b").start();
        time.advance(PERIOD.plusSeconds(1));
        assertThat(handOvers).hasSize(1);

        a.stop();
        time.advance(Duration.ofSeconds(2));
        assertThat(numbers()).isEqualTo(Map.of("b", 2));
        time.advance(Duration.ofMinutes(2));

        assertThat(numbers()).isEqualTo(Map.of("b", 2));
        assertThat(a.notices.stream().filter(notice -> notice.endsWith("lost"))).hasSize(2);
        assertThat(b.notices.stream().filter(notice -> notice.endsWith("acquired")))
                .hasSize(2);
    }

    @Test
    void aWishChangesNothingOfWhatTheLeaseSays() {
        controllers(2);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofMinutes(5);
        a.cutWhenAsked = true;
        new Replica("b").start();
        Map<String, V1LeaseSpec> before = new TreeMap<>();
        while (wishes().isEmpty()) {
            stores.keySet().forEach(lease -> before.put(lease, spec(lease)));
            assertThat(time.advanceToNextTask()).isTrue();
        }
        String asked = wishes().keySet().iterator().next();

        assertThat(spec(asked)).isEqualTo(before.get(asked));
        // Nor does it count as a renewal: the holder is cut off from now on.
        time.advance(Duration.ofSeconds(16));
        assertThat(numbers()).isEqualTo(Map.of("b", 2));
    }

    @Test
    void onceStoppedItAsksForNothing() {
        controllers(2);
        new Replica("a").start();
        Replica b = new Replica("b").start();
        b.balance.stop();
        time.advance(Duration.ofMinutes(5));
        assertThat(numbers()).isEqualTo(Map.of("a", 2));

        b.balance.start();
        time.advance(PERIOD.plusSeconds(1));
        assertThat(numbers()).isEqualTo(Map.of("a", 1, "b", 1));
    }

    /** One more replica, which prepares in that way before it asks. */
    private Replica joins(Consumer<LeadershipListener.Asking> beforeAsking) {
        Replica b = new Replica("b");
        b.beforeAsking = beforeAsking;
        return b.start();
    }

    @Test
    void whoPreparesAsksOnceItIsPreparedAndForNothingElseMeanwhile() {
        controllers(6);
        new Replica("a").start();
        List<LeadershipListener.Asking> prepared = new ArrayList<>();
        joins(prepared::add);
        time.advance(LOOK.multipliedBy(2).minusMillis(1));
        assertThat(prepared).hasSize(1);
        assertThat(wishes()).isEmpty();

        prepared.get(0).ask();
        time.advance(Duration.ofMillis(ElectionStep.FREE_SPREAD_MILLIS));
        assertThat(numbers()).isEqualTo(Map.of("a", 5, "b", 1));
        prepared.get(0).ask();
        assertThat(wishes()).as("once").isEmpty();
        time.advance(Duration.ofMillis(250));
        assertThat(prepared).as("it looks again soon").hasSize(2);
    }

    @Test
    void whoPreparesForLongKeepsItsChoiceAndHasItsShareThen() {
        controllers(2);
        new Replica("a").start();
        List<LeadershipListener.Asking> prepared = new ArrayList<>();
        joins(prepared::add);
        time.advance(Duration.ofMinutes(5));
        assertThat(prepared).hasSize(1);

        prepared.get(0).ask();
        time.advance(Duration.ofMillis(ElectionStep.FREE_SPREAD_MILLIS));
        assertThat(numbers()).isEqualTo(Map.of("a", 1, "b", 1));
    }

    @Test
    void whoGivesUpChoosesAnewAndTheFirstChoiceIsNotAskedFor() {
        controllers(2);
        new Replica("a").start();
        List<LeadershipListener.Asking> prepared = new ArrayList<>();
        joins(prepared::add);
        time.advance(LOOK);
        prepared.get(0).giveUp();
        time.advance(PERIOD);
        assertThat(prepared).hasSize(2);

        prepared.get(0).ask();
        assertThat(wishes()).isEmpty();
        assertThat(handOvers).isEmpty();
        prepared.get(1).ask();
        time.advance(Duration.ofMillis(ElectionStep.FREE_SPREAD_MILLIS));
        assertThat(numbers()).isEqualTo(Map.of("a", 1, "b", 1));
    }

    @Test
    void whoFailsToPrepareGivesUp() {
        controllers(2);
        new Replica("a").start();
        List<LeadershipListener.Asking> prepared = new ArrayList<>();
        joins(asking -> {
            prepared.add(asking);
            throw new IllegalStateException("on purpose");
        });
        time.advance(LOOK.plus(PERIOD));

        assertThat(prepared).hasSize(2);
    }

    @Test
    void aLeaseThatTheProcessWouldNotTakeAnyMoreIsNoLongerItsChoice() {
        controllers(2);
        new Replica("a").start();
        List<LeadershipListener.Asking> prepared = new ArrayList<>();
        Replica b = joins(prepared::add);
        time.advance(LOOK);
        String chosen = b.notices.get(0).split(" ")[0];
        b.balance.elector(chosen).standAside(true);
        time.advance(PERIOD);

        assertThat(prepared).hasSize(2);
        assertThat(b.notices.get(1)).endsWith("to be asked for").doesNotStartWith(chosen);
    }

    @Test
    void whatHasBecomeEvenWhileItPreparedIsNotAskedFor() {
        controllers(3);
        Replica a = new Replica("a").start();
        List<LeadershipListener.Asking> prepared = new ArrayList<>();
        Replica b = joins(prepared::add);
        time.advance(LOOK);
        assertThat(prepared).hasSize(1);
        String[] chosen = b.notices.get(0).split(" ");
        List<String> others = stores.keySet().stream()
                .map(lease -> lease.substring("manager-".length()))
                .filter(controller -> !controller.equals(chosen[0]))
                .toList();
        others.forEach(controller -> a.balance.elector(controller).stop());
        time.advance(Duration.ofSeconds(1));
        assertThat(numbers()).isEqualTo(Map.of("a", 1, "b", 2));

        prepared.get(0).ask();
        assertThat(wishes()).isEmpty();
        assertThat(handOvers).isEmpty();
    }
}
