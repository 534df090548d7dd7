package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the annotations of an object ask for, for the controller foo. */
class OperatorAnnotationsTest {

    private static final OperatorAnnotations OURS = OperatorAnnotations.DEFAULTS;
    private static final OperatorAnnotations WITH_CLUSTER_API =
            new OperatorAnnotations("example.com/stop", "example.com/now", true);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // value                    | paused | paused while it is deleted | what means nothing
                "true                       | true   | false | ''",
                "' TRUE '                   | true   | false | ''",
                "including-deletion         | true   | true  | ''",
                "Including-Deletion         | true   | true  | ''",
                "foo                        | true   | false | ''",
                "FOO                        | true   | false | ''",
                "'bar , foo'                | true   | false | ''",
                "'bar,including-deletion'   | true   | true  | ''",
                "bar                        | false  | false | ''",
                "false                      | false  | false | ''",
                "''                         | false  | false | '\"\"'",
                "foo-2                      | false  | false | '\"foo-2\"'",
                "'foo,flase'                | true   | false | '\"flase\"'",
                "yes                        | false  | false | '\"yes\"'",
                "including deletion         | false  | false | '\"including deletion\"'",
                "'true,'                    | true   | false | '\"\"'",
            })
    void aValuePausesOrMeansNothing(String value, boolean paused, boolean pausedWhileDeleted, String unknown) {
        String annotation = "controller-manager.io/paused";
        V1ConfigMap object = object(Map.of(annotation, value));
        String by = annotation + "=" + value;
        assertThat(OURS.pausedBy(object, "foo")).isEqualTo(paused ? by : null);
        assertThat(OURS.unknown(object, List.of("foo", "bar")))
                .isEqualTo(unknown.isEmpty() ? List.of() : List.of(unknown.replace("\"", "")));
        object.getMetadata().setDeletionTimestamp(OffsetDateTime.MIN);
        assertThat(OURS.pausedBy(object, "foo")).isEqualTo(pausedWhileDeleted ? by : null);
    }

    @Test
    void clusterApisAnnotationPausesByBeingThereIfItIsUnderstood() {
        V1ConfigMap object = object(Map.of("cluster.x-k8s.io/paused", ""));
        assertThat(OURS.pausedBy(object, "foo")).isNull();
        assertThat(WITH_CLUSTER_API.pausedBy(object, "foo")).isEqualTo("cluster.x-k8s.io/paused=");
        object.getMetadata().setDeletionTimestamp(OffsetDateTime.MIN);
        assertThat(WITH_CLUSTER_API.pausedBy(object, "foo")).isNotNull();
        object.getMetadata().setAnnotations(null);
        assertThat(WITH_CLUSTER_API.pausedBy(object, "foo")).isNull();
        assertThat(WITH_CLUSTER_API.pausedBy(null, "foo")).isNull();
    }

    @Test
    void namesAreWhatTheyAreSetTo() {
        assertThat(WITH_CLUSTER_API.pausedBy(object(Map.of("example.com/stop", "true")), "foo"))
                .isEqualTo("example.com/stop=true");
        assertThat(WITH_CLUSTER_API.pausedBy(object(Map.of("controller-manager.io/paused", "true")), "foo"))
                .isNull();
        assertThat(WITH_CLUSTER_API.asks(object(Map.of("example.com/now", "1"))))
                .isTrue();
        assertThat(WITH_CLUSTER_API.asks(object(Map.of("controller-manager.io/reconcile-at", "1"))))
                .isFalse();
    }

    @Test
    void aChangeOfEitherIsSeen() {
        V1ConfigMap none = object(null);
        V1ConfigMap paused = object(Map.of("controller-manager.io/paused", "bar"));
        V1ConfigMap asked = object(Map.of("controller-manager.io/reconcile-at", "1"));
        V1ConfigMap askedAgain = object(Map.of("controller-manager.io/reconcile-at", "2"));
        V1ConfigMap other = object(Map.of("else", "1"));
        assertThat(OURS.differ(none, paused, "bar")).isTrue();
        assertThat(OURS.differ(paused, none, "bar")).isTrue();
        // Another's pause is no reason to reconcile at once.
        assertThat(OURS.differ(none, paused, "foo")).isFalse();
        assertThat(OURS.differ(paused, none, "foo")).isFalse();
        assertThat(OURS.differ(none, asked, "foo")).isTrue();
        assertThat(OURS.differ(asked, askedAgain, "foo")).isTrue();
        assertThat(OURS.differ(asked, none, "foo")).isTrue();
        assertThat(OURS.differ(none, other, "foo")).isFalse();
        V1ConfigMap all = object(Map.of("controller-manager.io/paused", "true"));
        V1ConfigMap goes = object(Map.of("controller-manager.io/paused", "true"));
        goes.getMetadata().setDeletionTimestamp(OffsetDateTime.MIN);
        assertThat(OURS.differ(all, goes, "foo")).isTrue();
    }

    private static V1ConfigMap object(@Nullable Map<String, String> annotations) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name("web").annotations(annotations));
    }
}
