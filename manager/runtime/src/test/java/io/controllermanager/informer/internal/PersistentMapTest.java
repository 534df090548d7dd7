package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PersistentMapTest {

    /** Few of them, and many with the same hash: "Aa" and "BB" have one, and so has every row of these. */
    private static List<String> keys() {
        List<String> keys = new ArrayList<>();
        for (int bits = 0; bits < 16; bits++) {
            StringBuilder key = new StringBuilder();
            for (int i = 0; i < 4; i++) {
                key.append((bits >> i & 1) == 0 ? "Aa" : "BB");
            }
            keys.add(key.toString());
            keys.add("n/" + bits);
            keys.add("some-namespace/name-" + bits * 7919);
        }
        return keys;
    }

    private static Map<String, Integer> contents(PersistentMap<Integer> map) {
        Map<String, Integer> contents = new HashMap<>();
        map.forEach((key, value) -> assertThat(contents.put(key, value)).isNull());
        return contents;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void isAsAHashMapIsAndOldOnesStay(long seed) {
        Random random = new Random(seed);
        List<String> keys = keys();
        Map<String, Integer> model = new HashMap<>();
        PersistentMap<Integer> map = PersistentMap.empty();
        List<PersistentMap<Integer>> olds = new ArrayList<>();
        List<Map<String, Integer>> oldModels = new ArrayList<>();
        for (int i = 0; i < 4_000; i++) {
            String key = keys.get(random.nextInt(keys.size()));
            // Grows and shrinks in turn, so that it is empty at times.
            if (random.nextInt(100) < (i / 400 % 2 == 0 ? 70 : 20)) {
                model.put(key, i);
                map = map.with(key, i);
            } else {
                model.remove(key);
                map = map.without(key);
            }
            assertThat(map.size()).isEqualTo(model.size());
            assertThat(map.get(key)).isEqualTo(model.get(key));
            if (i % 100 == 0) {
                assertThat(contents(map)).isEqualTo(model);
                assertThat(contents(PersistentMap.of(model))).isEqualTo(model);
                olds.add(map);
                oldModels.add(new HashMap<>(model));
            }
        }
        for (int i = 0; i < olds.size(); i++) {
            assertThat(contents(olds.get(i))).isEqualTo(oldModels.get(i));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 31, 1_000, 20_000})
    void isMadeAtOnceAsOneByOne(int size) {
        Map<String, Integer> from = new HashMap<>();
        for (int i = 0; i < size; i++) {
            from.put("namespace-" + i % 7 + "/name-" + i, i);
        }
        keys().stream().limit(size).forEach(key -> from.put(key, -1));

        PersistentMap<Integer> map = PersistentMap.of(from);

        assertThat(map.size()).isEqualTo(from.size());
        assertThat(contents(map)).isEqualTo(from);
        from.forEach((key, value) -> assertThat(map.get(key)).isEqualTo(value));
        PersistentMap<Integer> emptied = map;
        for (String key : from.keySet()) {
            emptied = emptied.without(key);
            assertThat(emptied.get(key)).isNull();
        }
        assertThat(emptied.isEmpty()).isTrue();
        assertThat(emptied.keys()).isEmpty();
    }

    @Test
    void doesNotHaveWhatWasNotPutIn() {
        PersistentMap<Integer> map =
                PersistentMap.<Integer>empty().with("AaAa", 1).with("BBBB", 2);

        assertThat(map.get("AaBB")).isNull();
        assertThat(map.without("AaBB")).isSameAs(map);
        assertThat(map.without("AaAa").get("BBBB")).isEqualTo(2);
    }
}
