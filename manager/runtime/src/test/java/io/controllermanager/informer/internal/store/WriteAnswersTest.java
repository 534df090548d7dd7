package io.controllermanager.informer.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.ResourcePath;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1NamespaceSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WriteAnswersTest {

    private static final String DELETED = "'deletionTimestamp':'2026-01-01T00:00:00Z'";

    private final WriteAnswers<V1Namespace> answers = new WriteAnswers<>(
            "",
            "v1",
            "namespaces",
            "Namespace",
            Set.of(),
            Objects.requireNonNull(SelectedObjects.of(null, null)),
            ApiJson.adapter(V1Namespace.class),
            UnaryOperator.identity());

    private WriteAnswers.@Nullable Answer<V1Namespace> read(String method, String metadata, String spec) {
        String answer =
                "{'kind':'Namespace','apiVersion':'v1','metadata':{'name':'a','uid':'u','resourceVersion':'7'%s},'spec':{%s}}"
                        .formatted(metadata.isEmpty() ? "" : "," + metadata, spec);
        return answers.read(path(null), method, object(answer));
    }

    private static ResourcePath path(@Nullable String subresource) {
        return new ResourcePath("", "v1", "namespaces", null, "a", subresource);
    }

    private void assertStored(WriteAnswers.@Nullable Answer<V1Namespace> answer) {
        assertThat(answer).isInstanceOfSatisfying(WriteAnswers.Answer.Stored.class, stored -> {
            assertThat(stored.version()).isEqualTo(7);
            assertThat(Objects.requireNonNull(stored.object())).isInstanceOf(V1Namespace.class);
        });
    }

    private void assertGone(WriteAnswers.@Nullable Answer<V1Namespace> answer) {
        assertThat(answer).isEqualTo(new WriteAnswers.Answer.Deleted<V1Namespace>("a", null, "u", 7));
    }

    @Test
    void knowsWhatADeletionLeavesThere() {
        assertStored(read("DELETE", DELETED, "'finalizers':['kubernetes']"));
        assertStored(read("DELETE", DELETED, ""));
        assertStored(read("DELETE", DELETED + ",'deletionGracePeriodSeconds':30", ""));
        assertStored(read("DELETE", DELETED + ",'deletionGracePeriodSeconds':0,'finalizers':['a/b']", ""));
        assertStored(read("DELETE", DELETED + ",'deletionGracePeriodSeconds':0", "'finalizers':['kubernetes']"));

        assertGone(read("DELETE", "", ""));
        assertGone(read("DELETE", DELETED + ",'deletionGracePeriodSeconds':0", ""));
        assertGone(read("DELETE", DELETED + ",'deletionGracePeriodSeconds':0,'finalizers':[]", "'finalizers':[]"));
    }

    @Test
    void knowsTheUpdateThatEndsAnObject() {
        assertGone(read("PATCH", DELETED + ",'deletionGracePeriodSeconds':0", ""));
        assertGone(read("PUT", DELETED + ",'deletionGracePeriodSeconds':0,'finalizers':[]", ""));

        assertGone(read("PUT", DELETED, "'finalizers':[]"));

        assertStored(read("PUT", "", ""));
        assertStored(read("PUT", DELETED, "'finalizers':['kubernetes']"));
        assertStored(read("PUT", DELETED + ",'deletionGracePeriodSeconds':30", ""));
        assertStored(read("PUT", DELETED + ",'deletionGracePeriodSeconds':0,'finalizers':['a/b']", ""));
        assertStored(read("PUT", DELETED + ",'deletionGracePeriodSeconds':0", "'finalizers':['kubernetes']"));
    }

    @Test
    void readsWhatIsStored() {
        WriteAnswers.Answer<V1Namespace> answer = read("PATCH", "'labels':{'a':'b'}", "'finalizers':['kubernetes']");

        assertThat(answer)
                .isEqualTo(new WriteAnswers.Answer.Stored<>(
                        "a",
                        null,
                        new V1Namespace()
                                .apiVersion("v1")
                                .kind("Namespace")
                                .metadata(new V1ObjectMeta()
                                        .name("a")
                                        .uid("u")
                                        .resourceVersion("7")
                                        .labels(Map.of("a", "b")))
                                .spec(new V1NamespaceSpec().finalizers(List.of("kubernetes"))),
                        7));
    }

    /** As informers without selectors have it. */
    @Test
    void selectsAllByEmptySelectors() {
        JsonObject any = object("{'metadata':{'name':'a'}}");
        assertThat(Objects.requireNonNull(SelectedObjects.of("", "")).contains(any))
                .isTrue();
        assertThat(Objects.requireNonNull(SelectedObjects.of("a=b", "")).contains(any))
                .isFalse();
        assertThat(Objects.requireNonNull(SelectedObjects.of("", "metadata.name=b"))
                        .contains(any))
                .isFalse();
    }

    private static JsonObject object(String json) {
        return JsonParser.parseString(json.replace('\'', '"')).getAsJsonObject();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Success'}",
                "{'kind':'Status','apiVersion':'v1','metadata':{'name':'a'},'status':'Success'}",
                "{'kind':'Scale','apiVersion':'v1','metadata':{'name':'a'}}",
                "{'kind':'Namespace','apiVersion':'v2','metadata':{'name':'a'}}",
                "{'kind':'Namespace','apiVersion':'v1','metadata':{}}",
                "{'kind':'Namespace','apiVersion':'v1'}"
            })
    void passesOverWhatIsNoObjectOfTheType(String answer) {
        assertThat(answers.read(path(null), "PUT", object(answer))).isNull();
    }

    @Test
    void isNotConcernedByWhatAProxyAnswers() {
        assertThat(answers.concerns(path("finalize"))).isTrue();
        assertThat(answers.concerns(path("proxy/healthz"))).isFalse();
    }
}
