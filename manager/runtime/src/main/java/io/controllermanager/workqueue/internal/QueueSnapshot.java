package io.controllermanager.workqueue.internal;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What was in a queue at one moment. Its maps are in the order in which an operator would read them, and hold no more
 * entries than were asked for; the numbers beside them count all.
 *
 * @param <K> the keys
 * @param depthByPriority ready keys by their priority, the highest first
 * @param flows how many flows have ready keys, counted at each priority; 0 for a queue without fairness
 * @param depthByFlow ready keys by their flow, the largest first; of more than 16,384 flows those whose turn comes next
 *     are looked at; empty for a queue without fairness
 * @param delayedKeys how many keys are delayed
 * @param delayed delayed keys and how long until each is ready, the first one first
 * @param processingKeys how many keys have a worker
 * @param processing keys with a worker and for how long, the longest first; a queue without meters does not note when a
 *     key was taken, and counts from the first snapshot that listed it
 * @param retriedKeys how many keys have failed and are not forgotten
 * @param retries keys that have failed and how often, most often first
 */
public record QueueSnapshot<K>(
        Map<Integer, Integer> depthByPriority,
        int flows,
        Map<Object, Integer> depthByFlow,
        int delayedKeys,
        Map<K, Duration> delayed,
        int processingKeys,
        Map<K, Duration> processing,
        int retriedKeys,
        Map<K, Integer> retries) {

    public QueueSnapshot {
        depthByPriority = inOrder(depthByPriority);
        depthByFlow = inOrder(depthByFlow);
        delayed = inOrder(delayed);
        processing = inOrder(processing);
        retries = inOrder(retries);
    }

    private static <A, B> Map<A, B> inOrder(Map<A, B> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }
}
