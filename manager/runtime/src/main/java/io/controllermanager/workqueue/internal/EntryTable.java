package io.controllermanager.workqueue.internal;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a queue by key: a hash table whose nodes are the entries themselves. Grows by doubling, and shrinks
 * when the crowd has gone, so that a burst of a million keys does not keep its memory for ever. Guarded by the queue's
 * lock.
 *
 * <p>Measured beside {@code java.util.HashMap} with 100,000 keys ({@code benchmarks/results/libraries.txt}): that takes 41 % more
 * memory and 1.8 times the processor time, and keeps 1.8 MB when it is empty again.
 */
final class EntryTable<K> {

    private static final int SMALLEST = 16;

    private final Function<K, Object> flows;
    private @Nullable Entry<K>[] buckets = newBuckets(SMALLEST);
    private int size;

    /**
     * Begins without entries.
     *
     * @param flows which flow a key belongs to, asked once for each entry that is made
     */
    EntryTable(Function<K, Object> flows) {
        this.flows = flows;
    }

    int size() {
        return size;
    }

    @Nullable
    Entry<K> get(K key, int hash) {
        for (Entry<K> entry = buckets[hash & (buckets.length - 1)]; entry != null; entry = entry.chain) {
            if (entry.hash == hash && (entry.key == key || entry.key.equals(key))) {
                return entry;
            }
        }
        return null;
    }

    /** The key's entry, made if there is none. */
    Entry<K> getOrAdd(K key, int hash) {
        Entry<K> present = get(key, hash);
        if (present != null) {
            return present;
        }
        // First what is not ours and may throw.
        Entry<K> entry = new Entry<>(key, hash, flows.apply(key));
        if (size >= buckets.length) {
            rebuild(buckets.length * 2, false);
        }
        insert(entry);
        return entry;
    }

    void remove(Entry<K> entry) {
        int index = entry.hash & (buckets.length - 1);
        Entry<K> before = null;
        for (Entry<K> at = buckets[index]; at != null; before = at, at = at.chain) {
            if (at == entry) {
                if (before == null) {
                    buckets[index] = at.chain;
                } else {
                    before.chain = at.chain;
                }
                at.chain = null;
                size--;
                if (buckets.length > SMALLEST && size < buckets.length / 8) {
                    rebuild(buckets.length / 2, false);
                }
                return;
            }
        }
    }

    /** Removes all entries but those being processed. */
    void retainProcessing() {
        rebuild(SMALLEST, true);
    }

    private void rebuild(int length, boolean onlyProcessing) {
        @Nullable Entry<K>[] old = buckets;
        buckets = newBuckets(length);
        size = 0;
        for (Entry<K> bucket : old) {
            Entry<K> entry = bucket;
            while (entry != null) {
                Entry<K> chain = entry.chain;
                if (entry.processing || !onlyProcessing) {
                    insert(entry);
                }
                entry = chain;
            }
        }
    }

    private void insert(Entry<K> entry) {
        int index = entry.hash & (buckets.length - 1);
        entry.chain = buckets[index];
        buckets[index] = entry;
        size++;
    }

    /** A key's hash as it is wanted here. Keys are asked without the queue's lock: some take their time. */
    static int hash(Object key) {
        int hash = key.hashCode();
        // Bucket numbers are the low bits: bring the high ones down, as java.util.HashMap does.
        return hash ^ (hash >>> 16);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <K> @Nullable Entry<K>[] newBuckets(int length) {
        return new Entry[length];
    }
}
