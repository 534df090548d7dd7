package io.controllermanager.workqueue.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys that may be taken, and which one is next: of those with the highest priority the one that came first. So that
 * the others do not starve, every {@code agingInterval}th take that would have to pass over keys of lower priority serves
 * the one among them that has been ready longest. A key of low priority that has {@code n} such keys before it is
 * therefore taken after at most {@code agingInterval × (n + 1)} takes.
 *
 * <p>Where flows are given, the keys of one priority are taken from their flows in turn instead, and of the keys whose
 * flow has its turn at its priority the one that has been ready longest is served for its age; {@code n} above is then
 * the number of keys that have their turn before. Guarded by the queue's lock.
 */
final class ReadyKeys<K> {

    /** Bands that have become empty are kept up to this number: there are hardly ever more than two priorities. */
    private static final int BANDS_KEPT = 16;

    private final int agingInterval;
    private final boolean fair;
    private final List<Band<K>> bands = new ArrayList<>();
    private int size;
    private int passes;
    private long sequence;

    ReadyKeys(int agingInterval, boolean fair) {
        this.agingInterval = agingInterval;
        this.fair = fair;
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
        removed(band);
    }

    /** Takes out the next one; null if there is none. */
    @Nullable
    Entry<K> poll() {
        Band<K> band = nextBand();
        Entry<K> next = band == null ? null : band.entries.first();
        if (band != null && next != null) {
            band.entries.take(next);
            removed(band);
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

    /** How many flows have ready keys, one that has keys of two priorities counted twice; 0 without fairness. */
    int flows() {
        int flows = 0;
        for (Band<K> band : bands) {
            flows += band.entries instanceof FairLine<K> line ? line.flows() : 0;
        }
        return flows;
    }

    /**
     * The ready keys of each flow, for up to a number of flows of each priority; empty without fairness. Only noted, to be
     * added up without the queue's lock: a flow that has keys of two priorities is there twice.
     */
    List<Map.Entry<Object, Integer>> depthsByFlow(int limit) {
        List<Map.Entry<Object, Integer>> depths = new ArrayList<>();
        for (Band<K> band : bands) {
            if (band.entries instanceof FairLine<K> line) {
                line.forEachFlow(limit, (flow, depth) -> depths.add(Map.entry(flow, depth)));
            }
        }
        return depths;
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

    /** The longest time, in nanoseconds, since one of those that are next at their priority was made dirty. */
    long longestWait(long now) {
        long longest = 0;
        for (Band<K> band : bands) {
            Entry<K> first = band.entries.first();
            if (first != null) {
                longest = Math.max(longest, now - first.dirtyAt);
            }
        }
        return longest;
    }

    void clear() {
        for (Band<K> band : bands) {
            band.entries.clear();
        }
        size = 0;
    }

    private void removed(Band<K> band) {
        size--;
        if (band.entries.size() == 0 && bands.size() > BANDS_KEPT) {
            bands.remove(band);
        }
    }

    private @Nullable Band<K> nextBand() {
        for (int i = 0; i < bands.size(); i++) {
            Band<K> band = bands.get(i);
            int depth = band.entries.size();
            if (depth == 0) {
                continue;
            }
            if (depth == size || ++passes < agingInterval) {
                return band;
            }
            passes = 0;
            return longestReady(i + 1);
        }
        return null;
    }

    private @Nullable Band<K> longestReady(int fromBand) {
        Band<K> longest = null;
        long since = Long.MAX_VALUE;
        for (int i = fromBand; i < bands.size(); i++) {
            Entry<K> first = bands.get(i).entries.first();
            if (first != null && first.readySequence < since) {
                longest = bands.get(i);
                since = first.readySequence;
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
        Band<K> band = new Band<>(priority, fair ? new FairLine<>() : new EntryList<>());
        bands.add(index, band);
        return band;
    }

    /** The ready keys of one priority; bands stand in descending order. */
    private static final class Band<K> {
        private final int priority;
        private final Line<K> entries;

        Band(int priority, Line<K> entries) {
            this.priority = priority;
            this.entries = entries;
        }
    }
}
