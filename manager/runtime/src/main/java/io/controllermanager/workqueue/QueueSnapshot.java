package io.controllermanager.workqueue;

import java.time.Duration;
import java.util.Map;

/**
 * What was in a queue at one moment.
 *
 * @param <K> the keys
 * @param depthByPriority ready keys by their priority
 * @param delayed delayed keys and how long until each is ready
 * @param processing keys with a worker and for how long
 * @param retries keys that have failed and how often
 */
public record QueueSnapshot<K>(
        Map<Integer, Integer> depthByPriority,
        Map<K, Duration> delayed,
        Map<K, Duration> processing,
        Map<K, Integer> retries) {

    public QueueSnapshot {
        depthByPriority = Map.copyOf(depthByPriority);
        delayed = Map.copyOf(delayed);
        processing = Map.copyOf(processing);
        retries = Map.copyOf(retries);
    }
}
