package io.controllermanager.spring.actuate.endpoint;

import io.controllermanager.workqueue.QueueSnapshot;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is in a controller's queue; of long lists the first hundred.
 *
 * @param depthByPriority how many keys are ready, by priority, the highest first
 * @param processing keys being reconciled, those first that take longest
 * @param delayedKeys how many keys wait for their time
 * @param delayed those of them that come next
 * @param failing how many keys have failed since they last succeeded
 * @param retries those of them that failed most often
 */
public record QueueDescriptor(
        Map<Integer, Integer> depthByPriority,
        List<TimedKey> processing,
        int delayedKeys,
        List<TimedKey> delayed,
        int failing,
        List<CountedKey> retries) {

    private static final int LONGEST = 100;

    /**
     * A key and a time.
     *
     * @param key {@code namespace/name}, or just the name
     * @param seconds how long it has been reconciled, or is still to wait
     */
    public record TimedKey(String key, double seconds) {}

    /**
     * A key and a number.
     *
     * @param key {@code namespace/name}, or just the name
     * @param failures how often it has failed
     */
    public record CountedKey(String key, int failures) {}

    static QueueDescriptor of(QueueSnapshot<Request> queue) {
        Map<Integer, Integer> depth = new TreeMap<>(Comparator.reverseOrder());
        depth.putAll(queue.depthByPriority());
        return new QueueDescriptor(
                depth,
                timed(
                        queue.processing(),
                        Comparator.comparingDouble(TimedKey::seconds).reversed()),
                queue.delayed().size(),
                timed(queue.delayed(), Comparator.comparingDouble(TimedKey::seconds)),
                queue.retries().size(),
                queue.retries().entrySet().stream()
                        .map(entry -> new CountedKey(key(entry.getKey()), entry.getValue()))
                        .sorted(Comparator.comparingInt(CountedKey::failures).reversed())
                        .limit(LONGEST)
                        .toList());
    }

    private static List<TimedKey> timed(Map<Request, Duration> keys, Comparator<TimedKey> order) {
        return keys.entrySet().stream()
                .map(entry -> new TimedKey(key(entry.getKey()), entry.getValue().toMillis() / 1000.0))
                .sorted(order)
                .limit(LONGEST)
                .toList();
    }

    private static String key(Request request) {
        return request.getNamespace() == null ? request.getName() : request.getNamespace() + "/" + request.getName();
    }
}
