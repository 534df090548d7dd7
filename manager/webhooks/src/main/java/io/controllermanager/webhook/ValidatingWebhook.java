package io.controllermanager.webhook;

import io.kubernetes.client.common.KubernetesObject;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says of a {@link Validator} which type it is for and how the API server asks it. A type that is not the application's own, one
 * without {@code @CustomResource}, is left alone in system namespaces and in the application's own.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ValidatingWebhook {

    /**
     * The class of the objects: one with {@code @CustomResource}, or one of those in {@link
     * io.controllermanager.client.ResourceTypes}.
     */
    Class<? extends KubernetesObject> value();

    /**
     * Whether a write is refused or let through if nobody answers. It cannot be refused for a type without namespaces that is not
     * the application's own, such as {@code V1Node}, unless there are {@link #matchConditions()}.
     */
    FailurePolicy failurePolicy() default FailurePolicy.FAIL;

    /** How long the API server waits, from 1 to 30 seconds. */
    int timeoutSeconds() default 10;

    /** Whether it does something besides answering, dry runs excepted; {@code false} is {@code None}. */
    boolean sideEffectsUnlessDryRun() default false;

    /** Of which objects: of all, or only of those with or without a namespace. */
    WebhookScope scope() default WebhookScope.ANY;

    /** Conditions in CEL that a request must meet to be asked for, each as {@code name=expression}. */
    String[] matchConditions() default {};
}
