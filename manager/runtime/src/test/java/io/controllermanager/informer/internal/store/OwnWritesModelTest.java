package io.controllermanager.informer.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Own writes against a model of the API server, which knows the state of each object at each version: writes by this
 * process and by others, answers that arrive late and in any order, a watch that lags, and lists of any allowed age.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("OwnWritesModelTest")
class OwnWritesModelTest {

    private static final int STEPS = 3_000;
    private static final List<String> NAMES = List.of("a", "b", "c");

    private final VirtualTime time = new VirtualTime();
    private final IndexedStore<V1ConfigMap> store = new IndexedStore<>(new Door(), null);
    private final OwnWrites<V1ConfigMap> writes = new OwnWrites<>(store, time);

    /** What happened at each version: one object, or null for its deletion. */
    private record Change(
            long version, String name, @Nullable V1ConfigMap object, String uid) {}

    private final List<Change> history = new ArrayList<>();
    private final List<Runnable> answers = new ArrayList<>();
    private final Map<String, Long> answered = new HashMap<>();
    private final Set<String> deleted = new HashSet<>();
    private long head;
    private long cursor;
    private int uids;

    private static String key(String name) {
        return "n/" + name;
    }

    private @Nullable V1ConfigMap at(String name, long version) {
        for (int i = history.size() - 1; i >= 0; i--) {
            Change change = history.get(i);
            if (change.version() <= version && change.name().equals(name)) {
                return change.object();
            }
        }
        return null;
    }

    private static V1ConfigMap object(String name, String uid, long version) {
        return new V1ConfigMap()
                .metadata(
                        new V1ObjectMeta().namespace("n").name(name).uid(uid).resourceVersion(Long.toString(version)));
    }

    private void write(Random random, boolean own) {
        String name = NAMES.get(random.nextInt(NAMES.size()));
        V1ConfigMap before = at(name, head);
        head++;
        if (before != null && random.nextInt(3) == 0) {
            String uid = Objects.requireNonNull(before.getMetadata().getUid());
            history.add(new Change(head, name, null, uid));
            if (own) {
                long version = head;
                long told = random.nextBoolean() ? -1 : version;
                answers.add(() -> {
                    if (tellsApart(name, uid, told)) {
                        answered.merge(name, version, Math::max);
                    }
                    deleted.add(uid);
                    writes.deleted(key(name), uid, told);
                });
            }
            return;
        }
        String uid = before == null ? "uid-" + uids++ : before.getMetadata().getUid();
        V1ConfigMap written = object(name, String.valueOf(uid), head);
        history.add(new Change(head, name, written, String.valueOf(uid)));
        if (own) {
            long version = head;
            answers.add(() -> {
                answered.merge(name, version, Math::max);
                writes.written(key(name), written, version);
            });
        }
    }

    /** A deletion without a version, of an object that was never seen, hides that one and tells nothing of others. */
    private boolean tellsApart(String name, String uid, long version) {
        V1ConfigMap shown = store.getByKey(key(name));
        V1ConfigMap told = writes.told(key(name));
        return version > cursor
                || (shown != null && uid.equals(shown.getMetadata().getUid()))
                || (told != null && uid.equals(told.getMetadata().getUid()));
    }

    private void nextEvent() {
        for (Change change : history) {
            if (change.version() <= cursor) {
                continue;
            }
            cursor = change.version();
            if (change.object() != null) {
                writes.put(key(change.name()), change.object());
            } else {
                writes.remove(key(change.name()), object(change.name(), change.uid(), change.version()));
            }
            writes.passed(cursor);
            return;
        }
    }

    private void list(long version) {
        Map<String, V1ConfigMap> listed = new LinkedHashMap<>();
        for (String name : NAMES) {
            V1ConfigMap object = at(name, version);
            if (object != null) {
                listed.put(key(name), object);
            }
        }
        store.atOnce(() -> {
            writes.listing(version, listed);
            Set<String> gone = writes.toldKeys(store.currentKeys(null));
            gone.removeAll(listed.keySet());
            listed.forEach(writes::put);
            gone.forEach(writes::omit);
        });
        cursor = version;
    }

    private void step(Random random) {
        switch (random.nextInt(10)) {
            case 0, 1 -> write(random, false);
            case 2, 3, 4 -> write(random, true);
            case 5, 6 -> {
                if (!answers.isEmpty()) {
                    answers.remove(random.nextInt(answers.size())).run();
                }
            }
            case 7, 8 -> nextEvent();
            default -> {
                if (random.nextInt(5) == 0) {
                    list(cursor + random.nextLong(head - cursor + 1));
                }
            }
        }
        time.advance(Duration.ofMillis(random.nextInt(20)));
    }

