package io.controllermanager.workqueue.internal;

import org.jspecify.annotations.Nullable;

/** The ready keys of one priority, and which of them is next. Guarded by the queue's lock. */
sealed interface Line<K> permits EntryList, FairLine {

    int size();

    /** The one that is next; null if there is none. */
    @Nullable
    Entry<K> first();

    void addLast(Entry<K> entry);

    /** Takes out {@link #first()}, whose turn it was. */
    default void take(Entry<K> first) {
        remove(first);
    }

    /** Takes out an entry that is no longer of this priority, wherever it stands. */
    void remove(Entry<K> entry);

    void clear();
}
