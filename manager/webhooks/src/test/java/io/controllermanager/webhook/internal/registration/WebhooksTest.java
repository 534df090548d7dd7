package io.controllermanager.webhook.internal.registration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.Converter;
import io.controllermanager.webhook.Defaulter;
import io.controllermanager.webhook.FailurePolicy;
import io.controllermanager.webhook.MutatingWebhook;
import io.controllermanager.webhook.ValidatingWebhook;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.Verdict;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1MatchCondition;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebhooksTest {

    @CustomResource(group = "example.com", version = "v1", kind = "Site")
    static final class SiteV1 extends CustomObject<String, Void> {}

    @CustomResource(group = "example.com", version = "v2", kind = "Site", storage = false)
    static final class SiteV2 extends CustomObject<String, Void> {}

    @CustomResource(group = "example.com", version = "v3", kind = "Site", storage = false)
    static final class SiteV3 extends CustomObject<String, Void> {}

    @CustomResource(group = "example.com", version = "v1")
    static final class Page extends CustomObject<String, Void> {}

    /** Asks for an operation by a method that it has inherited. */
    abstract static class Careful<T extends KubernetesObject> implements Validator<T> {
        @Override
        public Verdict delete(T object, Admission<T> admission) {
            return Verdict.allowed();
        }
    }

    @ValidatingWebhook(
            value = SiteV1.class,
            matchConditions = {"not-kubelet = !('system:nodes' in request.userInfo.groups)", "named=object.a == 'b'"})
    static final class Valid extends Careful<SiteV1> {
        @Override
        public Verdict create(SiteV1 object, Admission<SiteV1> admission) {
            return Verdict.allowed();
        }
    }

    @ValidatingWebhook(SiteV2.class)
    static final class OfAnotherVersion extends Careful<SiteV2> {}

    @ValidatingWebhook(Page.class)
    static final class OfPages extends Careful<Page> {}

    @ValidatingWebhook(Page.class)
    static final class OfAnotherClass extends Careful<SiteV1> {}

    @ValidatingWebhook(SiteV1.class)
    static final class Idle implements Validator<SiteV1> {}

    @ValidatingWebhook(SiteV1.class)
    static final class NoValidator {}

    @ValidatingWebhook(value = SiteV1.class, timeoutSeconds = 31)
    static final class TooSlow extends Careful<SiteV1> {}

    @ValidatingWebhook(value = SiteV1.class, matchConditions = "object.a == 'b'")
    static final class Nameless extends Careful<SiteV1> {}

    @ValidatingWebhook(
            value = SiteV1.class,
            matchConditions = {"a=true", "a=false"})
    static final class NamedTwice extends Careful<SiteV1> {}

    @ValidatingWebhook(value = SiteV1.class, matchConditions = "more-than-finalizers=true")
    static final class NamedAsOurs extends Careful<SiteV1> {}

    @ValidatingWebhook(V1Node.class)
    static final class OfNodes extends Careful<V1Node> {}

    @ValidatingWebhook(value = V1Node.class, failurePolicy = FailurePolicy.IGNORE)
    static final class OfNodesIfItAnswers extends Careful<V1Node> {}

    @ValidatingWebhook(value = V1Node.class, matchConditions = "human=!request.userInfo.username.startsWith('system:')")
    static final class OfSomeNodes extends Careful<V1Node> {}

    @ValidatingWebhook(V1Namespace.class)
    static final class OfNamespaces extends Careful<V1Namespace> {}

    @CustomResource(group = "example.com", version = "v1", namespaced = false)
    static final class Region extends CustomObject<String, Void> {}

    @ValidatingWebhook(Region.class)
    static final class OfRegions extends Careful<Region> {}

    static final class Unknown extends V1Pod {}

    @ValidatingWebhook(Unknown.class)
    static final class OfAnUnknownType extends Careful<Unknown> {}

    @MutatingWebhook(value = V1ConfigMap.class, timeoutSeconds = 1, reinvoked = true)
    static final class Fills implements Defaulter<V1ConfigMap> {
        @Override
        public V1ConfigMap withDefaults(V1ConfigMap object, Admission<V1ConfigMap> admission) {
            return object;
        }
    }

    @MutatingWebhook(value = V1ConfigMap.class, timeoutSeconds = 0)
    static final class HasNoTime implements Defaulter<V1ConfigMap> {
        @Override
        public V1ConfigMap withDefaults(V1ConfigMap object, Admission<V1ConfigMap> admission) {
            return object;
        }
    }

    abstract static class Converts<S extends KubernetesObject, H extends KubernetesObject> implements Converter<S, H> {
        @Override
        public H toHub(S object) {
            throw new AssertionError();
        }

        @Override
        public S fromHub(H hub) {
            throw new AssertionError();
        }
    }

    @ConversionWebhook(value = SiteV1.class, hub = SiteV3.class)
    static final class V1ToV3 extends Converts<SiteV1, SiteV3> {}

    @ConversionWebhook(value = SiteV2.class, hub = SiteV3.class)
    static final class V2ToV3 extends Converts<SiteV2, SiteV3> {}

    @ConversionWebhook(value = SiteV2.class, hub = SiteV1.class)
    static final class V2ToV1 extends Converts<SiteV2, SiteV1> {}

    @ConversionWebhook(value = SiteV1.class, hub = SiteV2.class)
    static final class V1ToV2 extends Converts<SiteV1, SiteV2> {}

    @ConversionWebhook(value = SiteV1.class, hub = Page.class)
    static final class ToAnotherType extends Converts<SiteV1, Page> {}

    @ConversionWebhook(value = SiteV1.class, hub = SiteV1.class)
    static final class ToItself extends Converts<SiteV1, SiteV1> {}

    @ConversionWebhook(value = SiteV1.class, hub = V1Pod.class)
    static final class ToABuiltIn extends Converts<SiteV1, V1Pod> {}

    @ConversionWebhook(value = SiteV1.class, hub = SiteV2.class)
    static final class HubOfAnotherClass extends Converts<SiteV1, SiteV3> {}

    @Test
    void areWhatTheirClassesSay() {
        Webhooks webhooks =
                Webhooks.of(List.of(V2ToV3.class, Valid.class, OfPages.class, String.class, Fills.class, V1ToV3.class));

        assertThat(webhooks.validators())
                .extracting(AdmissionWebhook::beanClass)
                .containsExactly(OfPages.class, Valid.class);
        assertThat(webhooks.validators().get(1).operations()).containsExactly("CREATE", "DELETE");
        assertThat(webhooks.validators().get(1).matchConditions())
                .containsExactly(
                        new V1MatchCondition()
                                .name("not-kubelet")
                                .expression("!('system:nodes' in request.userInfo.groups)"),
                        new V1MatchCondition().name("named").expression("object.a == 'b'"));
        assertThat(webhooks.defaulters()).singleElement().satisfies(defaulter -> {
            assertThat(defaulter.operations()).containsExactly("CREATE", "UPDATE");
            assertThat(defaulter.timeoutSeconds()).isEqualTo(1);
            assertThat(defaulter.reinvoked()).isTrue();
        });
        assertThat(webhooks.converters())
                .extracting(VersionConverter::beanClass)
                .containsExactly(V1ToV3.class, V2ToV3.class);
        assertThat(webhooks.convertedTypes()).containsExactly("sites.example.com");
        assertThat(webhooks.isEmpty()).isFalse();
        assertThat(Webhooks.of(List.of(String.class)).isEmpty()).isTrue();
    }

    /** Nothing of the system waits for one that is down. */
    @ParameterizedTest
    @ValueSource(classes = {OfNodesIfItAnswers.class, OfSomeNodes.class, OfNamespaces.class, OfRegions.class})
    void mayBeForObjectsWithoutNamespaces(Class<?> validator) {
        assertThat(Webhooks.of(List.of(validator)).validators()).hasSize(1);
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                refused("it has @ValidatingWebhook but is no Validator", NoValidator.class),
                refused("it has none of the methods create, update and delete", Idle.class),
                refused(
                        "@ValidatingWebhook names X$Page, but it is a Validator of X$SiteV1: name the same class in both",
                        OfAnotherClass.class),
                refused("timeoutSeconds = 31 is not from 1 to 30", TooSlow.class),
                refused("timeoutSeconds = 0 is not from 1 to 30", HasNoTime.class),
                refused("matchConditions: \"object.a == 'b'\" is no name=expression", Nameless.class),
                refused("matchConditions: the name \"a\" is taken", NamedTwice.class),
                refused("matchConditions: the name \"more-than-finalizers\" is taken", NamedAsOurs.class),
                refused("X$Unknown has no @CustomResource", OfAnUnknownType.class),
                refused(
                        "failurePolicy = FAIL for nodes/v1, but its objects have no namespace by which those of the system are"
                                + " left out: while nobody answers, the cluster could not be mended. Give matchConditions that"
                                + " leave them out, or failurePolicy = IGNORE",
                        OfNodes.class),
                refused(
                        "X$Valid has @ValidatingWebhook for sites.example.com too: make one of them",
                        OfAnotherVersion.class,
                        Valid.class),
                refused(
                        "hub = X$Page, which is pages.example.com/v1, is no other version of sites.example.com/v1",
                        ToAnotherType.class),
                refused(
                        "hub = X$SiteV1, which is sites.example.com/v1, is no other version of sites.example.com/v1",
                        ToItself.class),
                refused("io.kubernetes.client.openapi.models.V1Pod has no @CustomResource", ToABuiltIn.class),
                refused(
                        "@ConversionWebhook names X$SiteV2, but it is a Converter of X$SiteV3: name the same class in both",
                        HubOfAnotherClass.class),
                refused(
                        "X$V1ToV3 has @ConversionWebhook for sites.example.com/v1 too: make one of them",
                        V1ToV2.class,
                        V1ToV3.class),
                refused(
                        "hub = sites.example.com/v1, but X$V1ToV3 has the hub sites.example.com/v3: all converters of a"
                                + " type have one hub",
                        V2ToV1.class,
                        V1ToV3.class));
    }

    /** The first of the classes is refused, once the others are known. */
    private static Arguments refused(String problem, Class<?>... classes) {
        return Arguments.of(problem, Arrays.asList(classes));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void sayWhatIsWrongWithOne(String problem, List<Class<?>> classes) {
        Stream<Class<?>> others = classes.subList(1, classes.size()).stream();
        assertThatThrownBy(() -> Webhooks.of(Stream.concat(others, Stream.<Class<?>>of(classes.get(0)))
                        .toList()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(classes.get(0).getName() + ": "
                        + problem.replace("X$", getClass().getName() + "$"));
    }
}
