package io.controllermanager.spring.actuate.endpoint;

import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.workqueue.internal.QueueSnapshot;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is in a controller's queue; of long lists the first hundred.
 *
 * @param depthByPriority how many keys are ready, by priority, the highest first
 * @param depthByNamespace how many keys are ready, by namespace, the most first; empty unless namespaces take turns
 * @param processingKeys how many keys are being reconciled
 * @param processing those of them that take longest
 * @param delayedKeys how many keys wait for their time
 * @param delayed those of them that come next
 * @param retriedKeys how many keys have failed since they last succeeded
 * @param retries those of them that failed most often
 */
public record QueueDescriptor(
        Map<Integer, Integer> depthByPriority,
        Map<String, Integer> depthByNamespace,
        int processingKeys,
        List<TimedKey> processing,
        int delayedKeys,
        List<TimedKey> delayed,
        int retriedKeys,
        List<CountedKey> retries) {

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
        Map<String, Integer> depthByNamespace = new LinkedHashMap<>();
        queue.depthByFlow()
                .forEach((namespace, depth) ->
                        depthByNamespace.put(namespace == null ? "" : namespace.toString(), depth));
        return new QueueDescriptor(
                queue.depthByPriority(),
                depthByNamespace,
                queue.processingKeys(),
                timed(queue.processing()),
                queue.delayedKeys(),
                timed(queue.delayed()),
                queue.retriedKeys(),
                queue.retries().entrySet().stream()
                        .map(entry -> new CountedKey(Keys.shown(entry.getKey()), entry.getValue()))
                        .toList());
    }

    private static List<TimedKey> timed(Map<Request, Duration> keys) {
        return keys.entrySet().stream()
                .map(entry -> new TimedKey(
                        Keys.shown(entry.getKey()), entry.getValue().toMillis() / 1000.0))
                .toList();
    }
}
