package io.controllermanager.workqueue.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Delayed entries, the one that is due first on top. A heap of four children a node: half the levels of a binary one,
 * and the children lie side by side in memory. Entries know their place, so that one can be moved or removed without a
 * search. Guarded by the queue's lock.
 */
final class DelayHeap<K> {

    static final int ABSENT = -1;

    private static final int CHILDREN = 4;
    private static final int SMALLEST = 16;

    private @Nullable Entry<K>[] heap = newHeap(SMALLEST);
    private int size;
    private int sequence;

    int size() {
        return size;
    }

    @Nullable
    Entry<K> first() {
        return heap[0];
    }

    void add(Entry<K> entry) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        entry.delaySequence = sequence++;
        siftUp(size++, entry);
    }

    /** Puts an entry where it belongs after its time has changed. */
    void moved(Entry<K> entry) {
        int index = entry.heapIndex;
        siftUp(index, entry);
        if (entry.heapIndex == index) {
            siftDown(index, entry);
        }
    }

    void remove(Entry<K> entry) {
        int index = entry.heapIndex;
        entry.heapIndex = ABSENT;
        Entry<K> last = heap[--size];
        heap[size] = null;
        if (last != null && last != entry) {
            last.heapIndex = index;
            heap[index] = last;
            moved(last);
        }
        if (heap.length > SMALLEST && size < heap.length / 8) {
            heap = Arrays.copyOf(heap, heap.length / 2);
        }
    }

    /** The entries that are due first, in order. Looks at no more than a few times as many entries. */
    List<Entry<K>> first(int limit) {
        List<Entry<K>> first = new ArrayList<>(Math.min(limit, size));
        PriorityQueue<Entry<K>> candidates =
                new PriorityQueue<>((one, other) -> one == other ? 0 : before(one, other) ? -1 : 1);
        offer(candidates, 0);
        while (first.size() < limit) {
            Entry<K> next = candidates.poll();
            if (next == null) {
                break;
            }
            first.add(next);
            for (int child = 1; child <= CHILDREN; child++) {
                offer(candidates, next.heapIndex * CHILDREN + child);
            }
        }
        return first;
    }

    private void offer(PriorityQueue<Entry<K>> candidates, int index) {
        Entry<K> entry = index < size ? heap[index] : null;
        if (entry != null) {
            candidates.add(entry);
        }
    }

    /** Takes out all of them, in no order. */
    List<Entry<K>> clear() {
        List<Entry<K>> all = Arrays.stream(heap).filter(Objects::nonNull).toList();
        all.forEach(entry -> entry.heapIndex = ABSENT);
        heap = newHeap(SMALLEST);
        size = 0;
        return all;
    }

    private void siftUp(int start, Entry<K> entry) {
        int index = start;
        while (index > 0) {
            int parentIndex = (index - 1) / CHILDREN;
            Entry<K> parent = heap[parentIndex];
            if (parent == null || !before(entry, parent)) {
                break;
            }
            heap[index] = parent;
            parent.heapIndex = index;
            index = parentIndex;
        }
        heap[index] = entry;
        entry.heapIndex = index;
    }

    private void siftDown(int start, Entry<K> entry) {
        int index = start;
        while (true) {
            int child = index * CHILDREN + 1;
            int end = Math.min(child + CHILDREN, size);
            Entry<K> least = entry;
            int leastIndex = index;
            for (; child < end; child++) {
                Entry<K> candidate = heap[child];
                if (candidate != null && before(candidate, least)) {
                    least = candidate;
                    leastIndex = child;
                }
            }
            if (leastIndex == index) {
                break;
            }
            heap[index] = least;
            least.heapIndex = index;
            index = leastIndex;
        }
        heap[index] = entry;
        entry.heapIndex = index;
    }

    /** By time, then by order of adding; both by difference, since both may wrap around. */
    static boolean before(Entry<?> one, Entry<?> other) {
        long difference = one.dueAt - other.dueAt;
        return difference < 0 || (difference == 0 && one.delaySequence - other.delaySequence < 0);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <K> @Nullable Entry<K>[] newHeap(int length) {
        return new Entry[length];
    }
}
