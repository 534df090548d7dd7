package peer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import kotlinx.collections.immutable.ExtensionsKt;
import org.pcollections.HashPMap;
import org.pcollections.HashTreePMap;

/** The store's map, kotlinx's, beside those of other libraries, one contender a JVM: nanoseconds, and bytes an entry. */
public final class Maps {

    private static final int ENTRIES = 50_000;
    private static Object kept = "";

    private Maps() {}

    private interface Contender {
        void fill(Map<String, Object> from);

        Object get(String key);

        void with(String key, Object value);

        void without(String key);

        List<Object> values();
    }

    private static final class Kotlinx implements Contender {
        private kotlinx.collections.immutable.PersistentMap<String, Object> map = ExtensionsKt.persistentHashMapOf();

        @Override
        public void fill(Map<String, Object> from) {
            var filling = ExtensionsKt.<String, Object>persistentHashMapOf().builder();
            filling.putAll(from);
            map = filling.build();
        }

        @Override
        public Object get(String key) {
            return map.get(key);
        }

        @Override
        public void with(String key, Object value) {
            map = map.put(key, value);
        }

        @Override
        public void without(String key) {
            map = map.remove(key);
        }

        @Override
        public List<Object> values() {
            return new ArrayList<>(map.values());
        }
    }

    private static final class Vavr implements Contender {
        private io.vavr.collection.HashMap<String, Object> map = io.vavr.collection.HashMap.empty();

        @Override
        public void fill(Map<String, Object> from) {
            map = io.vavr.collection.HashMap.ofAll(from);
        }

        @Override
        public Object get(String key) {
            return map.getOrElse(key, null);
        }

        @Override
        public void with(String key, Object value) {
            map = map.put(key, value);
        }

        @Override
        public void without(String key) {
            map = map.remove(key);
        }

        @Override
        public List<Object> values() {
            List<Object> values = new ArrayList<>(map.size());
            map.forEach((key, value) -> values.add(value));
            return values;
        }
    }

    private static final class Pcollections implements Contender {
        private HashPMap<String, Object> map = HashTreePMap.empty();

        @Override
        public void fill(Map<String, Object> from) {
            map = HashTreePMap.from(from);
        }

        @Override
        public Object get(String key) {
            return map.get(key);
        }

        @Override
        public void with(String key, Object value) {
            map = map.plus(key, value);
        }

        @Override
        public void without(String key) {
            map = map.minus(key);
        }

        @Override
        public List<Object> values() {
            return new ArrayList<>(map.values());
        }
    }

    public static void main(String[] args) {
        Contender map =
                switch (args[0]) {
                    case "kotlinx" -> new Kotlinx();
                    case "vavr" -> new Vavr();
                    case "pcollections" -> new Pcollections();
                    default -> throw new IllegalArgumentException(args[0]);
                };
        Map<String, Object> from = new HashMap<>();
        Object[] values = new Object[ENTRIES];
        String[] keys = new String[ENTRIES];
        String[] asked = new String[ENTRIES];
        Random random = new Random(1);
        for (int i = 0; i < ENTRIES; i++) {
            keys[i] = "namespace-" + i % 50 + "/deployment-" + i;
            values[i] = new Object();
            from.put(keys[i], values[i]);
        }
        for (int i = 0; i < ENTRIES; i++) {
            asked[i] = new String(keys[random.nextInt(ENTRIES)]);
            asked[i].hashCode();
        }
        used(); // its own first objects
        long before = used();
        map.fill(from);
        long bytes = used() - before;
        double fill = nanos(1, i -> {
            map.fill(from);
            return i;
        });
        double get = nanos(ENTRIES, i -> map.get(asked[i]) == null ? 0 : 1);
        double with = nanos(ENTRIES, i -> {
            map.with(asked[i], values[i]);
            return i;
        });
        double outAndIn = nanos(ENTRIES, i -> {
            map.without(asked[i]);
            map.with(asked[i], values[i]);
            return i;
        });
        double list = nanos(1, i -> {
            kept = map.values();
            return i;
        });
        System.out.printf(
                Locale.ROOT,
                "%-12s\t%.1f\t%.0f\t%.0f\t%.0f\t%.0f\t%.1f%n",
                args[0],
                (double) bytes / ENTRIES,
                fill / ENTRIES,
                get,
                with,
                outAndIn,
                list / ENTRIES);
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** The least of seven times of a call, after a second of warming up. */
    private static double nanos(int calls, IntUnaryOperator call) {
        double least = Double.MAX_VALUE;
        long start = System.nanoTime();
        for (int round = 0; round < 7 || System.nanoTime() - start < 1_500_000_000L; round++) {
            long begin = Cpu.ofThread();
            int sum = 0;
            for (int i = 0; i < calls; i++) {
                sum += call.applyAsInt(i);
            }
            least = Math.min(least, (double) (Cpu.ofThread() - begin) / calls);
            kept = sum == 7 ? "" : kept;
        }
        return least;
    }
}
