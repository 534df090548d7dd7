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
    private @Nullable Flow<K> first;
    private @Nullable Flow<K> last;
    private int size;

    @Override
    public int size() {
        return size;
    }

    @Override
    public @Nullable Entry<K> first() {
        return first == null ? null : first.entries.first();
    }

    @Override
    public void addLast(Entry<K> entry) {
        Flow<K> flow = flows.get(entry.flow);
        if (flow == null) {
            flow = new Flow<>(entry.flow);
            flows.put(entry.flow, flow);
            mostFlows = Math.max(mostFlows, flows.size());
            append(flow);
        }
        flow.entries.addLast(entry);
        size++;
    }

    @Override
    public void take(Entry<K> entry) {
        remove(entry);
        Flow<K> served = first;
        // If that was its flow's last key, the flow is gone and the next one has its turn already.
        if (served != null && served.key.equals(entry.flow)) {
            unlink(served);
            append(served);
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
            unlink(flow);
            flows.remove(flow.key);
            if (flows.isEmpty() && mostFlows > ORDINARY_SIZE) {
                flows = new HashMap<>();
                mostFlows = 0;
            }
        }
    }

    @Override
    public void clear() {
        for (Flow<K> flow = first; flow != null; flow = flow.next) {
            flow.entries.clear();
        }
        flows = new HashMap<>();
        mostFlows = 0;
        first = null;
        last = null;
        size = 0;
    }

    /** How many flows have keys here. */
    int flows() {
        return flows.size();
    }

    /** Tells of the flows in the order of their turns, and of how many keys each has, up to a number of flows. */
    void forEachFlow(int limit, ObjIntConsumer<Object> action) {
        int count = 0;
        for (Flow<K> flow = first; flow != null && count < limit; flow = flow.next, count++) {
            action.accept(flow.key, flow.entries.size());
        }
    }

    private void append(Flow<K> flow) {
        Flow<K> before = last;
        flow.previous = before;
        flow.next = null;
        if (before == null) {
            first = flow;
        } else {
            before.next = flow;
        }
        last = flow;
    }

    private void unlink(Flow<K> flow) {
        Flow<K> before = flow.previous;
        Flow<K> after = flow.next;
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
    }

    /** The ready keys of one flow, with its neighbours in the order of turns. */
    private static final class Flow<K> {
        private final Object key;
        private final EntryList<K> entries = new EntryList<>();
        private @Nullable Flow<K> previous;
        private @Nullable Flow<K> next;

        Flow(Object key) {
            this.key = key;
        }
    }
}
