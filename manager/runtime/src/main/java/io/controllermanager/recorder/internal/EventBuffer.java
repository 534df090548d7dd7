package io.controllermanager.recorder.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * How many Events wait, and how many requests may be under way because of that: one, so that Events take little from
 * reconciles, or as many as there are lanes while there is a backlog or no time. Safe for use by several threads.
 */
final class EventBuffer {

    private final int capacity;
    private final int backlog;
    private final int mostRequests;

    @GuardedBy("this")
    private int waiting;

    @GuardedBy("this")
    private int requests;

    @GuardedBy("this")
    private boolean hurried;

    /**
     * Makes an empty buffer.
     *
     * @param capacity how many Events may wait
     * @param backlog from how many on there is to be more than one request at a time
     * @param mostRequests how many there may be then
     */
    EventBuffer(int capacity, int backlog, int mostRequests) {
        this.capacity = capacity;
        this.backlog = backlog;
        this.mostRequests = mostRequests;
    }

    /** Takes a place for an Event that is going to wait; returns false if there is none. */
    synchronized boolean reserve() {
        if (waiting >= capacity) {
            return false;
        }
        if (++waiting == backlog) {
            notifyAll();
        }
        return true;
    }

    /** Gives the places of Events back that wait no more. */
    synchronized void release(int events) {
        waiting -= events;
    }

    /** Waits until a request may be sent. */
    synchronized void beginRequest() throws InterruptedException {
        while (requests >= (hurried || waiting >= backlog ? mostRequests : 1)) {
            wait();
        }
        requests++;
        // With a backlog one more may go at once.
        notifyAll();
    }

    /** The request has been answered or given up. */
    synchronized void endRequest() {
        requests--;
        notifyAll();
    }

    /** From now on there is no time to lose. */
    synchronized void hurry() {
        hurried = true;
        notifyAll();
    }
}
