package io.controllermanager.client.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that the API server may send, read and written again. */
class ValuesTest {

    /** A user's own class with fields that take anything. */
    private record Free(
            @Nullable Object any,
            @Nullable Map<String, Object> map,
            @Nullable List<Object> list,
            @Nullable Number number,
            @Nullable JsonElement element) {}

    private record Typed(
            @Nullable Long whole,
            @Nullable BigInteger big,
            @Nullable BigDecimal decimal,
            @Nullable LocalDate day,
            @Nullable Date date,
            @Nullable OffsetDateTime time,
            @Nullable UUID id,
            @Nullable IntOrString port,
            @Nullable Quantity size,
            byte @Nullable [] bytes) {}

    private static <T> T read(String json, Class<T> type) throws IOException {
        return ApiJson.read(json.getBytes(StandardCharsets.UTF_8), ApiJson.adapter(type));
    }

    private static String write(Object object) {
        return new String(ApiJson.write(object), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "3",
                "0",
                "-7",
                "9007199254740993",
                "-9007199254740993",
                "9223372036854775807",
                "-9223372036854775808",
                "9223372036854775808",
                "18446744073709551615",
                "123456789012345678901234567890",
                "0.1",
                "1.0",
                "-0.0",
                "2.5E-7",
                "1.2345678901234568E29"
            })
    void aNumberStaysToTheDigitInFieldsThatTakeAnything(String number) throws IOException {
        String nested = "{\"a\":" + number + ",\"b\":[" + number + ",{\"c\":" + number + "}]}";
        String json = "{\"any\":" + number + ",\"map\":" + nested + ",\"list\":[" + nested + "],\"number\":" + number
                + ",\"element\":" + nested + "}";

        Free read = read(json, Free.class);

        assertThat(read.any()).hasToString(number);
        assertThat(read.map()).hasToString("{a=" + number + ", b=[" + number + ", {c=" + number + "}]}");
        assertThat(write(read)).isEqualTo(json);
        assertThat(ApiJson.tree(read)).hasToString(json);
        assertThat(write(ApiJson.copy(read, Free.class))).isEqualTo(json);
        assertThat(ApiJson.copy(read, Free.class)).isEqualTo(read);
    }

    /** As wide as they must be, so that whoever casts them knows to what. */
    @ParameterizedTest
    @CsvSource({
        "3, java.lang.Long",
        "-0, java.lang.Long",
        "9223372036854775808, java.math.BigInteger",
        "1.0, java.lang.Double",
        "1e3, java.lang.Double",
        "1e400, java.math.BigDecimal"
    })
    void classesOfNumbers(String number, Class<?> expected) throws IOException {
        assertThat(read("{\"any\":" + number + "}", Free.class).any()).isExactlyInstanceOf(expected);
    }

    @Test
    void aNumberStaysInKubernetesOwnFieldsThatTakeAnything() throws IOException {
        String json = "{\"data\":{\"id\":9007199254740993},\"revision\":1}";

        assertThat(write(read(json, V1ControllerRevision.class))).isEqualTo(json);
    }

