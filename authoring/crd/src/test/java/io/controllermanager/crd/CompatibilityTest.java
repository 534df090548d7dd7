package io.controllermanager.crd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompatibilityTest {

    /** Each schema is that of the field {@code f}. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '>',
            nullValues = "nothing",
            value = {
                // before > after > what breaks
                "{type: string} > {type: string} > nothing",
                "{type: string} > {type: integer} > .f: the type string becomes integer",
                "{type: integer} > {type: number} > nothing",
                "{type: number} > {type: integer} > .f: the type number becomes integer",
                "{type: string} > {x-kubernetes-int-or-string: true} > nothing",
                "{x-kubernetes-int-or-string: true} > {type: string} > .f: the type integer or string becomes string",
                "{type: string, maxLength: 3} > {x-kubernetes-preserve-unknown-fields: true} > nothing",
                "{x-kubernetes-preserve-unknown-fields: true} > {type: string} > .f: the type any becomes string",
                "{type: integer, format: int32} > {type: integer, format: int64} > nothing",
                "{type: integer, format: int32} > {type: number, format: double} > nothing",
                "{type: integer, format: int64} > {type: integer, format: int32} > .f: the format int64 becomes int32",
                "{type: string} > {type: string, format: date-time} > .f: the format becomes date-time",
                "{type: string, format: date-time} > {type: string} > nothing",
                "{type: integer, minimum: 1} > {type: integer, minimum: 2} > .f: minimum 1 becomes 2",
                "{type: integer, minimum: 2} > {type: integer, minimum: 1} > nothing",
                "{type: number, minimum: 1} > {type: number, minimum: 1.0} > nothing",
                "{type: integer} > {type: integer, minimum: 0} > .f: minimum 0",
                "{type: integer, maximum: 2} > {type: integer, maximum: 1} > .f: maximum 2 becomes 1",
                "{type: integer, maximum: 1} > {type: integer} > nothing",
                "{type: number, minimum: 1} > {type: number, minimum: 1, exclusiveMinimum: true} > .f: the minimum itself is taken no longer",
                "{type: number, maximum: 1, exclusiveMaximum: true} > {type: number, maximum: 1} > nothing",
                "{type: string} > {type: string, minLength: 0} > nothing",
                "{type: string} > {type: string, minLength: 1} > .f: minLength 1",
                "{type: string, maxLength: 9} > {type: string, maxLength: 8} > .f: maxLength 9 becomes 8",
                "{type: array, items: {}} > {type: array, items: {}, maxItems: 8} > .f: maxItems 8",
                "{type: object, minProperties: 1} > {type: object, minProperties: 2} > .f: minProperties 1 becomes 2",
                "{type: string, pattern: a} > {type: string} > nothing",
                "{type: string} > {type: string, pattern: a} > .f: the pattern a is new",
                "{type: string, pattern: a} > {type: string, pattern: b} > .f: the pattern b replaces [a]",
                "{type: string, pattern: a} > {type: string, pattern: a, allOf: [{pattern: b}]} > .f: the pattern b replaces [a]",
                "{type: string, enum: [a]} > {type: string, enum: [a, b]} > nothing",
                "{type: string, enum: [a, b]} > {type: string, enum: [a]} > .f: the value b is gone",
                "{type: string} > {type: string, enum: [a]} > '.f: only [a] are taken now'",
                "{type: string, enum: [a]} > {type: string} > nothing",
                "{type: string, nullable: true} > {type: string} > .f: may be null no longer",
                "{type: object, properties: {a: {}}} > {type: object, properties: {a: {}, b: {}}} > nothing",
                "{type: object, properties: {a: {}, b: {}}} > {type: object, properties: {a: {}}} > .f.b: the field is gone",
                "{type: object, properties: {b: {}}} > {type: object, x-kubernetes-preserve-unknown-fields: true} > nothing",
                "{type: object, properties: {b: {type: string}}} > {type: object, additionalProperties: {type: integer}} > .f.b: the type string becomes integer",
                "{type: object, additionalProperties: {type: string}} > {type: object, additionalProperties: {type: integer}} > .f{}: the type string becomes integer",
                "{type: object, additionalProperties: {type: string}} > {type: object, properties: {a: {type: string}}} > '.f: the map becomes an object of the fields [a]'",
                "{type: object, x-kubernetes-preserve-unknown-fields: true} > {type: object} > .f: fields that the schema does not name are kept no longer",
                "{type: object, properties: {a: {}}} > {type: object, required: [a], properties: {a: {}}} > .f.a: the field is required now and has no default",
                "{type: object, properties: {a: {}}} > {type: object, required: [a], properties: {a: {default: 1}}} > nothing",
                "{type: object, required: [a], properties: {a: {}}} > {type: object, properties: {a: {}}} > nothing",
                "{type: array, items: {type: string}} > {type: array, items: {type: string, maxLength: 1}} > .f[]: maxLength 1",
                "{type: array, items: {}} > {type: array, items: {}, x-kubernetes-list-type: atomic} > nothing",
                "{type: array, items: {}} > {type: array, items: {}, x-kubernetes-list-type: set} > .f: two items may be alike no longer in a list of type set",
                "{type: array, items: {}, x-kubernetes-list-type: set} > {type: array, items: {}} > nothing",
                "{type: array, items: {}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b]} > {type: array, items: {}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a]} > '.f: two items may be alike no longer in a list of type map with the keys [a]'",
                "{type: string, default: a} > {type: string, default: b} > nothing",
                "{type: string} > {type: string, x-kubernetes-validations: [{rule: self == '1'}]} > .f: the rule self == '1' is new",
                "{type: string} > {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]} > nothing",
                "{type: string, x-kubernetes-validations: [{rule: self == '1'}]} > {type: string, x-kubernetes-validations: [{rule: self == '1', message: m}]} > nothing",
            })
    void judgesTheChangeOfAField(String before, String after, String broken) {
        List<String> breaks = new ArrayList<>();
        new SchemaChange("", breaks).compare("", field(before), field(after));

        if (broken == null) {
            assertThat(breaks).isEmpty();
        } else {
            assertThat(breaks).containsExactly(broken);
        }
    }

    private static Map<String, Object> field(String schema) {
        return Yamls.read("{type: object, properties: {f: " + schema + "}}");
    }

    /**
     * A CRD of versions such as {@code v1*ab}: the name, {@code *} if objects are stored in it, {@code -} if it is not served, and a
     * letter for each field of type string; a large one is required. {@code webhook} stands for a conversion.
     */
    private static String crd(String scope, String versions) {
        StringBuilder crd = new StringBuilder("spec: {scope: " + scope);
        crd.append(versions.contains("webhook") ? ", conversion: {strategy: Webhook}" : "")
                .append(", versions: [");
        for (String version : versions.replace(" webhook", "").split(" ")) {
            String fields = version.substring(2).replaceAll("[*-]", "");
            crd.append("{name: ")
                    .append(version, 0, 2)
                    .append(", served: ")
                    .append(!version.contains("-"))
                    .append(", storage: ")
                    .append(version.contains("*"))
                    .append(", schema: {openAPIV3Schema: {type: object, properties: {")
                    .append(fields.toLowerCase(Locale.ROOT).replaceAll(".", "$0: {type: string},"))
                    .append("}, required: [")
                    .append(fields.replaceAll("[a-z]", "")
                            .toLowerCase(Locale.ROOT)
                            .replaceAll(".", "$0,"))
                    .append("]}}},");
        }
        return crd.append("]}").toString();
    }

    /** What is stored in one version is read in each that is served. Most have nothing that converts. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '>',
            nullValues = "nothing",
            value = {
                // before > after > what breaks
                "v1*a v2b > v2c v1*a > v2: .b: the field is gone",
                "v1*a > v2a v1*a > nothing",
                "v1*a > v2b v1*a > objects stored in v1 and read in v2: .a: the field is gone",
                "v1*a v2b > v2*b v1-a > nothing",
                "v1*a v2-b > v2*b v1-a > not served | objects stored in v1 and read in v2: .a: the field is gone",
                "v1*a > v2A v1*a > objects stored in v1 and read in v2: .a: the field is required now and has no default",
                "v1*A > v2a v1*A > nothing",
                // A version that nobody reads, and one that is read from now on.
                "v1*a > v2-b v1*a > nothing",
                "v1*a v2-b > v1*a v2b > objects stored in v1 and read in v2: .a: the field is gone",
                // What is stored from now on is read in the old version too.
                "v1*a v2a > v2*ab v1-a > nothing",
                "v1*a v2a > v2*ab v1a > objects stored in v2 and read in v1: .b: the field is gone",
                "v1*a v2a > v1*ab v2a > objects stored in v1 and read in v2: .b: the field is gone",
                "v1*a v2a > v1*ab v2ab > nothing",
                // What is lost already.
                "v1*ab v2a > v1*ab v2ac > nothing",
                "v1*abc v2ab > v1*abc v2a > v2: .b: the field is gone | objects stored in v1 and read in v2: .b: the field is gone",
                // A version comes and goes in steps.
                "v1*a > v2*a v1a > not served",
                "v1*a v2-a > v2*a v1a > not served",
                "v1*a v2a > v2*a v1a > nothing",
                "v1*a v2a > v2*a > still stored",
                "v2*a v1a > v2*a > nothing",
                "v2*a v1a > v2a v1*a > nothing",
                // What a webhook converts.
                "v1*a > v2b v1*a webhook > nothing",
                "v1*a v2b webhook > v2*b v1a webhook > nothing",
                "v1*a webhook > v2*b v1a webhook > not served",
                "v1*ac v2b webhook > v1*a v2b webhook > v1: .c: the field is gone",
                "v2*b v1a webhook > v2*b > nothing",
                "v2*b v1a webhook > v2*b v1a > objects stored in v2 and read in v1: .b: the field is gone",
            })
    void judgesWhatOneVersionStoresAndAnotherServes(String before, String after, String broken) {
        List<String> breaks = Compatibility.breaks(crd("Namespaced", before), crd("Namespaced", after));

        if (broken == null) {
            assertThat(breaks).isEmpty();
        } else {
            assertThat(breaks)
                    .containsExactly(broken.replace(
                                    "not served",
                                    "objects are stored in version v2, which is not served yet; serve it with storage ="
                                            + " false first, and store them in it a release later")
                            .replace(
                                    "still stored",
                                    "version v1 is gone, and objects are stored in it; store them in another first, and"
                                            + " let it go a release later")
                            .split(" \\| "));
        }
    }

    @Test
    void missesAScope() {
        assertThat(Compatibility.breaks(crd("Namespaced", "v1*a"), crd("Cluster", "v1*a")))
                .containsExactly("scope Namespaced becomes Cluster");
    }

    @Test
    void namesTheConverterToWrite() {
        String after = "# Generated by controller-manager from com.example.Site and com.example.Old$SiteV1: change\n"
                + crd("Cluster", "v2b v1*a");

        assertThat(Compatibility.breaks(crd("Cluster", "v1*a"), after))
                .containsExactly(
                        "objects stored in v1 and read in v2: .a: the field is gone",
                        "write Converter<SiteV1, Site>, or the like, and nothing of it is lost");
    }

    @Test
    void knowsTheVersionsThatGo() {
        assertThat(Compatibility.gone(crd("Cluster", "v3*a v2a v1a"), crd("Cluster", "v4a v3*a")))
                .containsExactly("v2", "v1");
    }

    @Test
    void missesAKind() {
        assertThat(Compatibility.breaks(
                        "spec: {scope: Cluster, names: {kind: Website}}",
                        "spec: {scope: Cluster, names: {kind: Site}}"))
                .containsExactly("kind Website becomes Site");
    }

    @Test
    void seesALimitForTheNameThatNoSchemaHadBefore() {
        String schema =
                "spec: {scope: Cluster, versions: [{name: v1, schema: {openAPIV3Schema: {properties: {metadata: %s}}}}]}";
        assertThat(Compatibility.breaks(
                        schema.formatted("{type: object}"),
                        schema.formatted("{type: object, properties: {name: {type: string, maxLength: 63}}}")))
                .containsExactly("v1: .metadata.name: maxLength 63");
    }

    @Test
    void refusesWhatIsNoYaml() {
        assertThatThrownBy(() -> Compatibility.breaks("{", "{}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("It is no YAML: ");
        assertThatThrownBy(() -> Compatibility.breaks("", "{}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("It is no YAML object");
    }
}
