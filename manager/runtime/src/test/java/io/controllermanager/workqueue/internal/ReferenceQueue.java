package io.controllermanager.workqueue.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a work queue is to do, written for being plainly right rather than fast: lists that are searched from end to end,
 * for one thread, with a time that is a number. The random test holds the real queue against it.
 */
final class ReferenceQueue {

    private final int agingInterval;
    private final Function<Integer, Object> flows;
    private final List<Ready> ready = new ArrayList<>();

    /** The flows that have ready keys, by priority, the one whose turn is next first. */
    private final Map<Integer, List<Object>> turns = new HashMap<>();

    private final Map<Integer, Integer> dirtyWhileProcessing = new HashMap<>();
    private final Map<Integer, Taken> processing = new HashMap<>();
    private final Map<Integer, Delay> delays = new LinkedHashMap<>();
    private final Map<Integer, Integer> failures = new HashMap<>();
    private long now;
    private int passes;
    private int delayOrder;
    private boolean shutDown;

    /**
     * Begins without keys.
     *
     * @param flows a key's flow; with the same one for all keys, they come out in the order they went in
     */
    ReferenceQueue(int agingInterval, Function<Integer, Object> flows) {
        this.agingInterval = agingInterval;
        this.flows = flows;
    }

    private record Ready(int key, int priority) {}

    private record Taken(int priority, long at) {}

    /** A key's delays: when the plain ones and the retries end, if there are such. */
    private record Delay(
            int key,
            int order,
            int priority,
            @Nullable Long plain,
            @Nullable Long retry) {
        long due() {
            return Math.min(plain == null ? Long.MAX_VALUE : plain, retry == null ? Long.MAX_VALUE : retry);
        }
    }

    void add(int key, int priority) {
        if (!shutDown) {
            makeDirty(key, priority);
        }
    }

    private void makeDirty(int key, int priority) {
        if (processing.containsKey(key)) {
            dirtyWhileProcessing.merge(key, priority, Math::max);
            return;
        }
        for (Ready other : List.copyOf(ready)) {
            if (other.key == key) {
                if (priority > other.priority) {
                    remove(other);
                    append(new Ready(key, priority));
                }
                return;
            }
        }
        append(new Ready(key, priority));
    }

    private void append(Ready added) {
        ready.add(added);
        List<Object> line = turns.computeIfAbsent(added.priority, priority -> new ArrayList<>());
        if (!line.contains(flows.apply(added.key))) {
            line.add(flows.apply(added.key));
        }
    }

    private void remove(Ready removed) {
        ready.remove(removed);
        if (ofFlow(removed.priority, flows.apply(removed.key)).isEmpty()) {
            line(removed.priority).remove(flows.apply(removed.key));
        }
    }

    private List<Object> line(int priority) {
        return turns.getOrDefault(priority, new ArrayList<>());
    }

    private List<Ready> ofFlow(int priority, Object flow) {
        return ready.stream()
                .filter(r -> r.priority == priority && flows.apply(r.key).equals(flow))
                .toList();
    }

    void addAgain(int key) {
        add(key, priorityOf(key));
    }

    void addAfter(int key, long nanos) {
        if (nanos <= 0) {
            addAgain(key);
        } else {
            delay(key, now + nanos, false);
        }
    }

    void addRateLimited(int key) {
        int before = failures.merge(key, 1, Integer::sum) - 1;
        double nanos = Math.min(5e6 * Math.pow(2, before), 1000e9);
        delay(key, now + (long) nanos, true);
    }

    private void delay(int key, long due, boolean retry) {
        if (shutDown) {
            return;
        }
        Delay delay = delays.get(key);
        if (delay == null) {
            delay = new Delay(key, delayOrder++, priorityOf(key), null, null);
        }
        delays.put(
                key,
                new Delay(
                        key,
                        delay.order,
                        Math.max(delay.priority, priorityOf(key)),
                        retry ? delay.plain : earlier(delay.plain, due),
                        retry ? earlier(delay.retry, due) : delay.retry));
    }

