package io.controllermanager.workqueue.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Ready keys of which each flow (a namespace, for example) has its own line; the lines are served in turn, one key each.
 * A flow that has just got its first key comes last. Whoever adds a million keys therefore waits for them himself, and a
 * flow of few keys waits for at most one key of each other flow. A flow without keys is nowhere remembered. Guarded by
 * the queue's lock.
 */
final class FairLine<K> implements Line<K> {

    /** A map that has held more flows than this is replaced once it is empty: its table does not shrink by itself. */
    private static final int ORDINARY_SIZE = 1024;

    private Map<Object, Flow<K>> flows = new HashMap<>();
    private int mostFlows;
    private final Chain<Flow<K>> turns = new Chain<>();
    private int size;

    @Override
    public int size() {
        return size;
    }

    @Override
    public @Nullable Entry<K> first() {
        Flow<K> next = turns.first();
        return next == null ? null : next.entries.first();
    }

    @Override
    public void addLast(Entry<K> entry) {
        Flow<K> flow = flows.get(entry.flow);
        if (flow == null) {
            flow = new Flow<>(entry.flow);
            flows.put(entry.flow, flow);
            mostFlows = Math.max(mostFlows, flows.size());
            turns.addLast(flow);
        }
        flow.entries.addLast(entry);
        size++;
    }

    @Override
    public void take(Entry<K> entry) {
        remove(entry);
        Flow<K> served = turns.first();
        // If that was its flow's last key, the flow is gone and the next one has its turn already.
        if (served != null && served.key.equals(entry.flow)) {
            turns.remove(served);
            turns.addLast(served);
        }
    }

    @Override
    public void remove(Entry<K> entry) {
        Flow<K> flow = flows.get(entry.flow);
        if (flow == null) {
            throw new IllegalStateException("no key of the flow " + entry.flow + " is in this line");
        }
        flow.entries.remove(entry);
        size--;
        if (flow.entries.size() == 0) {
            turns.remove(flow);
            flows.remove(flow.key);
            if (flows.isEmpty() && mostFlows > ORDINARY_SIZE) {
                flows = new HashMap<>();
                mostFlows = 0;
            }
        }
    }

    @Override
    public void clear() {
        flows.values().forEach(flow -> flow.entries.clear());
        flows = new HashMap<>();
        mostFlows = 0;
        turns.clear();
        size = 0;
    }

    /** How many flows have keys here. */
    int flows() {
        return flows.size();
    }

    /** Tells of the flows in the order of their turns, and of how many keys each has, up to a number of flows. */
    void forEachFlow(int limit, ObjIntConsumer<Object> action) {
        int count = 0;
        for (Flow<K> flow = turns.first(); flow != null && count < limit; flow = flow.next, count++) {
            action.accept(flow.key, flow.entries.size());
        }
    }

    /** The ready keys of one flow. */
    private static final class Flow<K> extends Chain.Node<Flow<K>> {
        private final Object key;
        private final EntryList<K> entries = new EntryList<>();

        Flow(Object key) {
            this.key = key;
        }
    }
}
