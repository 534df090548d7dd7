package io.controllermanager.crd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.gson.annotations.SerializedName;
import io.controllermanager.types.Atomic;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.Default;
import io.controllermanager.types.Format;
import io.controllermanager.types.ListMapKeys;
import io.controllermanager.types.ObjectName;
import io.controllermanager.types.PrinterColumn;
import io.controllermanager.types.Scale;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import jakarta.validation.constraints.Future;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What no schema can say is refused by one sentence that names the field. */
class RefusedTypesTest {

    record Node(String name, @Nullable List<Node> children) {}

    record Item(@Nullable String name, String value) {}

    enum Mode {
        A,
        B
    }

    record Recursive(Node node) {}

    record RecursiveModel(V1JSONSchemaProps schema) {}

    record LookAround(@Pattern(regexp = "(?!a).*") String host) {}

    record NumberOfText(@Min(1) String host) {}

    record SizeOfObject(@Size(max = 1) Item item) {}

    record NotASchema(@Future OffsetDateTime until) {}

    record OfTheJdk(Map<String, List<Duration>> timeouts) {}

    record Dynamic(List<DynamicKubernetesObject> manifests) {}

    record AnInterface(Comparable<String> order) {}

    record RawList(@SuppressWarnings("rawtypes") List list) {}

    record AnInstant(Instant since) {}

    record UnknownFormat(@Format("ip") String address) {}

    record FormatOfNumber(@Format("duration") int seconds) {}

    record OtherFormat(@Format("uuid") OffsetDateTime since) {}

    record Keys(Map<Integer, String> byNumber) {}

    record SetOfObjects(Set<Item> items) {}

    record KeysOfNullable(@ListMapKeys("name") List<Item> items) {}

    record UnknownKeys(@ListMapKeys("id") List<Item> items) {}

    record AtomicText(@Atomic String text) {}

    record DefaultText(@Default("one") int count) {}

    record DefaultFraction(@Default("1.5") int count) {}

    record DefaultEnum(@Default("C") Mode mode) {}

    record DefaultTooLarge(@Max(10) @Default("11") int count) {}

    record DefaultOverflow(@Default("3000000000") int count) {}

    record DefaultPattern(
            @Pattern(regexp = "TCP|UDP") @Default("tcp") String protocol) {}

    record DefaultIncomplete(@Default("{}") Item item) {}

    record DefaultUnknown(@Default("{\"nmae\": \"a\"}") Item item) {}

    record DefaultNull(@Default("null") Object any) {}

    record TwoOfAName(String a, @SerializedName("a") String b) {}

    @CustomResource(group = "example.com", version = "v1", kind = "Thing")
    static final class OfSpec extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1beta1", kind = "Thing")
    static final class AlsoStored extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1", kind = "Thing", storage = false)
    static final class SameVersion extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v2", kind = "Thing", storage = false, shortNames = "th")
    static final class OtherNames extends CustomObject<Item, Void> {}

