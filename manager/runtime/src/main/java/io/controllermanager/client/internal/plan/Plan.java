package io.controllermanager.client.internal.plan;

import com.google.gson.JsonObject;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.client.internal.request.ResourcePath;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a dry run has found so far. A key is reconciled {@value #MOST_RECONCILES} times at most, and writes one object {@value
 * #MOST_WRITES} times: what still changes something then does not settle. Safe for use by several threads.
 */
public final class Plan {

    /** How often a key is reconciled at most. */
    public static final int MOST_RECONCILES = 10;

    private static final int MOST_WRITES = 20;

    /** Versions of planned objects, from here on: no API server counts so far, and none is sent to one. */
    public static final long FIRST_VERSION = 900_000_000_000_000_000L;

    private final Map<ResourcePath, PlannedObject> objects = Collections.synchronizedMap(new LinkedHashMap<>());
    private final Map<String, Tally> tallies = new ConcurrentHashMap<>();
    private final Set<PlanReport.Event> events = Collections.synchronizedSet(new LinkedHashSet<>());
    private final Set<String> unknown = Collections.synchronizedSet(new LinkedHashSet<>());
    private final Set<String> outside = Collections.synchronizedSet(new LinkedHashSet<>());
    private final AtomicLong versions = new AtomicLong(FIRST_VERSION);
    private final CountDownLatch begun = new CountDownLatch(1);

    @SuppressWarnings("ThreadLocalUsage") // one plan's reconciles are none of another's
    private final ThreadLocal<@Nullable Tally> current = new ThreadLocal<>();

    /** What has become of a key. For one thread at a time. */
    private static final class Tally {

        private final String controller;
        private final String key;
        private final Map<PlannedObject, Integer> writes = new HashMap<>();

        /** What its last two writes have changed, by the object's name. */
        private final Deque<String> last = new ArrayDeque<>();

        private int reconciles;
        private boolean changed;
        private volatile boolean unsettled;
        private volatile @Nullable String failure;

        /** Whether what failed is tried again when something changes, and not before. */
        private volatile boolean terminal;

        private Tally(String controller, Request key) {
            this.controller = controller;
            this.key = Keys.shown(key);
        }
    }

    /** Lets reconciles begin: all that can be read is read. */
    public void begin() {
        begun.countDown();
    }

    /**
     * A reconcile begins on this thread, once it may.
     *
     * @return whether it is to be made; it is over by {@link #leave}
     */
    public boolean enter(String controller, Request key) throws InterruptedException {
        begun.await();
        Tally tally = tallies.computeIfAbsent(controller + " " + Keys.shown(key), any -> new Tally(controller, key));
        if (tally.reconciles == MOST_RECONCILES) {
            tally.unsettled |= tally.changed;
            return false;
        }
        tally.reconciles++;
        tally.changed = false;
        current.set(tally);
        return true;
    }

    /**
     * It has ended.
     *
     * @param failure in one line, null if it did not fail
     * @param terminal whether it would not be tried again
     */
    public void leave(@Nullable String failure, boolean terminal) {
        Tally tally = Objects.requireNonNull(current.get());
        tally.failure = failure;
        tally.terminal = terminal;
        current.remove();
    }

    /** A write of an object begins; returns why it must not be made, else null. */
    @Nullable
    String enter(PlannedObject object) {
        Tally tally = current.get();
        if (tally == null) {
            return null;
        }
        if (tally.writes.merge(object, 1, Integer::sum) > MOST_WRITES) {
            tally.unsettled = true;
            return tally.key + " writes " + name(object.path) + " more than " + MOST_WRITES + " times";
        }
        return null;
    }

    /** A write has changed an object. */
    void changed(PlannedObject object, @Nullable JsonObject before) {
        Tally tally = current.get();
        object.writers.add(tally == null ? "" : tally.controller);
        if (tally != null) {
            tally.changed = true;
            if (tally.last.size() == 2) {
                tally.last.removeFirst();
            }
            tally.last.add(name(object.path) + ": "
                    + String.join(", ", Difference.texts(Difference.between(before, object.now, object.isSecret()))));
        }
    }

    /** The object of a path, known or not. */
    PlannedObject object(ResourcePath path) {
        return objects.computeIfAbsent(path, PlannedObject::new);
    }

    /** The object that a path is of, null if none was written. */
    @Nullable
    PlannedObject planned(ResourcePath path) {
        return objects.get(
                new ResourcePath(path.group(), path.version(), path.plural(), path.namespace(), path.name(), null));
    }

    /** Whether a namespace is not there but would be. */
    boolean plansNamespace(@Nullable String name) {
        PlannedObject namespace =
                name == null ? null : objects.get(new ResourcePath("", "v1", "namespaces", null, name, null));
        return namespace != null && namespace.base == null && namespace.now != null;
    }

    String nextVersion() {
        return Long.toString(versions.incrementAndGet());
    }

    /** What the API server would do remains unknown, in one sentence. */
    void unknown(String sentence) {
        unknown.add(sentence);
    }

    /** Something would be done that is no write of an object, and was left. */
    public void outside(String what) {
        Tally tally = current.get();
        outside.add(tally == null ? what : tally.controller + " " + tally.key + ": " + what);
    }

    /** An Event would be recorded. */
    public void event(String controller, String type, String object, String reason, String note) {
        events.add(new PlanReport.Event(controller, type, object, reason, note));
    }

    /** All that has been found; {@code incomplete} says what was not waited for, {@code later} which keys come again and when. */
    public PlanReport report(Collection<String> incomplete, Collection<String> later) {
        List<PlanReport.Change> changes = new ArrayList<>();
        for (PlannedObject object : List.copyOf(objects.values())) {
            synchronized (object) {
                List<Difference> differences = Difference.between(object.base, object.now, object.isSecret());
                if (object.isPlanned() && !(differences.isEmpty() && !object.local)) {
                    changes.add(new PlanReport.Change(
                            List.copyOf(object.writers),
                            object.base == null ? "create" : object.now == null ? "delete" : "change",
                            name(object.path),
                            object.base == null || object.now != null ? differences : List.of(),
                            object.local && object.base != null && object.now != null,
                            object.unchecked));
                }
            }
        }
        changes.sort(Comparator.comparing(PlanReport.Change::object));
        Set<String> failed = new TreeSet<>();
        Set<String> invalid = new TreeSet<>();
        Set<String> unsettled = new TreeSet<>();
        for (Tally tally : tallies.values()) {
            String key = tally.controller + " " + tally.key + ": ";
            String failure = tally.failure;
            if (tally.unsettled) {
                unsettled.add(key + "the last changes are " + String.join("; then ", tally.last));
            } else if (failure != null) {
                (tally.terminal ? invalid : failed).add(key + failure);
            }
        }
        failed.addAll(incomplete);
        return new PlanReport(
                changes,
                List.copyOf(events).stream()
                        .sorted(Comparator.comparing(PlanReport.Event::object))
                        .toList(),
                List.copyOf(failed),
                List.copyOf(invalid),
                List.copyOf(unsettled),
                List.copyOf(unknown),
                List.copyOf(outside),
                List.copyOf(later),
                List.of());
    }

    /** Such as {@code deployments.apps default/web}. */
    static String name(ResourcePath path) {
        String type = path.group().isEmpty() ? path.plural() : path.plural() + "." + path.group();
        return type + " " + Keys.shown(path.namespace(), String.valueOf(path.name()));
    }
}