    private static Long earlier(@Nullable Long one, long other) {
        return one == null ? other : Math.min(one, other);
    }

    void forget(int key) {
        failures.remove(key);
    }

    void renew(int key) {
        failures.remove(key);
        processing.computeIfPresent(key, (same, taken) -> new Taken(WorkQueue.NORMAL_PRIORITY, taken.at));
        Delay delay = delays.remove(key);
        if (delay == null) {
            return;
        }
        if (delay.plain != null) {
            delays.put(key, new Delay(key, delay.order, WorkQueue.NORMAL_PRIORITY, delay.plain, null));
        }
        if (delay.retry != null) {
            add(key, WorkQueue.NORMAL_PRIORITY);
        }
    }

    int take() {
        Ready next = next();
        remove(next);
        Object flow = flows.apply(next.key);
        if (line(next.priority).remove(flow)) {
            line(next.priority).add(flow);
        }
        processing.put(next.key, new Taken(next.priority, now));
        return next.key;
    }

    private Ready next() {
        int highest = ready.stream().mapToInt(Ready::priority).max().orElseThrow();
        List<Ready> others = ready.stream()
                .filter(r -> r.priority < highest && r.equals(nextOf(r.priority)))
                .toList();
        if (!others.isEmpty() && ++passes == agingInterval) {
            passes = 0;
            return others.get(0);
        }
        return nextOf(highest);
    }

    /** Of the flow whose turn it is the key that came first. */
    private Ready nextOf(int priority) {
        return ofFlow(priority, line(priority).get(0)).get(0);
    }

    void done(int key) {
        if (processing.remove(key) != null) {
            Integer priority = dirtyWhileProcessing.remove(key);
            if (priority != null) {
                makeDirty(key, priority);
            }
        }
    }

    /** No adds any more; what is ready can still be taken. */
    void shutDown() {
        shutDown = true;
        delays.clear();
    }

    void advance(Duration duration) {
        now += duration.toNanos();
        for (Delay delay : inOrder()) {
            if (delay.due() <= now) {
                delays.remove(delay.key);
                add(delay.key, delay.priority);
            }
        }
    }

    void retryNow() {
        for (Delay delay : inOrder()) {
            if (delay.retry != null) {
                if (delay.plain == null) {
                    delays.remove(delay.key);
                } else {
                    delays.put(delay.key, new Delay(delay.key, delay.order, delay.priority, delay.plain, null));
                }
                add(delay.key, delay.priority);
                failures.remove(delay.key);
            }
        }
    }

    private List<Delay> inOrder() {
        return delays.values().stream()
                .sorted(Comparator.comparing(Delay::due).thenComparing(Delay::order))
                .toList();
    }

    private int priorityOf(int key) {
        Taken taken = processing.get(key);
        return taken == null ? WorkQueue.NORMAL_PRIORITY : taken.priority;
    }

    int size() {
        return ready.size();
    }

    int delayed() {
        return delays.size();
    }

    List<Integer> processing() {
        return List.copyOf(processing.keySet());
    }

    QueueSnapshot<Integer> snapshot() {
        Map<Integer, Integer> depths = new HashMap<>();
        ready.forEach(r -> depths.merge(r.priority, 1, Integer::sum));
        Map<Integer, Duration> delayed = new HashMap<>();
        delays.forEach((key, delay) -> delayed.put(key, Duration.ofNanos(delay.due() - now)));
        Map<Integer, Duration> worked = new HashMap<>();
        processing.forEach((key, taken) -> worked.put(key, Duration.ofNanos(now - taken.at)));
        Map<Object, Integer> depthByFlow = new HashMap<>();
        ready.forEach(r -> depthByFlow.merge(flows.apply(r.key), 1, Integer::sum));
        int flowCount = turns.values().stream().mapToInt(List::size).sum();
        boolean fair = !flows.apply(1).equals(flows.apply(2));
        return new QueueSnapshot<>(
                depths,
                fair ? flowCount : 0,
                fair ? depthByFlow : Map.of(),
                delayed.size(),
                delayed,
                worked.size(),
                worked,
                failures.size(),
                failures);
    }
}
