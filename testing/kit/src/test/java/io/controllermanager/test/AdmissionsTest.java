package io.controllermanager.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.informer.Selection;
import io.controllermanager.reconciler.Index;
import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.Defaulter;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.Verdict;
import io.controllermanager.webhook.Verdict.Refusal;
import io.controllermanager.webhook.WebhookDescription;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AdmissionsTest {

    private static final Index<Greeting> TEXT =
            Index.of("text", greeting -> greeting.spec().text());
    private static final Selection<V1ConfigMap> LABELLED =
            Selection.of(ResourceTypes.CONFIG_MAP).labelled(Map.of("a", "b"));

    private static final class Manners implements Validator<Greeting> {

        @Override
        public void describe(WebhookDescription description) {
            description.reads(Greeting.TYPE, TEXT).reads(LABELLED).reads(ResourceTypes.NAMESPACE);
        }

        @Override
        public Verdict create(Greeting greeting, Admission<Greeting> admission) {
            Verdict verdict = admission.find(ResourceTypes.NAMESPACE, "default") == null
                    ? Verdict.allowed().refuse("nowhere")
                    : Verdict.allowed();
            for (Greeting other : admission.find(TEXT, greeting.spec().text())) {
                verdict = verdict.invalid("spec.text", greeting.spec().text(), "is said by " + other.name());
            }
            return admission.find(LABELLED, greeting.spec().configMapName()) == null
                    ? verdict
                    : verdict.duplicate("spec.configMapName", greeting.spec().configMapName());
        }

        @Override
        public Verdict update(Greeting greeting, Greeting before, Admission<Greeting> admission) {
            return before.equals(admission.before())
                    ? Verdict.allowed().refuse(before.name() + " to " + greeting.name())
                    : Verdict.allowed();
        }

        @Override
        public Verdict delete(Greeting greeting, Admission<Greeting> admission) {
            return Verdict.allowed()
                    .refuse(admission.operation() + " by " + admission.user().getUsername() + " of "
                            + admission.user().getGroups() + " in " + admission.namespace()
                            + (admission.isDryRun() ? ", dry" : ""));
        }
    }

    private static V1ObjectMeta named(String namespace, String name) {
        return new V1ObjectMeta().namespace(namespace).name(name);
    }

    private static Admissions<Greeting, Verdict> admissions() {
        return Admissions.of(new Manners()).with(new V1Namespace().metadata(named(null, "default")));
    }

    @Test
    void aWebhookReadsWhatTheTestGives() {
        Verdict verdict = admissions()
                .with(new Greeting("first", "a", "Hello"), new Greeting("second", "b", "Bye"))
                .with(new V1ConfigMap().metadata(named("default", "c")))
                .with(new V1ConfigMap().metadata(named("other", "d")))
                .create(new Greeting("third", "c", "Hello"));

        assertThat(verdict.refusals())
                .extracting(Refusal::field, Refusal::message)
                .containsExactly(tuple("spec.text", "is said by first"), tuple("spec.configMapName", ""));
    }

    @Test
    void nothingIsFoundWhereTheTestGivesNothing() {
        assertThat(admissions().create(new Greeting("a", "a", "Hello")).isAllowed())
                .isTrue();
    }

    @Test
    void anUpdateHasWhatWasBefore() {
        assertThat(admissions()
                        .update(new Greeting("a", "a", "Hello"), new Greeting("b", "a", "Hello"))
                        .refusals())
                .extracting(Refusal::message)
                .containsExactly("a to b");
    }

    @Test
    void whoAsksAndHowIsToTheTest() {
        assertThat(admissions()
                        .by("jo", "admins")
                        .dryRun()
                        .delete(new Greeting("a", "a", "Hello"))
                        .refusals())
                .extracting(Refusal::message)
                .containsExactly("DELETE by jo of [admins] in default, dry");
    }

    @Test
    void aDefaulterGetsACopy() {
        Greeting greeting = new Greeting("a", "a", "Hello");
        Defaulter<Greeting> defaulter = (object, admission) -> {
            object.setSpec(new Greeting.Spec("b", object.spec().text()));
            return object;
        };

        assertThat(Admissions.of(defaulter).create(greeting).spec().configMapName())
                .isEqualTo("b");
        assertThat(greeting.spec().configMapName()).isEqualTo("a");
    }

    @Test
    void whatTheDescriptionDoesNotNameIsNotRead() {
        Defaulter<Greeting> reader = (object, admission) -> {
            admission.find(ResourceTypes.SECRET, "a");
            return object;
        };
        Defaulter<Greeting> byIndex = (object, admission) -> {
            admission.find(TEXT, "a");
            return object;
        };

        assertThatThrownBy(() -> Admissions.of(reader).create(new Greeting("a", "a", "Hello")))
                .hasMessage("describe(...) does not name secrets/v1");
        assertThatThrownBy(() -> Admissions.of(byIndex).create(new Greeting("a", "a", "Hello")))
                .hasMessage("describe(...) does not name index text");
        assertThatThrownBy(() -> Admissions.of(reader).with(new Greeting("a", "a", "Hello")))
                .hasMessage("describe(...) does not name Greeting");
    }
}
