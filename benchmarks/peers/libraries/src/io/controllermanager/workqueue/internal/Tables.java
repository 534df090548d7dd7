package io.controllermanager.workqueue.internal;

import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import peer.Cpu;

/** The queue's table of entries beside java.util.HashMap, one contender a JVM: nanoseconds, and bytes a key. */
public final class Tables {

    private static Object kept;

    private Tables() {}

    private interface Contender {
        Entry<Request> getOrAdd(Request key);

        Entry<Request> get(Request key);

        void remove(Entry<Request> entry);
    }

    private static final class Ours implements Contender {
        private final EntryTable<Request> table = new EntryTable<>(key -> "");

        @Override
        public Entry<Request> getOrAdd(Request key) {
            return table.getOrAdd(key, EntryTable.hash(key));
        }

        @Override
        public Entry<Request> get(Request key) {
            return table.get(key, EntryTable.hash(key));
        }

        @Override
        public void remove(Entry<Request> entry) {
            table.remove(entry);
        }
    }

    private static final class Jdk implements Contender {
        private final Map<Request, Entry<Request>> table = new HashMap<>();

        @Override
        public Entry<Request> getOrAdd(Request key) {
            return table.computeIfAbsent(key, k -> new Entry<>(k, 0, ""));
        }

        @Override
        public Entry<Request> get(Request key) {
            return table.get(key);
        }

        @Override
        public void remove(Entry<Request> entry) {
            table.remove(entry.key);
        }
    }

    public static void main(String[] args) {
        Contender table = args[0].equals("ours") ? new Ours() : new Jdk();
        int count = Integer.parseInt(args[1]);
        Request[] keys = new Request[count];
        for (int i = 0; i < count; i++) {
            keys[i] = new Request("namespace-" + i % 50, "deployment-" + i);
        }
        used(); // its own first objects
        long before = used();
        for (Request key : keys) {
            table.getOrAdd(key);
        }
        double bytes = (double) (used() - before) / count;
        for (Request key : keys) {
            table.remove(table.get(key));
        }
        double left = (double) (used() - before);
        double least = Double.MAX_VALUE;
        long start = System.nanoTime();
        for (int round = 0; round < 10 || System.nanoTime() - start < 3e9; round++) {
            long begin = Cpu.ofThread();
            // As the queue does for a key: add, a second add, the key taken and done.
            for (Request key : keys) {
                table.getOrAdd(key);
            }
            for (Request key : keys) {
                kept = table.getOrAdd(key);
            }
            for (Request key : keys) {
                table.remove(table.get(key));
            }
            least = Math.min(least, (double) (Cpu.ofThread() - begin) / count);
        }
        System.out.printf(
                Locale.ROOT, "%s\t%d keys\t%.0f bytes a key\t%.0f bytes left when empty\t%.0f ns a key%n",
                args[0], count, bytes, left, least);
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
