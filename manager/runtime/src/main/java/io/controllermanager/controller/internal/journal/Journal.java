package io.controllermanager.controller.internal.journal;

import io.controllermanager.client.internal.request.Keys;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The last reconciles of all controllers' keys, within a number of bytes whatever the number of keys: the oldest record gives way
 * to a new one. A reconcile that changed nothing and did not fail is counted, and leaves its time. Safe for use by several threads.
 */
public final class Journal {

    /** Enough for the last 20,000 reconciles that changed something, as a rule. */
    public static final long DEFAULT_BYTES = 8 << 20;

    /** What a record takes besides its bytes: an array's header, references, and its part of the order of all. */
    static final int OVERHEAD = 64;

    /** What a key takes: its text, an entry of the map, its own object and that of its records. */
    static final int KEY = 200;

    /** Of the memory, for keys of which there are no records. */
    private static final int QUIET_PART = 8;

    private final long budget;
    private final Set<String> valuesOf;
    private final Codec codec;
    private final Map<Key, Track> tracks = new HashMap<>();

    /** Keys without records, the one that was first quiet first. */
    private final Map<Key, Track> quiet = new LinkedHashMap<>();

    /** Whose the records are, the oldest first. */
    private final Deque<Track> order = new ArrayDeque<>();

    private long used;

    private record Key(String controller, @Nullable String namespace, String name) {}

    /** What is known of one key. */
    private static final class Track {

        private final Key key;

        /** The oldest first; most keys have one. */
        private final Deque<byte[]> records = new ArrayDeque<>(1);

        private int quietCount;
        private @Nullable Instant quietAt;

        Track(Key key) {
            this.key = key;
        }
    }

    /**
     * What is known of a key's reconciles.
     *
     * @param records the newest first
     * @param quiet how many besides changed nothing and did not fail
     * @param quietAt when the last of those began, null for none
     */
    public record TimeLine(
            List<ReconcileRecord> records,
            int quiet,
            @Nullable Instant quietAt) {}

    /**
     * Remembers nothing yet.
     *
     * @param bytes how much memory it takes at most; zero to remember nothing
     * @param valuesOf the types, such as {@code deployments.apps}, of whose fields values are shown besides paths
     */
    public Journal(long bytes, Set<String> valuesOf) {
        this.budget = bytes;
        this.codec = new Codec(bytes / QUIET_PART);
        this.valuesOf = Set.copyOf(valuesOf);
    }

    /** That of hosts that nobody has set anything for. */
    public static Journal standard() {
        return new Journal(DEFAULT_BYTES, Set.of());
    }

    /** Whether values of fields may be shown of a type. Those of Secrets never are. */
    public boolean showsValues(String type) {
        return valuesOf.contains(type) && !type.equals("secrets");
    }

    /** Whether anything is remembered. */
    public boolean isKept() {
        return budget > 0;
    }

    /** A reconcile has changed something, or failed. */
    public void add(String controller, Request key, ReconcileRecord record) {
        String shown = Keys.shown(key);
        synchronized (this) {
            byte[] encoded = codec.encode(shown, record);
            Track track = track(key(controller, key));
            if (track.records.isEmpty()) {
                quiet.remove(track.key);
                tracks.put(track.key, track);
                used += KEY;
            }
            track.records.addLast(encoded);
            order.addLast(track);
            used += encoded.length + OVERHEAD;
            while (used + codec.nameBytes() > budget - budget / QUIET_PART && !order.isEmpty()) {
                drop(order.removeFirst());
            }
        }
    }

    private void drop(Track track) {
        used -= track.records.removeFirst().length + OVERHEAD;
        if (track.records.isEmpty()) {
            tracks.remove(track.key, track);
            used -= KEY;
        }
    }

    /** A reconcile has changed nothing, and did not fail. */
    public synchronized void addQuiet(String controller, Request key, Instant at) {
        Track track = track(key(controller, key));
        track.quietCount++;
        track.quietAt = at;
        if (track.records.isEmpty()) {
            quiet.put(track.key, track);
            if (quiet.size() > budget / QUIET_PART / KEY) {
                quiet.remove(quiet.keySet().iterator().next());
            }
        }
    }

    private Track track(Key key) {
        Track known = tracks.get(key);
        known = known == null ? quiet.get(key) : known;
        return known == null ? new Track(key) : known;
    }

    /** What is known of a key. */
    public synchronized TimeLine of(String controller, Request key) {
        Track track = track(key(controller, key));
        String shown = Keys.shown(key);
        List<ReconcileRecord> records = new ArrayList<>();
        track.records.descendingIterator().forEachRemaining(record -> records.add(codec.decode(shown, record)));
        return new TimeLine(records, track.quietCount, track.quietAt);
    }

    /** Keys of a controller that contain a text, of which something is known, the one with the latest record first. */
    public synchronized List<Request> search(String controller, String text, int limit) {
        Stream<Key> latestFirst = Stream.<Iterable<Track>>of(order::descendingIterator)
                .flatMap(all -> StreamSupport.stream(all.spliterator(), false))
                .map(track -> track.key);
        return Stream.concat(latestFirst, quiet.keySet().stream())
                .filter(key -> key.controller.equals(controller))
                .distinct()
                .map(key -> new Request(key.namespace, key.name))
                .filter(key -> Keys.shown(key).contains(text))
                .limit(limit)
                .toList();
    }

    /** How many records there are. */
    synchronized int size() {
        return order.size();
    }

    /** How many bytes it counts. */
    synchronized long used() {
        return used + codec.nameBytes() + (long) quiet.size() * KEY;
    }

    private static Key key(String controller, Request key) {
        return new Key(controller, key.getNamespace(), key.getName());
    }
}
