package io.controllermanager.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.Default;
import io.controllermanager.types.Format;
import io.controllermanager.types.ListMapKeys;
import io.controllermanager.types.ObjectName;
import io.controllermanager.types.ValidationRule;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Condition;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RandomObjectsTest {

    private static final int MANY = 200;

    enum Soil {
        SAND,
        CLAY
    }

    record Plant(
            @Size(max = 10) @Pattern(regexp = "[a-z]+(-[a-z]+)*")
            String name,

            @Min(1) @Max(3) int count) {}

    @ValidationRule("self.least <= self.most")
    record Height(double least, double most) {}

    record Spec(
            @NotBlank @Size(max = 6) String plot,
            Soil soil,
            @Default("2") @Min(1) int beds,
            @Nullable Long seeds,
            @Nullable OffsetDateTime since,

            @Format("ipv4") @Nullable String sprinkler,

            @Nullable IntOrString share,
            @Nullable Height height,

            @Size(min = 1, max = 2) @Nullable Map<String, String> signs,

            @Nullable Set<Soil> soils,

            @ListMapKeys("name") @Nullable List<Plant> plants) {}

    record Status(@Nullable List<V1Condition> conditions) {}

    @CustomResource(group = "example.com", version = "v1")
    @ObjectName(maxLength = 5, pattern = "[a-z]+")
    static final class Garden extends CustomObject<Spec, Status> {}

    record Never(
            @ValidationRule("self == 'a' && self == 'b'") String text) {}

    @CustomResource(group = "example.com", version = "v1")
    static final class Impossible extends CustomObject<Never, Void> {}

    private static final List<Garden> GARDENS = gardens(1);

    private static List<Garden> gardens(long seed) {
        RandomObjects<Garden> random = RandomObjects.of(Garden.class, seed);
        return Stream.generate(random::next).limit(MANY).toList();
    }

    private static Arguments varied(String what, Function<Spec, Object> field) {
        return Arguments.of(what, field);
    }

    static Stream<Arguments> fields() {
        return Stream.of(
                varied("text", Spec::plot),
                varied("enum", Spec::soil),
                varied("whole number", Spec::beds),
                varied("long number", Spec::seeds),
                varied("time", Spec::since),
                varied("format", Spec::sprinkler),
                varied("number or text", Spec::share),
                varied("rule", Spec::height),
                varied("map", Spec::signs),
                varied("set", Spec::soils),
                varied("list", Spec::plants));
    }

    @ParameterizedTest
    @MethodSource("fields")
    void fieldsVary(String what, Function<Spec, Object> field) {
        assertThat(GARDENS.stream().map(Garden::spec).map(field).distinct()).hasSizeGreaterThan(1);
    }

    static Stream<Arguments> limits() {
        Predicate<Garden> named = garden -> garden.name().matches("[a-z]{1,5}");
        Predicate<Garden> sized = garden ->
                garden.spec().plot().codePointCount(0, garden.spec().plot().length()) <= 6;
        Predicate<Garden> bounded = garden -> garden.spec().beds() >= 1;
        Predicate<Garden> counted =
                garden -> garden.spec().signs() == null || garden.spec().signs().size() <= 2;
        Predicate<Garden> ruled = garden -> garden.spec().height() == null
                || garden.spec().height().least() <= garden.spec().height().most();
        Predicate<Garden> keyed = garden -> garden.spec().plants() == null
                || garden.spec().plants().stream().map(Plant::name).distinct().count()
                        == garden.spec().plants().size();
        Predicate<Garden> patterned = garden -> garden.spec().plants() == null
                || garden.spec().plants().stream()
                        .allMatch(plant -> plant.name().matches("(?=.{1,10}$)[a-z]+(-[a-z]+)*"));
        return Stream.of(
                Arguments.of("name", named),
                Arguments.of("length", sized),
                Arguments.of("bound", bounded),
                Arguments.of("count", counted),
                Arguments.of("rule in CEL", ruled),
                Arguments.of("key", keyed),
                Arguments.of("pattern", patterned));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void limitsAreKept(String what, Predicate<Garden> limit) {
        assertThat(GARDENS).allMatch(limit);
    }

    @Test
    void theSameSeedGivesTheSameObjects() {
        assertThat(gardens(1)).isEqualTo(GARDENS).isNotEqualTo(gardens(2));
    }

    @Test
    void whatNoObjectMeetsIsTold() {
        assertThatThrownBy(() -> RandomObjects.of(Impossible.class, 1).next())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("1000 random objects of impossibles.example.com/v1 are refused, the last for [")
                .hasMessageContaining("self == 'a' && self == 'b'");
    }
}
