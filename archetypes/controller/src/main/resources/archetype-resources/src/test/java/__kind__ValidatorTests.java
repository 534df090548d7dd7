package ${package};

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.test.Admissions;
import io.controllermanager.webhook.Verdict;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.junit.jupiter.api.Test;

class ${kind}ValidatorTests {

    private static ${kind} object(String namespace, String name, String message) {
        ${kind} object = new ${kind}();
        object.setMetadata(new V1ObjectMeta().namespace(namespace).name(name));
        object.setSpec(new ${kind}.Spec(message));
        return object;
    }

    private static Verdict create(${kind} object) {
        return Admissions.of(new ${kind}Validator())
                .with(object("team-a", "first", "Hello"))
                .create(object);
    }

    @Test
    void refusesAMessageThatAnotherHas() {
        assertThat(create(object("team-a", "second", "Hello")).refusals())
                .extracting(Verdict.Refusal::field)
                .containsExactly("spec.message");
    }

    @Test
    void allowsAnyOther() {
        assertThat(create(object("team-a", "second", "Bye")).isAllowed()).isTrue();
        assertThat(create(object("team-b", "first", "Hello")).isAllowed()).isTrue();
        assertThat(Admissions.of(new ${kind}Validator())
                        .with(object("team-a", "first", "Hello"))
                        .update(object("team-a", "first", "Hello"), object("team-a", "first", "Hello"))
                        .isAllowed())
                .isTrue();
    }
}