    @CustomResource(group = "example", version = "v1")
    static final class ShortGroup extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "V1")
    static final class CapitalVersion extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1", annotations = "approved")
    static final class NoValue extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1")
    @PrinterColumn(name = "Host", jsonPath = ".spec.hots")
    static final class UnknownColumn extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1")
    @PrinterColumn(name = "Spec", jsonPath = ".spec")
    static final class ColumnOfObject extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1")
    @PrinterColumn(name = "Spec", jsonPath = ".spec.value", type = "text")
    static final class ColumnOfUnknownType extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1")
    @PrinterColumn(name = "Spec", jsonPath = "spec.value")
    static final class ColumnWithoutDot extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1")
    @Scale
    static final class NotScaled extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1")
    @ObjectName(maxLength = 300)
    static final class LongNames extends CustomObject<Item, Void> {}

    record Selected(String text, int number, double fraction, List<String> list, Map<String, String> map, Object any) {}

    @CustomResource(
            group = "example.com",
            version = "v1",
            selectableFields = {
                ".spec.text",
                ".spec.map.a",
                ".spec.fraction",
                ".spec.list[0]",
                ".spec.missing",
                ".metadata.name",
                "spec.text",
                ".spec.text",
                ".spec.any"
            })
    static final class Selectable extends CustomObject<Selected, Void> {}

    @CustomResource(
            group = "example.com",
            version = "v1",
            selectableFields = {
                ".spec.map.a",
                ".spec.map.b",
                ".spec.map.c",
                ".spec.map.d",
                ".spec.map.e",
                ".spec.map.f",
                ".spec.map.g",
                ".spec.map.h",
                ".spec.map.i"
            })
    static final class NineSelectable extends CustomObject<Selected, Void> {}

    @CustomResource(group = "example.com", version = "v1", plural = "status")
    static final class PluralStatus extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1", plural = "finalize")
    static final class PluralFinalize extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1", plural = "namespaces", namespaced = false)
    static final class PluralNamespaces extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1", plural = "watch", namespaced = false)
    static final class PluralWatch extends CustomObject<Item, Void> {}

    @CustomResource(
            group = "example.com",
            version = "v1",
            kind = "KindOfSixtyCharactersKindOfSixtyCharactersKindOfSixtyCharacte")
    static final class LongKind extends CustomObject<Item, Void> {}

    @CustomResource(group = "example.com", version = "v1", kind = "Lossy")
    static final class Lossy extends CustomObject<Item, Void> {}

    record Less(@Nullable String name) {}

    @CustomResource(group = "example.com", version = "v1beta1", kind = "Lossy", storage = false)
    static final class LossyBeta extends CustomObject<Less, Void> {}

    record AnyPrimitive(com.google.gson.JsonPrimitive any) {}

    record OnlyNull(com.google.gson.JsonNull nothing) {}

    record Letter(char letter) {}

    record Link(java.net.URI link) {}

    record Counter(java.util.concurrent.atomic.AtomicInteger count) {}

    record File(java.nio.file.Path path) {}

    record Several(Iterable<String> names) {}

    record EnumKeys(Map<Mode, String> byMode) {}

    static Stream<Arguments> specs() {
        return Stream.of(
                arguments(
                        Recursive.class,
                        ".node.children[]: io.controllermanager.crd.RefusedTypesTest$Node contains itself"),
                arguments(
                        RecursiveModel.class,
                        ".schema.allOf[]: io.kubernetes.client.openapi.models.V1JSONSchemaProps contains itself"),
                arguments(LookAround.class, ".host: the pattern (?!a).* is none of the API server's"),
                arguments(NumberOfText.class, ".host: @Min on string: is for numbers"),
                arguments(SizeOfObject.class, ".item: @Size on object: is for strings, lists and maps"),
                arguments(NotASchema.class, ".until: @Future on string: a CRD's schema cannot say it"),
                arguments(
                        OfTheJdk.class, ".timeouts{}[]: client-java's Gson does not read and write java.time.Duration"),
                arguments(
                        Dynamic.class,
                        ".manifests[]: client-java's Gson does not read and write"
                                + " io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject"),
                arguments(AnInterface.class, ".order: client-java's Gson does not read and write java.lang.Comparable"),
                arguments(
                        AnInstant.class,
                        ".since: client-java's Gson does not read and write java.time.Instant; declare a String, a"
                                + " number, OffsetDateTime or a record"),
                arguments(
                        UnknownFormat.class,
                        ".address: @Format on string: \"ip\" is none of [bsonobjectid, byte, cidr"),
                arguments(FormatOfNumber.class, ".seconds: @Format on integer: is for strings"),
                arguments(OtherFormat.class, ".since: @Format on string: the format is date-time"),
                arguments(AnyPrimitive.class, ".any: client-java's Gson does not read and write com.google.gson.JsonP"),
                arguments(OnlyNull.class, ".nothing: client-java's Gson does not read and write com.google.gson.JsonN"),
                arguments(Letter.class, ".letter: client-java's Gson does not read and write char"),
                arguments(Link.class, ".link: client-java's Gson does not read and write java.net.URI"),
                arguments(Counter.class, ".count: client-java's Gson does not read and write java.util.concurrent.at"),
                arguments(File.class, ".path: client-java's Gson does not read and write java.nio.file.Path"),
                arguments(Several.class, ".names: client-java's Gson does not read and write java.lang.Iterable"),
                arguments(EnumKeys.class, ".byMode: a map's keys are strings, not io.controllermanager.crd.Ref"),
                arguments(RawList.class, ".list: java.util.List does not say what it holds"),
                arguments(Keys.class, ".byNumber: a map's keys are strings, not java.lang.Integer"),
                arguments(SetOfObjects.class, ".items: a Set holds strings, numbers, booleans or enums"),
                arguments(KeysOfNullable.class, ".items: @ListMapKeys names name, which is nullable"),
                arguments(UnknownKeys.class, ".items: @ListMapKeys names id, but the items have [name, value]"),
                arguments(AtomicText.class, ".text: @Atomic is for objects, maps and lists"),
                arguments(DefaultText.class, ".count: @Default(\"one\") is no JSON of type integer"),
                arguments(DefaultFraction.class, ".count: @Default(\"1.5\") is no JSON of type integer"),
                arguments(DefaultEnum.class, ".mode: @Default(\"C\") is none of [A, B]"),
                arguments(DefaultTooLarge.class, ".count: @Default(\"11\") does not fit the field's own maximum"),
                arguments(
                        DefaultOverflow.class,
                        ".count: @Default(\"3000000000\") does not fit the field's own format int32"),
                arguments(DefaultPattern.class, ".protocol: @Default(\"tcp\") does not fit the field's own pattern"),
                arguments(
                        DefaultIncomplete.class, ".item: @Default(\"{}\") does not fit the field's own required field"),
                arguments(
                        DefaultUnknown.class,
                        ".item: @Default(\"{\"nmae\": \"a\"}\") does not fit the field's own fields, which have no"
                                + " nmae"),
                arguments(DefaultNull.class, ".any: @Default(\"null\") is no JSON"),
                arguments(TwoOfAName.class, ".a: two fields have this name"));
    }

    @ParameterizedTest
    @MethodSource("specs")
    void refusesAField(Class<?> spec, String message) {
        assertThatThrownBy(() -> schemaOf(spec))
                .isInstanceOf(InvalidTypeException.class)
                .hasMessageStartingWith(spec.getName() + ": " + message);
    }

    private static void schemaOf(Class<?> spec) {
        Problems problems = new Problems();
        new Schemas(Comments.NONE, problems).ofObject(spec);
        problems.tell();
    }

    static Stream<Arguments> types() {
        return Stream.of(
                arguments(List.of(OfSpec.class, AlsoStored.class), "objects are stored in one version, not in 2"),
                arguments(List.of(SameVersion.class), "objects are stored in one version, not in 0"),
                arguments(List.of(OfSpec.class, SameVersion.class), "two classes are version v1"),
                arguments(List.of(OfSpec.class, OtherNames.class), "differs from " + OtherNames.class.getName()),
                arguments(List.of(ShortGroup.class), "@CustomResource group = \"example\" does not match"),
                arguments(List.of(CapitalVersion.class), "@CustomResource version = \"V1\" does not match"),
                arguments(List.of(NoValue.class), "@CustomResource annotations: \"approved\" is no name=value"),
                arguments(
                        List.of(UnknownColumn.class),
                        "@PrinterColumn Host: jsonPath .spec.hots: there is no .hots in [name, value]"),
                arguments(
                        List.of(ColumnOfObject.class),
                        "@PrinterColumn Spec: jsonPath .spec leads to a value of type object; give the column a type"),
                arguments(List.of(ColumnOfUnknownType.class), "@PrinterColumn Spec: type \"text\" is none of"),
                arguments(
                        List.of(ColumnWithoutDot.class),
                        "@PrinterColumn Spec: jsonPath spec.value: cannot be followed"),
                arguments(
                        List.of(Selectable.class),
                        "@CustomResource selectableFields = \".spec.fraction\" leads to a value of type number, not to"
                                + " one of"),
                arguments(List.of(Selectable.class), "@CustomResource selectableFields = \".spec.list[0]\" is no path"),
                arguments(
                        List.of(Selectable.class),
                        "@CustomResource selectableFields = \".spec.missing\": there is no .missing in [text,"),
                arguments(
                        List.of(Selectable.class), "@CustomResource selectableFields = \".metadata.name\" is no path"),
                arguments(List.of(Selectable.class), "@CustomResource selectableFields = \"spec.text\" is no path"),
                arguments(
                        List.of(Selectable.class), "@CustomResource selectableFields = \".spec.text\" is there twice"),
                arguments(
                        List.of(Selectable.class),
                        "@CustomResource selectableFields = \".spec.any\" leads to a value of any type"),
                arguments(
                        List.of(NineSelectable.class),
                        "@CustomResource selectableFields = \".spec.map.i\" is there twice, or after 8 others"),
                arguments(
                        List.of(PluralStatus.class),
                        "@CustomResource plural = \"status\" cannot be served: in a URL the API server takes it for a"
                                + " part"),
                arguments(List.of(PluralFinalize.class), "@CustomResource plural = \"finalize\" cannot be served"),
                arguments(List.of(PluralNamespaces.class), "@CustomResource plural = \"namespaces\" cannot be served"),
                arguments(List.of(PluralWatch.class), "@CustomResource plural = \"watch\" cannot be served"),
                arguments(List.of(LongKind.class), "@CustomResource kind = \"KindOfSixtyCharacters"),
                arguments(
                        List.of(Lossy.class, LossyBeta.class),
                        "objects stored in v1 and read in v1beta1: .spec.value: the field is gone; have all versions"
                                + " take it"),
                arguments(List.of(NotScaled.class), "@Scale: specReplicasPath .spec.replicas: there is no .replicas"),
                arguments(List.of(LongNames.class), ".metadata.name: @ObjectName with maxLength 300"));
    }

    @ParameterizedTest
    @MethodSource("types")
    void refusesAType(List<Class<?>> types, String message) {
        assertThatThrownBy(() -> CustomResourceDefinition.of(types, Comments.NONE))
                .isInstanceOf(InvalidTypeException.class)
                .hasMessageContaining(": " + message);
    }

    record Bad(Duration first, @Min(1) String second, Nested nested, List<Instant> fourth) {}

    record Nested(@Pattern(regexp = "(?!a)") @Future String inner, Map<Integer, String> map) {}

    @CustomResource(group = "example.com", version = "v1", plural = "proxy", selectableFields = ".spec.first")
    @PrinterColumn(name = "First", jsonPath = ".spec.first")
    @PrinterColumn(name = "Third", jsonPath = ".spec.third")
    @ObjectName(maxLength = 300)
    static final class AllBad extends CustomObject<Bad, Void> {}

    @Test
    void tellsOfAllThatIsWrongInOneRun() {
        assertThatThrownBy(() -> CustomResourceDefinition.of(List.of(AllBad.class, UnknownColumn.class), Comments.NONE))
                .isInstanceOf(InvalidTypeException.class)
                .message()
                .satisfies(message -> assertThat(message.replaceAll("io\\S+RefusedTypesTest\\$", "")
                                .lines())
                        .satisfiesExactly(
                                line -> assertThat(line).startsWith("AllBad: @CustomResource plural = \"proxy\""),
                                line -> assertThat(line).startsWith("AllBad: .metadata.name: @ObjectName"),
                                line -> assertThat(line).startsWith("AllBad: .spec.first: client-java's Gson does not"),
                                line -> assertThat(line).startsWith("AllBad: .spec.second: @Min on string"),
                                line -> assertThat(line).startsWith("AllBad: .spec.nested.inner: the pattern (?!a)"),
                                line -> assertThat(line).startsWith("AllBad: .spec.nested.inner: @Future on string"),
                                line -> assertThat(line).startsWith("AllBad: .spec.nested.map: a map's keys"),
                                line -> assertThat(line).startsWith("AllBad: .spec.fourth[]: client-java's Gson does"),
                                line -> assertThat(line)
                                        .startsWith("AllBad: @PrinterColumn Third: jsonPath .spec.third"),
                                line -> assertThat(line).startsWith("UnknownColumn: @PrinterColumn Host: jsonPath")));
    }

    @Test
    void refusesAClassThatIsNoCustomResource() {
        assertThatThrownBy(() -> CustomResourceDefinition.of(List.of(String.class), Comments.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("java.lang.String has no @CustomResource");
    }
}
