package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.external.internal.Owner;
import io.controllermanager.schedule.Missed;
import io.controllermanager.schedule.Schedule;
import io.controllermanager.schedule.Slot;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A year of slots without an API server: what it stores is a map. Processes are lost at each step, before and after it takes
 * effect, actions fail, caches are behind, clocks are set back, and nobody runs for days. SchedulesTest of the kit plays one such
 * year with an API server.
 */
class ScheduledYearTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final Instant END = Instant.parse("2027-01-01T00:00:00Z");

    /** How many slots may be missed while nobody runs. */
    private static final int MOST_MISSED = 12;

    private static final int KEPT = 3;

    /** How many writes a cache may be behind: far enough that what {@code KEPT} has deleted would be made again. */
    private static final int MOST_BEHIND = 4 * KEPT;

    static Stream<Arguments> years() {
        return Stream.concat(nights(0, 4), hours(7, 0, 4));
    }

    static Stream<Arguments> manyYears() {
        return Stream.of(nights(4, 40), hours(7, 4, 40), hours(1, 0, 2)).flatMap(years -> years);
    }

    private static Stream<Arguments> nights(int seed, int end) {
        Schedule nightly = Schedule.cron("30 2 * * *", BERLIN);
        return years(seed, end, nightly, Duration.ofDays(1), ScheduledYearTest::nights);
    }

    private static Stream<Arguments> hours(int hours, int seed, int end) {
        Duration interval = Duration.ofHours(hours);
        Schedule schedule = hours == 1 ? Schedule.cron("0 * * * *", BERLIN) : Schedule.every(interval);
        return years(seed, end, schedule, interval, until -> every(interval, until));
    }

    private static Stream<Arguments> years(
            int seed, int end, Schedule schedule, Duration apart, Function<Instant, List<Instant>> expected) {
        Duration longestPause = apart.multipliedBy(MOST_MISSED);
        return IntStream.range(seed, end).mapToObj(one -> Arguments.of(schedule, one, longestPause, expected));
    }

    /** 2:30, but 3:00 where the clock is set forward, and the first 2:30 where it is set back. */
    private static List<Instant> nights(Instant end) {
        return LocalDate.of(2026, 1, 1)
                .datesUntil(LocalDate.of(2028, 1, 1))
                .map(day -> day.equals(LocalDate.of(2026, 3, 29))
                        ? Instant.parse("2026-03-29T01:00:00Z")
                        : day.atTime(2, 30)
                                .atZone(BERLIN)
                                .withEarlierOffsetAtOverlap()
                                .toInstant())
                .takeWhile(slot -> !slot.isAfter(end))
                .toList();
    }

    /** Each hour is an hour, whatever a zone's clock says. */
    private static List<Instant> every(Duration interval, Instant end) {
        return Stream.iterate(VirtualTime.START.plus(interval), slot -> !slot.isAfter(end), slot -> slot.plus(interval))
                .toList();
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("manyYears")
    @Tag("deep")
    void runsEachSlotOfManyYears(
            Schedule schedule, int seed, Duration longestPause, Function<Instant, List<Instant>> expected) {
        runsEachSlot(schedule, seed, longestPause, expected);
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("years")
    void runsEachSlot(Schedule schedule, int seed, Duration longestPause, Function<Instant, List<Instant>> expected) {
        Year year = new Year(schedule.missed(Missed.ALL), longestPause, new Random(seed));
        while (year.time.now().isBefore(END)) {
            year.goOn();
        }
        year.faults = false;
        year.settle();

        List<Instant> slots = expected.apply(year.newest);
        assertThat(year.made).as("made for each slot").containsExactlyElementsOf(slots);
        assertThat(new LinkedHashSet<>(year.atLeastOnce)).as("at least once").containsExactlyElementsOf(slots);
        assertThat(year.atLeastOnce).as("and again after a loss").hasSizeGreaterThan(slots.size());
        assertThat(year.atMostOnce).as("at most once").doesNotHaveDuplicates().isSorted();
        assertThat(slots).containsAll(year.atMostOnce);
        assertThat(year.atMostOnce).as("lost with a process alone").hasSizeGreaterThan(slots.size() * 3 / 4);
        assertThat(year.present).hasSize(KEPT);
    }

    /** What the new one would have had to do before it was seen is not missed. */
    @Test
    void aScheduleThatIsChangedBeginsAnew() {
        Year year = new Year(Schedule.every(Duration.ofDays(1)), Duration.ofDays(1), new Random(1));
        year.faults = false;
        year.settle();
        year.time.advance(Duration.ofHours(30));
        year.settle();
        year.schedule = Schedule.every(Duration.ofHours(7)).missed(Missed.ALL);
        year.settle();
        year.time.advance(Duration.ofHours(6));
        year.settle();

        assertThat(year.made)
                .containsExactly(Instant.parse("2026-01-02T00:00:00Z"), Instant.parse("2026-01-02T11:00:00Z"));
    }

    /** The process ends here. */
    @SuppressWarnings("serial")
    private static final class Lost extends RuntimeException {
        Lost() {
            super("lost", null, false, false);
        }
    }

    /** What the API server has, and what has been done. */
    private static final class Year {

        final VirtualTime time = new VirtualTime();
        final List<Instant> made = new ArrayList<>();
        final List<Instant> atLeastOnce = new ArrayList<>();
        final List<Instant> atMostOnce = new ArrayList<>();
        final List<V1ConfigMap> present = new ArrayList<>();

        /** The latest that any clock has shown. */
        Instant newest = VirtualTime.START;

        boolean faults = true;

        private Schedule schedule;
        private final Duration longestPause;
        private final Random random;
        private final List<Map<String, String>> versions = new ArrayList<>(List.of(Map.of()));
        private Process process;

        Year(Schedule schedule, Duration longestPause, Random random) {
            this.schedule = schedule;
            this.longestPause = longestPause;
            this.random = random;
            this.process = new Process();
        }

        /** Waits for the next slot, or has something happen. */
        void goOn() {
            switch (random.nextInt(8)) {
                case 0 -> time.shiftWallClock(Duration.ofMinutes(-random.nextInt(180)));
                case 1 -> time.advance(Duration.ofMinutes(random.nextInt((int) longestPause.toMinutes())));
                case 2 -> process = new Process();
                default -> time.advance(Objects.requireNonNull(process.comesAgain));
            }
            newest = newest.isAfter(time.now()) ? newest : time.now();
            settle();
        }

        /** Reconciles until nothing fails. */
        void settle() {
            for (boolean done = false; !done; ) {
                try {
                    reconcile();
                    done = true;
                } catch (Lost e) {
                    process = new Process();
                } catch (ApiException e) {
                    process.known = versions.get(versions.size() - 1);
                }
            }
        }

        private void reconcile() throws ApiException {
            process.comesAgain = null;
            ScheduledRuns runs = new ScheduledRuns(process, "year", time);
            runs.run("copy", schedule, slot -> {
                atLeastOnce.add(slot.time());
                step(() -> make(slot));
            });
            runs.run("mail", schedule.atMostOnce(), slot -> step(() -> atMostOnce.add(slot.time())));
            present.removeAll(LatestChildren.surplus(present, KEPT, copy -> true));
        }

        private void make(Slot slot) {
            V1ConfigMap copy = new V1ConfigMap()
                    .metadata(new V1ObjectMeta()
                            .name(slot.suffix())
                            .creationTimestamp(time.now().atOffset(ZoneOffset.UTC)));
            if (present.stream()
                    .noneMatch(other -> slot.suffix().equals(other.getMetadata().getName()))) {
                present.add(copy);
                made.add(slot.time());
            }
        }

        private void step(Runnable effect) {
            int fate = faults ? random.nextInt(20) : 2;
            if (fate == 0) {
                throw new Lost();
            }
            effect.run();
            if (fate == 1) {
                throw new Lost();
            }
        }

        /** A process, whose cache may be behind at first. */
        private final class Process implements Owner {

            private Map<String, String> known =
                    versions.get(Math.max(0, versions.size() - 1 - random.nextInt(MOST_BEHIND)));

            @Nullable
            Duration comesAgain = Duration.ZERO;

            @Override
            public Request key() {
                return new Request("default", "year");
            }

            @Override
            public String identity() {
                return "year";
            }

            @Override
            public Instant created() {
                return VirtualTime.START;
            }

            @Override
            public @Nullable String annotation(String name) {
                return known.get(name);
            }

            @Override
            public void confirm(String name) throws ApiException {
                Map<String, String> newest = versions.get(versions.size() - 1);
                demand(Objects.equals(known.get(name), newest.get(name)));
                known = newest;
            }

            @Override
            public void annotate(String name, @Nullable String value) throws ApiException {
                demand(known == versions.get(versions.size() - 1));
                step(() -> {
                    known = new TreeMap<>(known);
                    known.put(name, String.valueOf(value));
                    versions.add(known);
                });
            }

            @Override
            public void note(String name, @Nullable String value) throws ApiException {
                confirm(name);
                annotate(name, value);
            }

            private static void demand(boolean same) throws ApiException {
                if (!same) {
                    throw new ApiException(409, "changed");
                }
            }

            @Override
            public void comesAgain(Duration after) {
                comesAgain = comesAgain == null || after.compareTo(comesAgain) < 0 ? after : comesAgain;
            }

            @Override
            public void warn(String reason, String message) {
                throw new AssertionError(message);
            }
        }
    }
}
