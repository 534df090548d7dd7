package io.controllermanager.workqueue.internal;

import org.jspecify.annotations.Nullable;

/** A first-in first-out list of entries from whose middle an entry can be taken at no cost. Guarded by the queue's lock. */
final class EntryList<K> implements Line<K> {

    private @Nullable Entry<K> first;
    private @Nullable Entry<K> last;
    private int size;

    @Override
    public int size() {
        return size;
    }

    @Override
    public @Nullable Entry<K> first() {
        return first;
    }

    @Override
    public void addLast(Entry<K> entry) {
        Entry<K> before = last;
        entry.previous = before;
        entry.next = null;
        if (before == null) {
            first = entry;
        } else {
            before.next = entry;
        }
        last = entry;
        size++;
    }

    @Override
    public void take(Entry<K> entry) {
        remove(entry);
    }

    @Override
    public void remove(Entry<K> entry) {
        Entry<K> before = entry.previous;
        Entry<K> after = entry.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        entry.previous = null;
        entry.next = null;
        size--;
    }

    @Override
    public void clear() {
        for (Entry<K> entry = first; entry != null; ) {
            Entry<K> after = entry.next;
            entry.previous = null;
            entry.next = null;
            entry = after;
        }
        first = null;
        last = null;
        size = 0;
    }
}
