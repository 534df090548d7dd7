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
import io.kubernetes.client.openapi.models.V1Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A validator or a defaulter, as its class and its annotation say.
 *
 * @param beanClass the bean's class
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
        Class<?> beanClass,
        ResourceType<?> type,
        List<String> operations,
        FailurePolicy failurePolicy,
        int timeoutSeconds,
        boolean sideEffectsUnlessDryRun,
        WebhookScope scope,
        List<V1MatchCondition> matchConditions,
        boolean reinvoked)
        implements Webhooks.Registered {

    /** The condition that is there for each. */
    static final String MORE_THAN_FINALIZERS = "more-than-finalizers";

    public AdmissionWebhook {
        if (timeoutSeconds < 1 || timeoutSeconds > 30) {
            throw new IllegalArgumentException("timeoutSeconds = " + timeoutSeconds + " is not from 1 to 30");
        }
        if (failurePolicy == FailurePolicy.FAIL && matchConditions.isEmpty() && mayBeTheSystems(type)) {
            throw new IllegalArgumentException(
                    "failurePolicy = FAIL for " + type + ", but its objects have no namespace by which"
                            + " those of the system are left out: while nobody answers, the cluster could not be mended. Give"
                            + " matchConditions that leave them out, or failurePolicy = IGNORE");
        }
    }

    /** Of a class with {@link ValidatingWebhook}. */
    static AdmissionWebhook validating(Class<?> beanClass, ValidatingWebhook says) {
        Webhooks.checkImplements(beanClass, Validator.class, ValidatingWebhook.class, says.value());
        return new AdmissionWebhook(
                beanClass,
                type(says.value()),
                operations(beanClass),
                says.failurePolicy(),
                says.timeoutSeconds(),
                says.sideEffectsUnlessDryRun(),
                says.scope(),
                conditions(says.matchConditions()),
                false);
    }

    /** Of a class with {@link MutatingWebhook}. */
    static AdmissionWebhook mutating(Class<?> beanClass, MutatingWebhook says) {
        Webhooks.checkImplements(beanClass, Defaulter.class, MutatingWebhook.class, says.value());
        return new AdmissionWebhook(
                beanClass,
                type(says.value()),
                List.of("CREATE", "UPDATE"),
                says.failurePolicy(),
                says.timeoutSeconds(),
                says.sideEffectsUnlessDryRun(),
                says.scope(),
                conditions(says.matchConditions()),
                says.reinvoked());
    }

    /** Whatever the version. */
    @Override
    public String target() {
        return type.qualifiedName();
    }

    /** Whether the type is the application's own. */
    boolean isOfOwnType() {
        return isOwn(type);
    }

    private static boolean isOwn(ResourceType<?> type) {
        return type.objectClass().isAnnotationPresent(CustomResource.class);
    }

    /** A selector of namespaces counts for namespaces too, but for no other objects outside of them. */
    private static boolean mayBeTheSystems(ResourceType<?> type) {
        return type.scope() == ResourceType.Scope.CLUSTER && !isOwn(type) && type.objectClass() != V1Namespace.class;
    }

    private static ResourceType<?> type(Class<? extends KubernetesObject> objectClass) {
        ResourceType<?> builtIn = ResourceTypes.forClass(objectClass);
        return builtIn == null ? ResourceType.of(objectClass) : builtIn;
    }

    /** Those whose methods the class has. */
    private static List<String> operations(Class<?> validator) {
        List<String> operations = Stream.of(validator.getMethods())
                .filter(method -> method.getDeclaringClass() != Validator.class)
                .filter(method -> List.of(method.getParameterTypes()).contains(Admission.class))
                .map(method -> method.getName().toUpperCase(Locale.ROOT))
                .distinct()
                .filter(Stream.of(Admission.Operation.values()).map(Enum::name).toList()::contains)
                .sorted()
                .toList();
        if (operations.isEmpty()) {
            throw new IllegalArgumentException("it has none of the methods create, update and delete");
        }
        return operations;
    }

    private static List<V1MatchCondition> conditions(String[] texts) {
        List<V1MatchCondition> conditions = new ArrayList<>();
        List<String> names = new ArrayList<>(List.of(MORE_THAN_FINALIZERS));
        for (String text : texts) {
            int equals = text.indexOf('=');
            String name = text.substring(0, Math.max(equals, 0)).strip();
            String expression = text.substring(equals + 1).strip();
            // A comparison without a name has its first half where the name stands.
            if (!name.matches("[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?") || expression.matches("=.*|")) {
                throw new IllegalArgumentException("matchConditions: \"" + text + "\" is no name=expression");
            }
            if (names.contains(name)) {
                throw new IllegalArgumentException("matchConditions: the name \"" + name + "\" is taken");
            }
            names.add(name);
            conditions.add(new V1MatchCondition().name(name).expression(expression));
        }
        return List.copyOf(conditions);
    }
}
