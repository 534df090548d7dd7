package io.controllermanager.maven;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.PolicyRules;
import io.controllermanager.webhook.Defaulter;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.WebhookDescription;
import io.controllermanager.webhook.internal.registration.AdmissionWebhook;
import io.controllermanager.webhook.internal.registration.Webhooks;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.objenesis.ObjenesisStd;

/**
 * What the process may do for a module's webhooks, in the file {@code webhooks.yaml}: keep certificates, tell the API server of
 * them, read what validators and defaulters read, and store again what is stored in an old version.
 */
final class WebhookRightsGenerator implements Generator {

    private static final String NAME = ModuleWebhooks.REGISTRATION.name();

    @Override
    public Map<String, String> generate(CompiledModule module) {
        Webhooks webhooks = ModuleWebhooks.of(module);
        return webhooks.isEmpty()
                ? Map.of()
                : Map.of(
                        "webhooks.yaml",
                        RightsText.of(
                                webhooks.classes(),
                                "What is done for webhooks. The chart has the name of its release in place of " + NAME
                                        + ".",
                                hostRules(),
                                clusterRules(webhooks),
                                rules(webhooks)));
    }

    private static List<V1PolicyRule> hostRules() {
        return List.of(PolicyRules.of(ResourceTypes.SECRET, "get", "list", "watch", "create", "patch")
                .addResourceNamesItem(NAME));
    }

    private static List<V1PolicyRule> clusterRules(Webhooks webhooks) {
        List<V1PolicyRule> rules = new ArrayList<>();
        List<String> configurations = new ArrayList<>();
        if (!webhooks.defaulters().isEmpty()) {
            configurations.add("mutatingwebhookconfigurations");
        }
        if (!webhooks.validators().isEmpty()) {
            configurations.add("validatingwebhookconfigurations");
        }
        if (!configurations.isEmpty()) {
            rules.add(new V1PolicyRule()
                    .addApiGroupsItem("admissionregistration.k8s.io")
                    .resources(configurations)
                    .addResourceNamesItem(NAME)
                    .verbs(List.of("get", "list", "watch", "patch")));
        }
        if (!webhooks.convertedTypes().isEmpty()) {
            ResourceType<?> crds = ResourceTypes.CUSTOM_RESOURCE_DEFINITION;
            rules.add(PolicyRules.of(crds, "get", "list", "watch", "patch").resourceNames(webhooks.convertedTypes()));
            rules.add(PolicyRules.ofSubresource(crds, "status", "update").resourceNames(webhooks.convertedTypes()));
        }
        return rules;
    }

    private static List<V1PolicyRule> rules(Webhooks webhooks) {
        List<V1PolicyRule> rules = new ArrayList<>();
        webhooks.converters().forEach(converter -> rules.add(PolicyRules.of(converter.hub(), "list", "patch")));
        Stream.concat(webhooks.defaulters().stream(), webhooks.validators().stream())
                .flatMap(webhook -> describe(webhook).selections().stream())
                .forEach(selection -> rules.add(PolicyRules.of(selection.type(), "list", "watch")));
        return PolicyRules.merged(rules);
    }

    private static WebhookDescription describe(AdmissionWebhook webhook) {
        WebhookDescription description = new WebhookDescription();
        Object bean = new ObjenesisStd().newInstance(webhook.beanClass());
        RightsGenerator.describing(webhook.beanClass(), () -> {
            if (bean instanceof Validator<?> validator) {
                validator.describe(description);
            } else {
                ((Defaulter<?>) bean).describe(description);
            }
            return description;
        });
        return description;
    }
}