    private void check(String when) {
        for (String name : NAMES) {
            V1ConfigMap shown = store.getByKey(key(name));
            assertThat(writes.told(key(name))).as("told of %s %s", name, when).isEqualTo(at(name, cursor));
            assertThat(shown == null || !deleted.contains(shown.getMetadata().getUid()))
                    .as("%s is deleted, but shown %s", name, when)
                    .isTrue();
            Set<Object> allowed = Collections.newSetFromMap(new java.util.IdentityHashMap<>());
            Object absent = new Object();
            for (long v = Math.max(cursor, answered.getOrDefault(name, 0L)); v <= head; v++) {
                V1ConfigMap state = at(name, v);
                allowed.add(state == null ? absent : state);
            }
            assertThat(allowed.contains(shown == null ? absent : shown))
                    .as(
                            "%s shows %s %s; written %s, cursor %d",
                            name, shown == null ? null : shown.getMetadata(), when, answered.get(name), cursor)
                    .isTrue();
            assertThat(store.byIndex("namespace", "n").contains(shown))
                    .as("index %s", when)
                    .isEqualTo(shown != null);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void neverShowsSomethingOlderThanWhatWasWritten(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < STEPS; i++) {
            step(random);
            check("after step " + i + " of seed " + seed);
            if (head - cursor > 40) {
                // Keeps the model's history, and with it the test, short.
                while (cursor < head) {
                    nextEvent();
                }
                while (!answers.isEmpty()) {
                    answers.remove(0).run();
                }
                check("having caught up after step " + i + " of seed " + seed);
                assertThat(writes.size()).isZero();
                history.removeIf(change -> !Objects.equals(at(change.name(), head), change.object()));
            }
        }
    }

    @Test
    void forgetsAWriteThatNoMessageComesTo() {
        list(0);
        // As after a restore of etcd from a backup, whose versions begin anew.
        writes.written("n/ghost", object("ghost", "u", 1_000_000), 1_000_000);
        assertThat(store.getByKey("n/ghost")).isNotNull();

        // Cut off for long: what was written is still the newest that is known.
        time.advance(Duration.ofHours(1));
        writes.passed(5);
        assertThat(store.getByKey("n/ghost")).isNotNull();

        for (int minute = 0; minute < 5; minute++) {
            time.advance(Duration.ofMinutes(1));
            writes.passed(6 + minute);
        }
        assertThat(store.getByKey("n/ghost")).isNull();
        assertThat(writes.size()).isZero();
    }

    @Test
    void takesAnOldAnswerForNothingNew() {
        writes.listing(0, Map.of());
        V1ConfigMap newer = object("a", "u", 7);
        writes.put("n/a", newer);
        writes.passed(7);

        writes.written("n/a", object("a", "u", 6), 6);

        assertThat(store.getByKey("n/a")).isSameAs(newer);
        assertThat(writes.size()).isZero();
    }

    @Test
    void doesNotBringBackWhatSomeoneElseHasDeleted() {
        writes.listing(0, Map.of());
        writes.put("n/a", object("a", "u", 6));
        writes.remove("n/a", object("a", "u", 7));
        writes.passed(7);

        writes.written("n/a", object("a", "u", 6), 6);

        assertThat(store.list()).isEmpty();
    }

    @Test
    void hidesWhatAWriteHasTakenOutOfTheSelection() {
        writes.listing(0, Map.of());
        writes.put("n/a", object("a", "u", 6));
        writes.passed(6);

        writes.written("n/a", null, 8);

        assertThat(store.list()).isEmpty();
        assertThat(writes.told("n/a")).isNotNull();
        writes.put("n/a", object("a", "u", 7));
        assertThat(store.list()).isEmpty();
        writes.remove("n/a", object("a", "u", 8));
        assertThat(writes.told("n/a")).isNull();
    }

    /** As with a field that the server selects by and that is not where its name says. */
    @Test
    void endsAtABookmarkWhatTheWatchDoesNotBring() {
        writes.listing(0, Map.of());
        V1ConfigMap before = object("kept", "u", 3);
        writes.put("n/kept", before);
        writes.passed(3);
        writes.written("n/kept", null, 7);
        writes.written("n/new", object("new", "v", 8), 8);

        writes.passed(7);
        assertThat(store.getByKey("n/kept")).isSameAs(before);
        assertThat(store.getByKey("n/new")).isNotNull();

        writes.passed(9);
        assertThat(store.listKeys()).containsExactly("n/kept");
        assertThat(writes.size()).isZero();
    }
}
