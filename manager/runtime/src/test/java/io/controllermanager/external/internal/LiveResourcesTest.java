package io.controllermanager.external.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.external.External;
import io.controllermanager.external.ExternalResources;
import io.controllermanager.external.ExternalSystem;
import io.controllermanager.external.internal.SystemAccess.ExternalCallException;
import io.controllermanager.external.internal.World.Lost;
import io.controllermanager.external.internal.World.Process;
import io.controllermanager.readiness.Readiness;
import io.controllermanager.readiness.Readiness.State;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is asked of a system outside, and when, and what is left when a process is lost. */
class LiveResourcesTest {

    private static final Duration POLL = Duration.ofSeconds(30);

    private final World world = new World();
    private final External<String, String> rows =
            External.byName("row", String.class, world.new Rows()).pollEvery(POLL);
    private final External<String, String> buckets =
            External.byId("bucket", world.new Buckets()).pollEvery(POLL);
    private Process process = world.process(rows, buckets);

    private Readiness ensure(String name, String wanted) throws ApiException {
        world.calls.clear();
        return process.of("g", rows).ensure(name, wanted);
    }

    private Readiness remove(External<String, String> external) throws ApiException {
        world.calls.clear();
        return process.of("g", external).remove();
    }

    @Test
    void makesWhatIsNotThereAndAsksNoMoreUntilThatIsOld() throws ApiException {
        assertThat(ensure("a", "x")).isEqualTo(new Readiness(State.READY, "RowReady", "row \"a\" is as wanted"));
        assertThat(world.calls).containsExactly("read a", "create a", "read a");
        assertThat(world.subject("g").again).isEqualTo(POLL);

        assertThat(ensure("a", "x").isReady()).isTrue();
        assertThat(world.calls).isEmpty();
        assertThat(process.of("g", rows).value("a")).isEqualTo("x");

        world.time.advance(POLL);
        assertThat(ensure("a", "x").isReady()).isTrue();
        assertThat(world.calls).containsExactly("read a");
    }

    @Test
    void repairsWhatOthersChangedOrDeleted() throws ApiException {
        ensure("a", "x");
        world.things.put("a", "changed");
        world.time.advance(POLL);
        ensure("a", "x");
        assertThat(world.calls).containsExactly("read a", "update a", "read a");

        world.things.clear();
        world.time.advance(POLL);
        ensure("a", "x");
        assertThat(world.things).containsEntry("a", "x");
    }

    @Test
    void writesAtOnceWhatTheObjectAsksForNow() throws ApiException {
        ensure("a", "x");
        ensure("a", "y");

        assertThat(world.calls).containsExactly("read a", "update a", "read a");
    }

    @Test
    void whatTheSystemMakesSomethingElseOfIsWrittenOncePerPoll() throws ApiException {
        World.Rows shouting = world.new Rows();
        External<String, String> normalised =
                External.byName("row", String.class, new Shouting(shouting)).pollEvery(POLL);
        process = world.process(normalised);

        Readiness first = process.of("g", normalised).ensure("a", "x");
        world.calls.clear();
        Readiness second = process.of("g", normalised).ensure("a", "x");

        assertThat(List.of(first.reason(), second.reason())).containsOnly("RowDiffers");
        assertThat(world.calls).isEmpty();
        assertThat(world.subject("g").again).isEqualTo(POLL);
    }

    /** Makes capitals of all that is written. */
    private record Shouting(World.Rows rows) implements ExternalSystem.ByName<String, String> {

        @Override
        public @Nullable String read(String id) throws Exception {
            return rows.read(id);
        }

        @Override
        public void create(String name, String wanted) throws Exception {
            rows.create(name, wanted.toUpperCase(Locale.ROOT));
        }

        @Override
        public void update(String id, String present, String wanted) throws Exception {
            rows.update(id, present, wanted.toUpperCase(Locale.ROOT));
        }

        @Override
        public void delete(String id) throws Exception {
            rows.delete(id);
        }
    }

    @Test
    void touchesNothingThatIsNotRecordedUnlessItMay() throws ApiException {
        world.things.put("a", "somebody else's");

        assertThat(ensure("a", "x").state()).isEqualTo(State.FAILED);
        assertThat(ensure("a", "x").reason()).isEqualTo("RowTaken");
        assertThat(world.calls).isEmpty();
        assertThat(remove(rows).isReady()).isTrue();
        assertThat(world.things).containsEntry("a", "somebody else's");

        External<String, String> adopting = rows.adopts((present, wanted) -> present.startsWith("somebody"));
        process = world.process(adopting);
        assertThat(process.of("g", adopting).ensure("a", "x").isReady()).isTrue();
        assertThat(world.things).containsEntry("a", "x");
    }

