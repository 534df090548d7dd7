package io.controllermanager.webhook.internal.registration;

import io.controllermanager.client.ResourceType;
import io.controllermanager.webhook.FailurePolicy;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.AdmissionregistrationV1ServiceReference;
import io.kubernetes.client.openapi.models.AdmissionregistrationV1WebhookClientConfig;
import io.kubernetes.client.openapi.models.ApiextensionsV1ServiceReference;
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
 * @param namespace that of the application, null if it has none
 * @param url where it is asked instead of the Service, null if the Service is
 */
public record Registration(
        String name, @Nullable String namespace, @Nullable URI url) {

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

    public Registration {
        if (url == null && namespace == null) {
            throw new IllegalArgumentException("a Service has a namespace");
        }
    }

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
        return url != null
                ? new ApiextensionsV1WebhookClientConfig().url(url(url, WebhookNames.CONVERT_PATH))
                : new ApiextensionsV1WebhookClientConfig()
                        .service(new ApiextensionsV1ServiceReference()
                                .name(name)
                                .namespace(namespace)
                                .path(WebhookNames.CONVERT_PATH)
                                .port(SERVICE_PORT));
    }

    private V1MutatingWebhook mutating(AdmissionWebhook webhook) {
        return new V1MutatingWebhook()
                .name(WebhookNames.mutating(webhook.type()))
                .admissionReviewVersions(List.of("v1"))
                .clientConfig(admission(WebhookNames.mutatePath(webhook.type())))
                .failurePolicy(failurePolicy(webhook))
                .matchConditions(matchConditions(webhook))
                .matchPolicy("Equivalent")
                .namespaceSelector(namespaces(webhook))
                .reinvocationPolicy(webhook.reinvoked() ? "IfNeeded" : "Never")
                .rules(rules(webhook))
                .sideEffects(sideEffects(webhook))
                .timeoutSeconds(webhook.timeoutSeconds());
    }

    private V1ValidatingWebhook validating(AdmissionWebhook webhook) {
        return new V1ValidatingWebhook()
                .name(WebhookNames.validating(webhook.type()))
                .admissionReviewVersions(List.of("v1"))
                .clientConfig(admission(WebhookNames.validatePath(webhook.type())))
                .failurePolicy(failurePolicy(webhook))
                .matchConditions(matchConditions(webhook))
                .matchPolicy("Equivalent")
                .namespaceSelector(namespaces(webhook))
                .rules(rules(webhook))
                .sideEffects(sideEffects(webhook))
                .timeoutSeconds(webhook.timeoutSeconds());
    }

    private AdmissionregistrationV1WebhookClientConfig admission(String path) {
        return url != null
                ? new AdmissionregistrationV1WebhookClientConfig().url(url(url, path))
                : new AdmissionregistrationV1WebhookClientConfig()
                        .service(new AdmissionregistrationV1ServiceReference()
                                .name(name)
                                .namespace(namespace)
                                .path(path)
                                .port(SERVICE_PORT));
    }

    private static String url(URI base, String path) {
        return base.toString().replaceFirst("/+$", "") + path;
    }

    private static String failurePolicy(AdmissionWebhook webhook) {
        return webhook.failurePolicy() == FailurePolicy.FAIL ? "Fail" : "Ignore";
    }

    private static String sideEffects(AdmissionWebhook webhook) {
        return webhook.sideEffectsUnlessDryRun() ? "NoneOnDryRun" : "None";
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
        if (namespace != null) {
            left.add(namespace);
        }
        return new V1LabelSelector()
                .addMatchExpressionsItem(new V1LabelSelectorRequirement()
                        .key("kubernetes.io/metadata.name")
                        .operator("NotIn")
                        .values(left));
    }

    private static List<V1RuleWithOperations> rules(AdmissionWebhook webhook) {
        ResourceType<?> type = webhook.type();
        return List.of(new V1RuleWithOperations()
                .apiGroups(List.of(type.group()))
                .apiVersions(List.of(type.version()))
                .operations(webhook.operations())
                .resources(List.of(type.plural()))
                .scope(
                        switch (webhook.scope()) {
                            case ANY -> "*";
                            case NAMESPACED -> "Namespaced";
                            case CLUSTER -> "Cluster";
                        }));
    }
}
