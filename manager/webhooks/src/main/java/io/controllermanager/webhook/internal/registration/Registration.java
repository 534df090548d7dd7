package io.controllermanager.webhook.internal.registration;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.webhook.FailurePolicy;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.AdmissionregistrationV1ServiceReference;
import io.kubernetes.client.openapi.models.AdmissionregistrationV1WebhookClientConfig;
import io.kubernetes.client.openapi.models.ApiextensionsV1WebhookClientConfig;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1LabelSelectorRequirement;
import io.kubernetes.client.openapi.models.V1MatchCondition;
import io.kubernetes.client.openapi.models.V1MutatingWebhook;
import io.kubernetes.client.openapi.models.V1MutatingWebhookConfiguration;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1RuleWithOperations;
import io.kubernetes.client.openapi.models.V1ValidatingWebhook;
import io.kubernetes.client.openapi.models.V1ValidatingWebhookConfiguration;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the API server asks the webhooks of an application, and the objects that tell it. None of them has a {@code caBundle}.
 *
 * @param name that of the Service and of both configurations
 * @param namespace that of the application
 * @param url where it is asked instead of the Service, null if the Service is
 */
public record Registration(
        String name, String namespace, @Nullable URI url) {

    /** The Service's port. */
    public static final int SERVICE_PORT = 443;

    private static final List<String> SYSTEM_NAMESPACES = List.of("kube-system", "kube-public", "kube-node-lease");

    /**
     * True for an update that changes anything but a status and what the API server and finalizers are about; of an object
     * that is being deleted, anything but its metadata.
     */
    private static final V1MatchCondition MORE_THAN_FINALIZERS = new V1MatchCondition()
            .name(AdmissionWebhook.MORE_THAN_FINALIZERS)
            .expression("request.operation != 'UPDATE'"
                    + " || object.exists(k, !(k in ['metadata', 'status'])"
                    + " && !(k in oldObject && object[k] == oldObject[k]))"
                    + " || oldObject.exists(k, k != 'status' && !(k in object))"
                    + " || !has(oldObject.metadata.deletionTimestamp)"
                    + " && ['labels', 'annotations', 'ownerReferences'].exists(k,"
                    + " (k in object.metadata) != (k in oldObject.metadata)"
                    + " || k in object.metadata && object.metadata[k] != oldObject.metadata[k])");

    /**
     * The configurations for the API server: one for defaulters and one for validators, as far as there are any. The same
     * webhooks give the same objects.
     */
    public List<KubernetesObject> configurations(Webhooks webhooks) {
        List<KubernetesObject> configurations = new ArrayList<>();
        V1ObjectMeta metadata = new V1ObjectMeta().name(name);
        if (!webhooks.defaulters().isEmpty()) {
            configurations.add(new V1MutatingWebhookConfiguration()
                    .apiVersion("admissionregistration.k8s.io/v1")
                    .kind("MutatingWebhookConfiguration")
                    .metadata(metadata)
                    .webhooks(webhooks.defaulters().stream().map(this::mutating).toList()));
        }
        if (!webhooks.validators().isEmpty()) {
            configurations.add(new V1ValidatingWebhookConfiguration()
                    .apiVersion("admissionregistration.k8s.io/v1")
                    .kind("ValidatingWebhookConfiguration")
                    .metadata(metadata)
                    .webhooks(
                            webhooks.validators().stream().map(this::validating).toList()));
        }
        return configurations;
    }

    /** Where conversions are asked for, as a CRD has it. */
    public ApiextensionsV1WebhookClientConfig conversion() {
        return sameFields(client(WebhookNames.CONVERT_PATH), ApiextensionsV1WebhookClientConfig.class);
    }

    private V1MutatingWebhook mutating(AdmissionWebhook webhook) {
        return webhook(WebhookNames.mutating(webhook.type()), WebhookNames.mutatePath(webhook.type()), webhook)
                .reinvocationPolicy(webhook.reinvoked() ? "IfNeeded" : "Never");
    }

    private V1ValidatingWebhook validating(AdmissionWebhook webhook) {
        return sameFields(
                webhook(WebhookNames.validating(webhook.type()), WebhookNames.validatePath(webhook.type()), webhook),
                V1ValidatingWebhook.class);
    }

    /** What both kinds have. */
    private V1MutatingWebhook webhook(String called, String path, AdmissionWebhook webhook) {
        return new V1MutatingWebhook()
                .name(called)
                .admissionReviewVersions(List.of("v1"))
                .clientConfig(client(path))
                .failurePolicy(webhook.failurePolicy() == FailurePolicy.FAIL ? "Fail" : "Ignore")
                .matchConditions(matchConditions(webhook))
                .matchPolicy("Equivalent")
                .namespaceSelector(namespaces(webhook))
                .rules(List.of(rule(webhook)))
                .sideEffects(webhook.sideEffectsUnlessDryRun() ? "NoneOnDryRun" : "None")
                .timeoutSeconds(webhook.timeoutSeconds());
    }

    private AdmissionregistrationV1WebhookClientConfig client(String path) {
        AdmissionregistrationV1WebhookClientConfig client = new AdmissionregistrationV1WebhookClientConfig();
        return url != null
                ? client.url(url.toString().replaceFirst("/+$", "") + path)
                : client.service(new AdmissionregistrationV1ServiceReference()
                        .name(name)
                        .namespace(namespace)
                        .path(path)
                        .port(SERVICE_PORT));
    }

    /** client-java has classes of its own for each group and kind, even where the fields are the same. */
    private static <T> T sameFields(Object model, Class<T> type) {
        return ApiJson.read(ApiJson.tree(model), ApiJson.adapter(type));
    }

    private static List<V1MatchCondition> matchConditions(AdmissionWebhook webhook) {
        return webhook.operations().contains("UPDATE")
                ? Stream.concat(Stream.of(MORE_THAN_FINALIZERS), webhook.matchConditions().stream())
                        .toList()
                : webhook.matchConditions();
    }

    /** All for a type of the application; for others neither the system's nor its own, so that it can be mended when it is down. */
    private @Nullable V1LabelSelector namespaces(AdmissionWebhook webhook) {
        if (webhook.isOfOwnType()) {
            return null;
        }
        List<String> left = new ArrayList<>(SYSTEM_NAMESPACES);
        left.add(namespace);
        return new V1LabelSelector()
                .addMatchExpressionsItem(new V1LabelSelectorRequirement()
                        .key("kubernetes.io/metadata.name")
                        .operator("NotIn")
                        .values(left));
    }

    private static V1RuleWithOperations rule(AdmissionWebhook webhook) {
        ResourceType<?> type = webhook.type();
        return new V1RuleWithOperations()
                .apiGroups(List.of(type.group()))
                .apiVersions(List.of(type.version()))
                .operations(webhook.operations())
                .resources(List.of(type.plural()))
                .scope(
                        switch (webhook.scope()) {
                            case ANY -> "*";
                            case NAMESPACED -> "Namespaced";
                            case CLUSTER -> "Cluster";
                        });
    }
}
