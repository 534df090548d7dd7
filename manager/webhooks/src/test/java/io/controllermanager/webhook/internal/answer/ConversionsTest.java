package io.controllermanager.webhook.internal.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConversionsTest {

    private final Conversions conversions = Shelves.conversions();

    private static JsonObject shelf(String version, String spec) {
        return JsonParser.parseString("""
                {"apiVersion": "example.com/%s", "kind": "Shelf",
                 "metadata": {"name": "a", "namespace": "b", "uid": "u", "labels": {"l": "1"}, "managedFields": [{"manager": "m"}]},
                 "spec": %s}""".formatted(version, spec.replace('\'', '"')))
                .getAsJsonObject();
    }

    private JsonObject through(JsonObject object, String versions) {
        JsonObject converted = object;
        for (String version : versions.split(" ")) {
            converted = conversions.convert(converted, "example.com/" + version);
        }
        return converted;
    }

    private static JsonObject copy(JsonObject object) {
        return object.deepCopy();
    }

    @Test
    void metadataIsTakenOver() {
        JsonObject two = through(shelf("v1", "{'boards': 2}"), "v2");

        assertThat(two).isEqualTo(shelf("v2", "{'shelves': 2}"));
    }

    @Test
    void theObjectThatWasSentStaysAsItIs() {
        JsonObject sent = shelf("v1", "{'boards': 2, 'colour': 'red'}");
        JsonObject before = copy(sent);
        through(sent, "v1alpha1");

        assertThat(sent).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            v1       | v1alpha1 v1          | {'boards': 2, 'colour': 'red', 'size': {'width': 3, 'depth': 4}}
            v1       | v2 v1                | {'boards': 2, 'colour': 'red', 'books': ['x', 'y']}
            v1       | v2 v1alpha1 v1       | {'boards': 2, 'colour': 'red', 'books': ['x', 'y'], 'size': {'width': 3}}
            v1       | v1alpha1 v2 v1       | {'colour': 'red', 'books': []}
            v2       | v1 v2                | {'shelves': 1, 'note': 'n'}
            v2       | v1alpha1 v2          | {'shelves': 1, 'note': 'n', 'books': ['x']}
            v2       | v1alpha1 v1 v2       | {'note': 'n', 'books': ['x']}
            v1alpha1 | v2 v1 v1alpha1       | {'boards': 7}
            v1       | v1                   | {'colour': 'red'}
            """)
    void theWayBackIsTheIdentity(String version, String way, String spec) {
        JsonObject object = shelf(version, spec);

        assertThat(through(object, way)).isEqualTo(object);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {'boards': 2, 'colour': 'red'}                    | v1alpha1 | {'boards': 5}                   | {'boards': 5, 'colour': 'red'}
            {'boards': 2, 'size': {'width': 3}}               | v2       | {'shelves': 5, 'books': ['z']}  | {'boards': 5, 'size': {'width': 3}, 'books': ['z']}
            {'boards': 2, 'books': ['x'], 'colour': 'red'}    | v2       | {'shelves': 2}                  | {'boards': 2, 'colour': 'red'}
            """)
    void whatIsChangedInTheOtherVersionStaysAsItWasChanged(String spec, String other, String changed, String result) {
        JsonObject converted = copy(through(shelf("v1", spec), other));
        converted.add("spec", JsonParser.parseString(changed.replace('\'', '"')));

        assertThat(through(converted, "v1")).isEqualTo(shelf("v1", result));
    }

    @Test
    void whatIsKeptIsInOneAnnotation() {
        JsonObject alpha = through(shelf("v1", "{'boards': 2, 'colour': 'red'}"), "v1alpha1");

        assertThat(alpha.getAsJsonObject("metadata")
                        .getAsJsonObject("annotations")
                        .toString())
                .isEqualTo("{\"conversion.controller-manager.io/v1\":"
                        + "\"{\\\"left\\\":{\\\"spec\\\":{\\\"colour\\\":null}},"
                        + "\\\"lost\\\":{\\\"spec\\\":{\\\"colour\\\":\\\"red\\\"}}}\"}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            garbage
            []
            {}
            {"lost": 1, "left": {}}
            """)
    void anAnnotationThatSomebodyHasChangedIsLeftOut(String text) {
        JsonObject alpha = copy(through(shelf("v1", "{'boards': 2, 'colour': 'red'}"), "v1alpha1"));
        alpha.getAsJsonObject("metadata")
                .getAsJsonObject("annotations")
                .addProperty("conversion.controller-manager.io/v1", text);

        assertThat(through(alpha, "v1")).isEqualTo(shelf("v1", "{'boards': 2}"));
    }

    @Test
    void whatCannotBeConvertedIsNamed() {
        assertThatThrownBy(() -> conversions.convert(shelf("v1", "{}"), "example.com/v3"))
                .hasMessage("no converter is for Shelf example.com/v3");
        assertThatThrownBy(() -> conversions.convert(shelf("v1", "{'boards': 'many'}"), "example.com/v2"))
                .hasMessageStartingWith("it is no shelves.example.com/v1: ");
        assertThatThrownBy(() -> conversions.convert(new JsonObject(), "example.com/v2"))
                .hasMessage("the object has no kind");
    }
}
