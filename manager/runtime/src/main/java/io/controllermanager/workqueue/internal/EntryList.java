package io.controllermanager.workqueue.internal;

/** Entries in the order in which they came. */
final class EntryList<K> extends Chain<Entry<K>> implements Line<K> {}