    @ParameterizedTest
    @CsvSource({"9007199254740993, 9007199254740993", "9007199254740993.0, 9007199254740993", "1e3, 1000"})
    void aWholeNumberIsReadExactlyHoweverItIsWritten(String text, long number) throws IOException {
        assertThat(read("{\"whole\":" + text + "}", Typed.class).whole()).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.5", "9223372036854775808", "9223372036854775807.5", "1e99"})
    void whatIsNoWholeNumberOf64BitsIsRefused(String text) {
        assertThatThrownBy(() -> read("{\"whole\":" + text + "}", Typed.class)).hasMessageContaining(text);
    }

    /** What a CRD is generated for can be read and written. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"whole\":1,\"big\":123456789012345678901234567890,\"decimal\":0.12345678901234567890}",
                "{\"day\":\"2028-02-29\"}",
                "{\"time\":\"2026-01-02T03:04:05Z\"}",
                "{\"time\":\"2026-01-02T03:04:05.123456789Z\"}",
                "{\"time\":\"2026-01-02T03:04:05.123456-18:00\"}",
                "{\"id\":\"123e4567-e89b-12d3-a456-426614174000\"}",
                "{\"port\":80}",
                "{\"port\":\"80\"}",
                "{\"bytes\":\"AP8=\"}"
            })
    void oneOfEachGoesRound(String json) throws IOException {
        assertThat(write(read(json, Typed.class))).isEqualTo(json);
    }

    @ParameterizedTest
    @CsvSource({
        "'{\"date\":\"2026-01-02T03:04:05Z\"}', '{\"date\":\"2026-01-02T03:04:05.000Z\"}'",
        "'{\"bytes\":\"AP8\\n=\"}', '{\"bytes\":\"AP8=\"}'",
        "'{\"bytes\":\"_-8=\"}', '{\"bytes\":\"/+8=\"}'",
        "'{\"time\":\"2026-01-02t03:04:05z\"}', '{\"time\":\"2026-01-02T03:04:05Z\"}'",
        "'{\"time\":null,\"day\":null,\"date\":null,\"port\":null,\"size\":null,\"bytes\":null,\"id\":null}', {}",
        "'{\"unknown\":{\"deep\":[1e400]},\"whole\":1}', '{\"whole\":1}'"
    })
    void otherFormsBecomeTheUsualOne(String json, String written) throws IOException {
        assertThat(write(read(json, Typed.class))).isEqualTo(written);
    }

    /** In the API server's form, which Go's {@code resource.Quantity} gives. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "1",
                "500m",
                "1n",
                "100u",
                "1500",
                "64k",
                "12M",
                "1G",
                "2T",
                "3P",
                "4E",
                "7E",
                "-1",
                "1Ki",
                "1023",
                "100Ki",
                "1536Mi",
                "1Gi",
                "1Ti",
                "1Pi",
                "1023Pi",
                "1Ei",
                "3Ei",
                "7Ei",
                "-2Ei",
                "107374182400m",
                "1e3",
                "12e6",
                "1e-9",
                "2500e-6",
                "9223372036854775807",
                "1152921504606846977",
                "123456789123456789"
            })
    void aQuantityGoesRound(String text) throws IOException {
        String json = "{\"limits\":{\"a\":\"" + text + "\"}}";

        V1ResourceRequirements read = read(json, V1ResourceRequirements.class);

        assertThat(write(read)).isEqualTo(json);
        assertThat(write(ApiJson.copy(read, V1ResourceRequirements.class))).isEqualTo(json);
        assertThat(read.getLimits()).containsEntry("a", new Quantity(text));
    }

    @ParameterizedTest
    @CsvSource({
        "1000m, 1",
        "0.5Gi, 512Mi",
        "1.5Ei, 1536Pi",
        "1024Pi, 1Ei",
        "2048Ei, 2048Ei",
        "0.1Ki, 102400m",
        "+1, 1",
        ".5, 500m",
        "5., 5",
        "1E3, 1e3",
        "1000E, 1e21",
        "0.0000000001, 100e-12",
        "0.0000000000000000001, 100e-21",
        "1e400, 10e399",
        "-0, 0",
        "0Ki, 0"
    })
    void aQuantityIsWrittenWhateverItsSize(String text, String written) throws IOException {
        assertThat(write(read("{\"size\":\"" + text + "\"}", Typed.class))).isEqualTo("{\"size\":\"" + written + "\"}");
    }

    @Test
    void aQuantityMayBeANumber() throws IOException {
        assertThat(write(read("{\"size\":0.5}", Typed.class))).isEqualTo("{\"size\":\"500m\"}");
        assertThat(write(new V1ResourceRequirements()
                        .putLimitsItem("a", new Quantity(new BigDecimal("1E+3"), Quantity.Format.BINARY_SI))))
                .isEqualTo("{\"limits\":{\"a\":\"1000\"}}");
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1000m, true",
        "512Mi, 0.5Gi, true",
        "1n, 0.0000000001, true",
        "-1n, -0.1n, true",
        "2n, 1.1n, true",
        "9223372036854775807, 8Ei, true",
        "1Ei, 1152921504606846976, true",
        "1Ei, 1152921504606847000, false",
        "1n, 2n, false",
        "7Ei, 8Ei, false"
    })
    void comparesQuantitiesAsTheApiServerStoresThem(String stored, String sent, boolean same) {
        assertThat(QuantityAdapter.areSame(stored, sent, 9)).isEqualTo(same);
    }

    /** client-java's object is a wrapper around a tree; what goes over the wire is the tree. */
    @Test
    void objectsWithoutAClassAreTheirJson() throws IOException {
        String json = "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"id\":9007199254740993,\"nothing\":null}}";

        DynamicKubernetesObject read = read(json, DynamicKubernetesObject.class);

        assertThat(read.getMetadata().getName()).isEqualTo("a");
        assertThat(write(read)).isEqualTo(json);
        assertThat(write(ApiJson.copy(read, DynamicKubernetesObject.class))).isEqualTo(json);
        assertThat(write(
                        new DynamicKubernetesObject(JsonParser.parseString(json).getAsJsonObject())))
                .isEqualTo(json);
        assertThat(ApiJson.tree(read)).hasToString(json.replace(",\"nothing\":null", ""));
    }
}
