package io.controllermanager.reconciler;

import io.kubernetes.client.common.KubernetesObject;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says of an {@link ObjectReconciler} which type it is for. A Spring bean with it is a controller. */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Reconciles {

    /**
     * The class of the objects: one with {@link io.controllermanager.types.CustomResource}, or one of those in {@link
     * io.controllermanager.client.ResourceTypes}.
     */
    Class<? extends KubernetesObject> value();

    /** The controller's name, as in flags, properties and metrics; the kind in lower case unless given. */
    String name() default "";
}
