package io.controllermanager.webhook.internal.registration;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.types.CustomResource;
import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.Defaulter;
import io.controllermanager.webhook.FailurePolicy;
import io.controllermanager.webhook.MutatingWebhook;
import io.controllermanager.webhook.ValidatingWebhook;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.WebhookScope;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1MatchCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A validator or a defaulter, as its class and its annotation say.
 *
 * @param webhookClass the bean's class
 * @param type the objects' type
 * @param operations for which it is asked
 * @param failurePolicy what becomes of a write that it does not answer
 * @param timeoutSeconds how long the API server waits
 * @param sideEffectsUnlessDryRun whether it does something besides answering
 * @param scope which objects it is asked for
 * @param matchConditions what its author says that a request must meet
 * @param reinvoked whether a defaulter is asked once more
 */
public record AdmissionWebhook(
        Class<?> webhookClass,
        ResourceType<?> type,
        List<String> operations,
        FailurePolicy failurePolicy,
        int timeoutSeconds,
        boolean sideEffectsUnlessDryRun,
        WebhookScope scope,
        List<V1MatchCondition> matchConditions,
        boolean reinvoked) {

    /** The condition that is there for each. */
    static final String MORE_THAN_FINALIZERS = "more-than-finalizers";

    private static final int MAX_CONDITIONS = 63;

    /** A qualified name, as Kubernetes has it. */
    private static final Pattern CONDITION = Pattern.compile(
            "(([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

    public AdmissionWebhook {
        if (timeoutSeconds < 1 || timeoutSeconds > 30) {
            throw Webhooks.invalid(webhookClass, "timeoutSeconds = " + timeoutSeconds + " is not from 1 to 30");
        }
        if (matchConditions.size() > MAX_CONDITIONS) {
            throw Webhooks.invalid(
                    webhookClass, matchConditions.size() + " matchConditions are more than " + MAX_CONDITIONS);
        }
    }

    /** Of a class with {@link ValidatingWebhook}. */
    static AdmissionWebhook validating(Class<?> webhookClass) {
        ValidatingWebhook says = webhookClass.getAnnotation(ValidatingWebhook.class);
        Webhooks.checkImplements(webhookClass, Validator.class, ValidatingWebhook.class, says.value());
        return new AdmissionWebhook(
                webhookClass,
                type(webhookClass, says.value()),
                operations(webhookClass),
                says.failurePolicy(),
                says.timeoutSeconds(),
                says.sideEffectsUnlessDryRun(),
                says.scope(),
                conditions(webhookClass, says.matchConditions()),
                false);
    }

    /** Of a class with {@link MutatingWebhook}. */
    static AdmissionWebhook mutating(Class<?> webhookClass) {
        MutatingWebhook says = webhookClass.getAnnotation(MutatingWebhook.class);
        Webhooks.checkImplements(webhookClass, Defaulter.class, MutatingWebhook.class, says.value());
        return new AdmissionWebhook(
                webhookClass,
                type(webhookClass, says.value()),
                List.of("CREATE", "UPDATE"),
                says.failurePolicy(),
                says.timeoutSeconds(),
                says.sideEffectsUnlessDryRun(),
                says.scope(),
                conditions(webhookClass, says.matchConditions()),
                says.reinvoked());
    }

    /** Whether the type is the application's own. */
    boolean isOfOwnType() {
        return type.objectClass().isAnnotationPresent(CustomResource.class);
    }

    private static ResourceType<?> type(Class<?> webhookClass, Class<? extends KubernetesObject> objectClass) {
        if (objectClass.isAnnotationPresent(CustomResource.class)) {
            return ResourceType.of(objectClass);
        }
        ResourceType<?> builtIn = ResourceTypes.forClass(objectClass);
        if (builtIn == null) {
            throw Webhooks.invalid(
                    webhookClass,
                    objectClass.getName() + " has no @CustomResource and is none of the classes in ResourceTypes");
        }
        return builtIn;
    }

    /** Those whose methods the class has. */
    private static List<String> operations(Class<?> validator) {
        List<String> operations = new ArrayList<>();
        if (has(validator, "create", KubernetesObject.class, Admission.class)) {
            operations.add("CREATE");
        }
        if (has(validator, "update", KubernetesObject.class, KubernetesObject.class, Admission.class)) {
            operations.add("UPDATE");
        }
        if (has(validator, "delete", KubernetesObject.class, Admission.class)) {
            operations.add("DELETE");
        }
        if (operations.isEmpty()) {
            throw Webhooks.invalid(validator, "it has none of the methods create, update and delete");
        }
        return List.copyOf(operations);
    }

    private static boolean has(Class<?> validator, String method, Class<?>... parameters) {
        try {
            return validator.getMethod(method, parameters).getDeclaringClass() != Validator.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<V1MatchCondition> conditions(Class<?> webhookClass, String[] texts) {
        List<V1MatchCondition> conditions = new ArrayList<>();
        List<String> names = new ArrayList<>(List.of(MORE_THAN_FINALIZERS));
        for (String text : texts) {
            int equals = text.indexOf('=');
            String name = text.substring(0, Math.max(equals, 0)).strip();
            String expression = text.substring(equals + 1).strip();
            // A comparison without a name has its first half where the name stands.
            boolean named = CONDITION.matcher(name).matches() && !expression.startsWith("=");
            if (!named || expression.isEmpty()) {
                throw Webhooks.invalid(webhookClass, "matchConditions: \"" + text + "\" is no name=expression");
            }
            if (names.contains(name)) {
                throw Webhooks.invalid(webhookClass, "matchConditions: the name \"" + name + "\" is taken");
            }
            names.add(name);
            conditions.add(new V1MatchCondition().name(name).expression(expression));
        }
        return List.copyOf(conditions);
    }
}
