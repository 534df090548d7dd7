package io.controllermanager.workqueue.internal;

import org.jspecify.annotations.Nullable;

/** A first-in first-out list of nodes from whose middle one can be taken at no cost. Guarded by the queue's lock. */
class Chain<N extends Chain.Node<N>> {

    private @Nullable N first;
    private @Nullable N last;
    private int size;

    /** What can stand in one chain at a time, with its neighbours there. */
    static class Node<N extends Node<N>> {

        @Nullable
        N previous;

        @Nullable
        N next;
    }

    public int size() {
        return size;
    }

    public @Nullable N first() {
        return first;
    }

    public void addLast(N node) {
        N before = last;
        node.previous = before;
        node.next = null;
        if (before == null) {
            first = node;
        } else {
            before.next = node;
        }
        last = node;
        size++;
    }

    public void remove(N node) {
        N before = node.previous;
        N after = node.next;
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
        node.previous = null;
        node.next = null;
        size--;
    }

    public void clear() {
        for (N node = first; node != null; ) {
            N after = node.next;
            node.previous = null;
            node.next = null;
            node = after;
        }
        first = null;
        last = null;
        size = 0;
    }
}
