package io.controllermanager.workqueue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys that may be taken, and which one is next: of those with the highest priority the one that came first. So that
 * the others do not starve, every {@code agingInterval}th take that would have to pass over keys of lower priority serves
 * the one among them that has been ready longest. A key of low priority that has {@code n} such keys before it is
 * therefore taken after at most {@code agingInterval × (n + 1)} takes. Guarded by the queue's lock.
 */
final class ReadyKeys<K> {

    /** Bands that have become empty are kept up to this number: there are hardly ever more than two priorities. */
    private static final int BANDS_KEPT = 16;

    private final int agingInterval;
    private final List<Band<K>> bands = new ArrayList<>();
    private int size;
    private int passes;
    private long sequence;

    ReadyKeys(int agingInterval) {
        this.agingInterval = agingInterval;
    }

    int size() {
        return size;
    }

    void add(Entry<K> entry) {
        entry.readySequence = sequence++;
        band(entry.priority).entries.addLast(entry);
        size++;
    }

    void remove(Entry<K> entry) {
        Band<K> band = band(entry.priority);
        band.entries.remove(entry);
        size--;
        if (band.entries.size() == 0 && bands.size() > BANDS_KEPT) {
            bands.remove(band);
        }
    }

    /** Takes out the next one; null if there is none. */
    @Nullable
    Entry<K> poll() {
        Entry<K> next = next();
        if (next != null) {
            remove(next);
        }
        return next;
    }

    int depth(int priority) {
        for (Band<K> band : bands) {
            if (band.priority == priority) {
                return band.entries.size();
            }
        }
        return 0;
    }

    Map<Integer, Integer> depths() {
        Map<Integer, Integer> depths = new LinkedHashMap<>();
        for (Band<K> band : bands) {
            if (band.entries.size() > 0) {
                depths.put(band.priority, band.entries.size());
            }
        }
        return depths;
    }

    void clear() {
        for (Band<K> band : bands) {
            band.entries.clear();
        }
        size = 0;
    }

    private @Nullable Entry<K> next() {
        for (int i = 0; i < bands.size(); i++) {
            Entry<K> first = bands.get(i).entries.first();
            if (first == null) {
                continue;
            }
            if (bands.get(i).entries.size() == size) {
                return first;
            }
            if (++passes < agingInterval) {
                return first;
            }
            passes = 0;
            return longestReady(i + 1);
        }
        return null;
    }

    private @Nullable Entry<K> longestReady(int fromBand) {
        Entry<K> longest = null;
        for (int i = fromBand; i < bands.size(); i++) {
            Entry<K> first = bands.get(i).entries.first();
            if (first != null && (longest == null || first.readySequence < longest.readySequence)) {
                longest = first;
            }
        }
        return longest;
    }

    private Band<K> band(int priority) {
        int index = 0;
        for (; index < bands.size(); index++) {
            Band<K> band = bands.get(index);
            if (band.priority == priority) {
                return band;
            }
            if (band.priority < priority) {
                break;
            }
        }
        Band<K> band = new Band<>(priority);
        bands.add(index, band);
        return band;
    }

    /** The ready keys of one priority; bands stand in descending order. */
    private static final class Band<K> {
        private final int priority;
        private final EntryList<K> entries = new EntryList<>();

        Band(int priority) {
            this.priority = priority;
        }
    }
}
