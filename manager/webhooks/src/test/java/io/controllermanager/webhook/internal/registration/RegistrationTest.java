package io.controllermanager.webhook.internal.registration;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.FailurePolicy;
import io.controllermanager.webhook.ValidatingWebhook;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.Verdict;
import io.controllermanager.webhook.WebhookScope;
import io.kubernetes.client.openapi.models.V1MutatingWebhookConfiguration;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ValidatingWebhookConfiguration;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

class RegistrationTest {

    @ValidatingWebhook(
            value = V1Pod.class,
            failurePolicy = FailurePolicy.IGNORE,
            timeoutSeconds = 3,
            sideEffectsUnlessDryRun = true,
            scope = WebhookScope.NAMESPACED,
            matchConditions = "a=true")
    static final class OfPods implements Validator<V1Pod> {
        @Override
        public Verdict update(V1Pod object, V1Pod before, Admission<V1Pod> admission) {
            return Verdict.allowed();
        }
    }

    private static final Webhooks WEBHOOKS = Webhooks.of(
            List.of(WebhooksTest.Valid.class, OfPods.class, WebhooksTest.Fills.class, WebhooksTest.V1ToV3.class));

    @Test
    void namesTheService() {
        Registration registration = new Registration("hooks", "shop", null);

        V1MutatingWebhookConfiguration mutating = (V1MutatingWebhookConfiguration)
                registration.configurations(WEBHOOKS).get(0);
        V1ValidatingWebhookConfiguration validating = (V1ValidatingWebhookConfiguration)
                registration.configurations(WEBHOOKS).get(1);

        assertThat(mutating.getMetadata().getName()).isEqualTo("hooks");
        assertThat(mutating.getWebhooks()).singleElement().satisfies(webhook -> {
            assertThat(webhook.getName()).isEqualTo("mutate.configmaps.core");
            assertThat(webhook.getReinvocationPolicy()).isEqualTo("IfNeeded");
            assertThat(webhook.getClientConfig().getService().getPath()).isEqualTo("/mutate/configmaps/v1");
            assertThat(webhook.getNamespaceSelector()
                            .getMatchExpressions()
                            .get(0)
                            .getValues())
                    .containsExactly("kube-system", "kube-public", "kube-node-lease", "shop");
        });
        assertThat(validating.getMetadata().getName()).isEqualTo("hooks");
        assertThat(validating.getWebhooks())
                .extracting(webhook -> webhook.getName())
                .containsExactly("validate.pods.core", "validate.sites.example.com");
        assertThat(validating.getWebhooks().get(0)).satisfies(webhook -> {
            assertThat(webhook.getFailurePolicy()).isEqualTo("Ignore");
            assertThat(webhook.getSideEffects()).isEqualTo("NoneOnDryRun");
            assertThat(webhook.getTimeoutSeconds()).isEqualTo(3);
            assertThat(webhook.getMatchConditions())
                    .extracting(condition -> condition.getName())
                    .containsExactly("more-than-finalizers", "a");
            assertThat(webhook.getRules()).singleElement().satisfies(rule -> {
                assertThat(rule.getOperations()).containsExactly("UPDATE");
                assertThat(rule.getScope()).isEqualTo("Namespaced");
                assertThat(rule.getResources()).containsExactly("pods");
            });
        });
        assertThat(validating.getWebhooks().get(1)).satisfies(webhook -> {
            assertThat(webhook.getFailurePolicy()).isEqualTo("Fail");
            assertThat(webhook.getSideEffects()).isEqualTo("None");
            assertThat(webhook.getNamespaceSelector()).isNull();
            assertThat(webhook.getClientConfig().getService()).satisfies(service -> {
                assertThat(service.getNamespace()).isEqualTo("shop");
                assertThat(service.getName()).isEqualTo("hooks");
                assertThat(service.getPort()).isEqualTo(443);
                assertThat(service.getPath()).isEqualTo("/validate/sites.example.com/v1");
            });
        });
        assertThat(registration.conversion().getService().getPath()).isEqualTo("/convert");
    }

    @Test
    void namesAUrlInItsPlace() {
        Registration registration = new Registration("hooks", "shop", URI.create("https://laptop:9443/"));

        assertThat(registration.configurations(WEBHOOKS))
                .last()
                .satisfies(configuration -> assertThat(((V1ValidatingWebhookConfiguration) configuration).getWebhooks())
                        .first()
                        .satisfies(webhook -> {
                            assertThat(webhook.getClientConfig().getService()).isNull();
                            assertThat(webhook.getClientConfig().getUrl())
                                    .isEqualTo("https://laptop:9443/validate/pods/v1");
                            assertThat(webhook.getNamespaceSelector()
                                            .getMatchExpressions()
                                            .get(0)
                                            .getValues())
                                    .containsExactly("kube-system", "kube-public", "kube-node-lease", "shop");
                        }));
        assertThat(registration.conversion().getUrl()).isEqualTo("https://laptop:9443/convert");
    }

    @Test
    void makesNoObjectForWhatIsNotThere() {
        assertThat(new Registration("hooks", "shop", null)
                        .configurations(Webhooks.of(List.of(WebhooksTest.V1ToV3.class))))
                .isEmpty();
    }
}