    @Test
    void aNameThatSomebodyElseTakesMeanwhileIsNotOurs() throws ApiException {
        External<String, String> raced = External.byName("row", String.class, world.new Rows() {
            @Override
            public void create(String name, String wanted) throws Exception {
                world.things.put(name, "somebody else's");
                super.create(name, wanted);
            }
        });
        process = world.process(raced);

        assertThat(process.of("g", raced).ensure("a", "x").reason()).isEqualTo("RowTaken");
        assertThat(process.of("g", raced).remove().isReady()).isTrue();
        assertThat(world.things).containsEntry("a", "somebody else's");
    }

    @Test
    void aManifestThatWasCopiedWithItsAnnotationsClaimsNothing() throws ApiException {
        ensure("a", "x");
        world.subject("copy").annotations.putAll(world.subject("g").annotations);

        assertThat(process.of("copy", rows).keys()).isEmpty();
        assertThat(process.of("copy", rows).ensure("a", "x").reason()).isEqualTo("RowTaken");
        assertThat(process.of("g", rows).keys()).containsExactly("a");
    }

    @Test
    void removesTheOthers() throws ApiException {
        ensure("a", "x");
        ensure("b", "x");
        ExternalResources<String, String> resources = process.of("g", rows);
        resources.ensure("b", "x");

        assertThat(resources.removeOthers().isReady()).isTrue();
        assertThat(world.things).containsOnlyKeys("b");
        assertThat(resources.keys()).isEqualTo(Set.of("b"));
    }

    @Test
    void removesWhatTheDescriptionNamesLastFirst() throws ApiException {
        ensure("a", "x");
        process.of("g", buckets).ensure("main", "x");
        world.calls.clear();

        assertThat(process.session("g").removeAll()).isNull();
        assertThat(world.calls)
                .filteredOn(call -> call.startsWith("delete"))
                .containsExactly("delete id-1", "delete a");
    }

    @Test
    void readsAllAtOnceWhereItIsToldTo() throws ApiException {
        External<String, String> whole = rows.pollAllEvery(POLL);
        process = world.process(whole);
        for (String name : List.of("a", "b", "c")) {
            process.of(name, whole).ensure(name, "x");
        }
        world.things.put("b", "changed");
        world.time.advance(POLL);
        world.calls.clear();

        for (String name : List.of("a", "b", "c")) {
            assertThat(process.of(name, whole).ensure(name, "x").isReady()).isTrue();
        }
        assertThat(world.calls).containsExactly("read all", "read b", "update b", "read b");
    }

    @Test
    void asksNothingDuringAnOutageAndSaysSinceWhen() throws ApiException {
        ensure("a", "x");
        ensure("b", "x");
        world.time.advance(POLL);
        world.failure = new IOException("refused");

        assertThat(ensure("a", "x").isReady())
                .as("what was read before will do for a while")
                .isTrue();
        assertThat(ensure("b", "x").isReady()).isTrue();
        assertThat(ensure("c", "x"))
                .isEqualTo(new Readiness(
                        State.PROGRESSING,
                        "RowUnreachable",
                        "nothing answers for row since 2026-01-01T00:00:30Z: IOException: refused"));
        assertThat(world.calls).isEmpty();

        List<String> tries = new ArrayList<>();
        for (int second = 0; second < 60; second++) {
            world.time.advance(Duration.ofSeconds(1));
            ensure("a", "x");
            tries.addAll(world.calls);
        }
        assertThat(tries).as("after 1, 2, 4, 8, 16 and 32 seconds").hasSizeBetween(4, 6);
        assertThat(ensure("b", "x").state()).isEqualTo(State.FAILED);

        world.failure = null;
        world.time.advance(Duration.ofMinutes(1));
        assertThat(ensure("b", "x").isReady()).isTrue();
        assertThat(ensure("c", "x").isReady()).isTrue();
    }

    @Test
    void whatIsNoOutageFailsTheReconcile() {
        world.failure = new IllegalArgumentException("too long");

        assertThatThrownBy(() -> ensure("a", "x"))
                .isInstanceOf(ExternalCallException.class)
                .hasMessage("cannot read row: too long");
        world.failure = null;
        assertThat(process.of("g", rows).keys()).isEmpty();
    }

