package io.controllermanager.informer.internal.reflector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonParser;
import io.controllermanager.client.internal.json.ApiJson;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("SampledSizeTest")
class SampledSizeTest {

    private static V1ConfigMap ofSize(int characters) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace("n").name("a"))
                .data(Map.of("value", "x".repeat(characters)));
    }

    private static void assertEstimated(int count, double percent, IntUnaryOperator characters) {
        SampledSize size = new SampledSize();
        Map<Integer, Integer> lengths = new HashMap<>();
        double bytes = 0;
        for (int i = 0; i < count; i++) {
            V1ConfigMap object = ofSize(characters.applyAsInt(i));
            bytes += lengths.computeIfAbsent(characters.applyAsInt(i), many -> ApiJson.write(object).length);
            size.add(object);
        }
        assertThat(SampledSize.average(List.of(size))).isCloseTo(bytes / count, Percentage.withPercentage(percent));
    }

    @Test
    void isExactForFew() {
        assertEstimated(2, 0.001, i -> i == 0 ? 10 : 100_000);
        assertEstimated(100, 0.001, i -> i * i);
    }

    @Test
    void isCloseForManyOfMixedSizes() {
        int[] sizes = {100, 1_300, 5_000};
        Random random = new Random(7);
        int[] mixed = IntStream.range(0, 10_000)
                .map(i -> sizes[random.nextInt(sizes.length)])
                .toArray();
        assertEstimated(mixed.length, 20, i -> mixed[i]);
        // In order, as where each namespace holds objects of a kind.
        assertEstimated(9_000, 20, i -> sizes[i / 3_000]);
    }

    @Test
    void isNotDeceivedByAnOrder() {
        assertEstimated(20_000, 20, i -> i % 64 < 32 ? 100 : 4_000);
        assertEstimated(20_000, 20, i -> i % 2 == 0 ? 100 : 4_000);
    }

    @Test
    void measuresAnObjectWithoutAClassByItsJsonAlone() {
        V1ConfigMap object = ofSize(1_000);
        SampledSize size = new SampledSize();
        size.add(new DynamicKubernetesObject(
                JsonParser.parseString(new String(ApiJson.write(object), StandardCharsets.UTF_8))
                        .getAsJsonObject()));
        assertThat(SampledSize.average(List.of(size))).isCloseTo(ApiJson.write(object).length, within(0.1));
    }

    @Test
    void weighsSeveralByWhatTheyHold() {
        SampledSize many = new SampledSize();
        SampledSize few = new SampledSize();
        IntStream.range(0, 99).forEach(i -> many.add(ofSize(100)));
        few.add(ofSize(10_000));

        assertThat(SampledSize.average(List.of(many, few, new SampledSize())))
                .isCloseTo(
                        (99 * ApiJson.write(ofSize(100)).length + ApiJson.write(ofSize(10_000)).length) / 100.0,
                        within(0.1));
        assertThat(SampledSize.average(List.of())).isZero();
    }
}
