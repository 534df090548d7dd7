package io.controllermanager.webhook.internal.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.Verdict;
import io.controllermanager.webhook.WebhookDescription;
import io.controllermanager.webhook.internal.answer.Shelves.Shelf;
import io.controllermanager.webhook.internal.answer.Shelves.Size;
import io.controllermanager.webhook.internal.answer.Shelves.Spec;
import io.controllermanager.webhook.internal.serving.BadRequestException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReviewsTest {

    private static final ResourceType<Shelf> TYPE = ResourceType.of(Shelf.class);
    private static final WebhookCaches NONE = new WebhookCaches("w", new WebhookDescription());

    /** Says what the object's colour asks for. */
    private static final class ByColour implements Validator<Shelf> {

        @Override
        public Verdict create(Shelf shelf, Admission<Shelf> admission) {
            Verdict allowed = Verdict.allowed();
            return switch (String.valueOf(shelf.spec().colour())) {
                case "red" -> allowed.invalid("spec.colour", "red", "hurts");
                case "two" ->
                    allowed.required("spec.books", "say which")
                            .duplicate("spec.boards", 3)
                            .warn("bad");
                case "who" ->
                    allowed.refuse("not for " + admission.user().getUsername() + " in " + admission.namespace()
                            + (admission.isDryRun() ? ", dry" : ""));
                case "warn" -> allowed.warn("faded").warn("old");
                case "throws" -> throw new IllegalStateException("out of paint");
                default -> allowed;
            };
        }

        @Override
        public Verdict update(Shelf shelf, Shelf before, Admission<Shelf> admission) {
            return Verdict.allowed()
                    .forbidden("spec.colour", "was " + before.spec().colour());
        }

        @Override
        public Verdict delete(Shelf shelf, Admission<Shelf> admission) {
            return Verdict.allowed().refuse(admission.operation() + " of " + shelf.name() + " in use");
        }
    }

    private static Reviews reviews(WebhookCaches caches) {
        return new Reviews(
                Shelves.conversions(),
                Set.of(
                        new AdmissionQuestion<>("/validate/a", TYPE, caches, new Validation<>(TYPE, new ByColour())),
                        new AdmissionQuestion<>(
                                "/mutate/a", TYPE, caches, new Defaulting<>(TYPE, (shelf, admission) -> {
                                    Spec spec = shelf.spec();
                                    Size size = spec.size() == null ? new Size(1, null) : spec.size();
                                    shelf.setSpec(new Spec(spec.boards(), "grey", null, size));
                                    shelf.getMetadata().setLabels(Map.of("a/b", "c"));
                                    return shelf;
                                }))));
    }

    private static String answer(Reviews reviews, String path, String body) throws Exception {
        return new String(
                reviews.answer(path, new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8))),
                StandardCharsets.UTF_8);
    }

    private static JsonObject response(String path, String request) throws Exception {
        String kind = path.equals("/convert")
                ? "apiextensions.k8s.io/v1\", \"kind\": \"ConversionReview"
                : "admission.k8s.io/v1\", \"kind\": \"AdmissionReview";
        String answer = answer(
                reviews(NONE),
                path,
                "{\"apiVersion\": \"" + kind + "\", \"request\": " + request.replace('\'', '"') + "}");
        JsonObject response = JsonParser.parseString(answer).getAsJsonObject().getAsJsonObject("response");
        assertThat(response.remove("uid").getAsString()).isEqualTo("u");
        return response;
    }

    private static String admission(String operation, String object, String old) {
        return """
                {'uid': 'u', 'operation': '%s', 'namespace': 'b', 'dryRun': true, 'userInfo': {'username': 'jo'}, \
                'object': %s, 'oldObject': %s}""".formatted(operation, object, old);
    }

    private static String shelf(String colour) {
        return "{'apiVersion': 'example.com/v1', 'kind': 'Shelf', 'metadata': {'name': 'a'}, 'spec': {'colour': '%s'}}"
                .formatted(colour);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            red  | 422 Invalid: Shelf.example.com "a" is invalid: spec.colour: Invalid value: "red": hurts
            two  | 422 Invalid: Shelf.example.com "a" is invalid: [spec.books: Required value: say which, spec.boards: Duplicate value: 3]
            who  | 403 Forbidden: not for jo in b, dry
            """)
    void refusalsReadAsKubernetesOwn(String colour, String said) throws Exception {
        JsonObject response = response("/validate/a", admission("CREATE", shelf(colour), "null"));
        JsonObject status = response.getAsJsonObject("status");

        assertThat(response.get("allowed").getAsBoolean()).isFalse();
        assertThat(status.get("code").getAsInt() + " " + status.get("reason").getAsString() + ": "
                        + status.get("message").getAsString())
                .isEqualTo(said);
    }

    @Test
    void causesNameTheFields() throws Exception {
        JsonObject status = response("/validate/a", admission("CREATE", shelf("two"), "null"))
                .getAsJsonObject("status");

        assertThat(status.getAsJsonObject("details").get("causes").toString())
                .isEqualTo(
                        "[{\"field\":\"spec.books\",\"message\":\"Required value: say which\",\"reason\":\"FieldValueRequired\"},"
                                + "{\"field\":\"spec.boards\",\"message\":\"Duplicate value: 3\",\"reason\":\"FieldValueDuplicate\"}]");
    }

    @Test
    void warningsComeWithAnAllowedWrite() throws Exception {
        assertThat(response("/validate/a", admission("CREATE", shelf("warn"), "null")))
                .hasToString("{\"allowed\":true,\"warnings\":[\"faded\",\"old\"]}");
    }

    @Test
    void anUpdateComesWithTheOldObjectAndADeletionWithThatAlone() throws Exception {
        assertThat(response("/validate/a", admission("UPDATE", shelf("a"), shelf("b")))
                        .toString())
                .contains("spec.colour: Forbidden: was b");
        assertThat(response("/validate/a", admission("DELETE", "null", shelf("b")))
                        .toString())
                .contains("DELETE of a in use");
    }

    @Test
    void aDefaulterMakesAPatchThatKeepsWhatItsClassDoesNotKnow() throws Exception {
        String object = """
                {'apiVersion': 'example.com/v1', 'kind': 'Shelf', 'metadata': {'name': 'a', 'labels': {'x': 'y'}},
                 'spec': {'boards': 2, 'books': ['x'], 'unknown': 1}}""";
        JsonObject response = response("/mutate/a", admission("CREATE", object, "null"));

        assertThat(response.get("patchType").getAsString()).isEqualTo("JSONPatch");
        assertThat(new String(Base64.getDecoder().decode(response.get("patch").getAsString()), StandardCharsets.UTF_8))
                .isEqualTo("""
                        [{"op":"add","path":"/metadata/labels/a~1b","value":"c"},{"op":"remove","path":"/metadata/labels/x"},\
                        {"op":"add","path":"/spec/colour","value":"grey"},{"op":"add","path":"/spec/size","value":{"width":1}},\
                        {"op":"remove","path":"/spec/books"}]""");
    }

    @Test
    void aDefaulterThatChangesNothingMakesNoPatch() throws Exception {
        String object = """
                {'apiVersion': 'example.com/v1', 'kind': 'Shelf', 'metadata': {'name': 'a', 'labels': {'a/b': 'c'}},
                 'spec': {'colour': 'grey', 'size': {'width': 1}}}""";

        assertThat(response("/mutate/a", admission("UPDATE", object, object))).hasToString("{\"allowed\":true}");
    }

    @Test
    void objectsAreConverted() throws Exception {
        JsonObject response = response("/convert", """
                {'uid': 'u', 'desiredAPIVersion': 'example.com/v2', 'objects': [%s, %s]}""".formatted(shelf("red"), shelf("grey")));

        assertThat(response.get("result")).hasToString("{\"status\":\"Success\"}");
        assertThat(response.getAsJsonArray("convertedObjects"))
                .hasSize(2)
                .allSatisfy(object -> assertThat(
                                object.getAsJsonObject().get("apiVersion").getAsString())
                        .isEqualTo("example.com/v2"));
    }

    @Test
    void anObjectThatCannotBeConvertedIsNamedAndNoneIsGivenBack() throws Exception {
        JsonObject response = response("/convert", """
                {'uid': 'u', 'desiredAPIVersion': 'example.com/v2', 'objects': [%s, {'apiVersion': 'example.com/v1', \
                'kind': 'Shelf', 'metadata': {'namespace': 'n', 'name': 'x'}, 'spec': {'boards': -1}}]}""".formatted(shelf("red")));

        assertThat(response.getAsJsonObject("result").get("message").getAsString())
                .isEqualTo(
                        "Shelf n/x from example.com/v1 to example.com/v2: spec.boards: must not be negative, but is -1");
        assertThat(response.getAsJsonArray("convertedObjects")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            /convert    | garbage                                                                     | the body is no JSON object
            /convert    | {"a":                                                                       | the body is no JSON:
            /convert    | {}                                                                          | the field apiVersion is missing or no text
            /convert    | {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}            | apiextensions.k8s.io/v1 ConversionReview is asked for on /convert, but the body is admission.k8s.io/v1 AdmissionReview
            /convert    | {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}       | the review has no request
            /convert    | {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": {"uid": "u", "desiredAPIVersion": "v"}} | request.objects is no list
            /validate/a | {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {}} | the field uid is missing or no text
            /validate/a | {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "operation": "CONNECT"}} | operation CONNECT is none that is asked for here
            /validate/a | {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "operation": "DELETE"}} | the field oldObject is missing
            /validate/b | {}                                                                          | nothing is served on /validate/b
            """)
    void aBadRequestIsToldInASentence(String path, String body, String sentence) {
        assertThatThrownBy(() -> answer(reviews(NONE), path, body))
                .isInstanceOf(BadRequestException.class)
                .message()
                .startsWith(sentence);
    }

    @Test
    void whatABeanThrowsIsThrown() {
        assertThatThrownBy(() -> response("/validate/a", admission("CREATE", shelf("throws"), "null")))
                .hasMessage("out of paint");
    }

    @Test
    void nothingIsDecidedBeforeACacheIsFilled() {
        WebhookCaches caches = new WebhookCaches("w", new WebhookDescription().reads(ResourceTypes.SECRET));

        assertThatThrownBy(() -> answer(
                        reviews(caches),
                        "/validate/a",
                        "{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": "
                                + admission("CREATE", shelf("a"), "null").replace('\'', '"') + "}"))
                .hasMessage("the cache of secrets/v1 has not synced; try again");
    }
}