    @Test
    void anInterruptIsNoOutage() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> ensure("a", "x")).hasRootCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(world.calls).isEmpty();
    }

    @Test
    void waitsForItsTurn() throws ApiException {
        External<String, String> slow = rows.limit(1, 3);
        process = world.process(slow);
        List<Duration> turns = new ArrayList<>();
        for (String name : List.of("a", "b", "c", "d")) {
            Readiness readiness = process.of(name, slow).ensure(name, "x");
            assertThat(readiness.isReady()).isEqualTo(name.equals("a"));
            assertThat(readiness.reason()).isEqualTo(name.equals("a") ? "RowReady" : "RowThrottled");
            turns.add(world.subject(name).again);
        }
        assertThat(turns).containsExactly(POLL, Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3));

        world.time.advance(Duration.ofSeconds(2));
        assertThat(process.of("c", slow).ensure("c", "x").isReady()).isTrue();
    }

    @Test
    void aThingThatDoesNotShowYetIsNotMadeTwice() throws ApiException {
        world.hidden.add("id-1");
        assertThat(process.of("g", buckets).ensure("main", "x").reason()).isEqualTo("BucketNotSeen");
        assertThat(world.subject("g").again).isEqualTo(Duration.ofSeconds(5));

        process = world.process(rows, buckets);
        world.time.advance(Duration.ofSeconds(5));
        assertThat(process.of("g", buckets).ensure("main", "x").reason()).isEqualTo("BucketNotSeen");
        world.hidden.clear();
        world.time.advance(Duration.ofSeconds(5));
        assertThat(process.of("g", buckets).ensure("main", "x").isReady()).isTrue();
        assertThat(world.things).containsOnlyKeys("id-1");

        world.things.clear();
        world.time.advance(POLL);
        assertThat(process.of("g", buckets).ensure("main", "x").isReady()).isTrue();
        assertThat(world.things).containsOnlyKeys("id-2");
    }

    @Test
    void oneThatDoesNotShowYetIsDeletedAllTheSame() throws ApiException {
        world.hidden.add("id-1");
        process.of("g", buckets).ensure("main", "x");

        assertThat(remove(buckets).reason()).isEqualTo("BucketGoing");
        assertThat(world.things).isEmpty();
        world.time.advance(POLL);
        assertThat(remove(buckets).isReady()).isTrue();
        assertThat(world.subject("g").annotations).isEmpty();
    }

    @Test
    void findsNoOthersThingWhereTheSystemGivesIds() throws ApiException {
        world.finds = true;
        world.honoursTokens = false;
        world.things.put("theirs", "x");

        assertThat(process.of("g", buckets).ensure("main", "x").reason()).isEqualTo("BucketTaken");
        assertThat(process.of("g", buckets).keys()).isEmpty();
    }

    /** Loses the process at each step, before and after that takes effect. A new process goes on. */
    @ParameterizedTest
    @CsvSource({"names,", "ids, tokens", "ids, find"})
    void makesAndRemovesOneThingWhereverTheProcessIsLost(String kind, String by) throws ApiException {
        External<String, String> external = kind.equals("names") ? rows : buckets;
        int lost = 0;
        for (boolean takesEffect : List.of(false, true)) {
            for (int step = 0; step < 20; step++) {
                world.things.clear();
                world.subjects.clear();
                world.honoursTokens = !"find".equals(by);
                world.finds = "find".equals(by);
                lost += play(external, step, takesEffect);
            }
        }
        assertThat(lost).as("plays in which it was lost").isGreaterThan(15);
    }

    private int play(External<String, String> external, int step, boolean takesEffect) throws ApiException {
        String where = "after " + step + " steps, " + takesEffect;
        world.takesEffect = takesEffect;
        world.lostAfter = step;
        int lost = 0;
        for (String wanted : List.of("x", "y")) {
            lost += untilReady(() -> process.of("g", external).ensure("main", wanted), external, where);
            assertThat(world.things.values()).as(where).containsExactly(wanted);
        }
        // Where the process is lost before the clean-up the id is known; lost() has a test of its own.
        lost += untilReady(() -> process.of("g", external).remove(), external, where);
        assertThat(world.things).as(where).isEmpty();
        assertThat(world.subject("g").annotations).as(where).isEmpty();
        world.lostAfter = -1;
        return lost;
    }

    private interface Kept {
        Readiness keep() throws ApiException;
    }

    private int untilReady(Kept kept, External<String, String> external, String where) throws ApiException {
        int lost = 0;
        for (int tries = 0; tries < 10; tries++) {
            try {
                if (kept.keep().isReady()) {
                    return lost;
                }
                world.time.advance(Duration.ofSeconds(5));
            } catch (Lost e) {
                lost++;
                process = world.process(external);
            }
        }
        throw new AssertionError("not ready " + where);
    }

    /** The token is recorded, the thing is made, and the object is deleted before anybody learns the id. */
    @ParameterizedTest
    @CsvSource({"true, false", "false, true"})
    void whatWasMadeWithATokenIsRemovedThoughItsIdWasLost(boolean finds, boolean isToldWhatWasWanted)
            throws ApiException {
        world.finds = finds;
        world.lostAfter = finds ? 2 : 1;
        world.takesEffect = true;
        assertThatThrownBy(() -> process.of("g", buckets).ensure("main", "x")).isInstanceOf(Lost.class);
        assertThat(world.things).hasSize(1);
        process = world.process(buckets);

        ExternalResources<String, String> resources = process.of("g", buckets);
        Readiness gone = isToldWhatWasWanted ? resources.remove("main", "x") : resources.remove();
        assertThat(gone.isReady()).isTrue();
        assertThat(world.things).isEmpty();
        assertThat(world.subject("g").annotations).isEmpty();
    }

    @Test
    void remembersNothingOfAnObjectThatIsForgotten() throws ApiException {
        ensure("a", "x");
        process.memories.forget(world.subject("g").key());

        assertThat(process.of("g", rows).value("a")).isNull();
    }
}
