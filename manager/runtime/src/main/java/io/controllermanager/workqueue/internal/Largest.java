package io.controllermanager.workqueue.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PriorityQueue;

/** Keeps those entries of a stream that have the largest numbers, in memory for no more than those. */
final class Largest<T> {

    private final int limit;
    private final PriorityQueue<Numbered<T>> kept = new PriorityQueue<>();

    private record Numbered<T>(T item, int number) implements Comparable<Numbered<T>> {
        @Override
        public int compareTo(Numbered<T> other) {
            return Integer.compare(number, other.number);
        }
    }

    Largest(int limit) {
        this.limit = limit;
    }

    void offer(T item, int number) {
        if (kept.size() < limit) {
            kept.add(new Numbered<>(item, number));
            return;
        }
        Numbered<T> least = kept.peek();
        if (least != null && number > least.number) {
            kept.poll();
            kept.add(new Numbered<>(item, number));
        }
    }

    /** What was kept, the largest numbers first. */
    Map<T, Integer> descending() {
        Map<T, Integer> descending = new LinkedHashMap<>();
        kept.stream().sorted((one, other) -> other.compareTo(one)).forEach(n -> descending.put(n.item, n.number));
        return descending;
    }
}
