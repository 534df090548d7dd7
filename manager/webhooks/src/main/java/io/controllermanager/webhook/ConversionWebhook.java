package io.controllermanager.webhook;

import io.kubernetes.client.common.KubernetesObject;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says between which versions of a type a {@link Converter} converts. Both classes have {@code @CustomResource}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ConversionWebhook {

    /** The class of the version. */
    Class<? extends KubernetesObject> value();

    /** The class of the hub, which all converters of a type have in common. */
    Class<? extends KubernetesObject> hub();

    /**
     * Whether what one version cannot hold is kept in an annotation, and comes back when the object is converted back. What has
     * been changed in the version meanwhile stays as it was changed there.
     */
    boolean keepsLosses() default false;
}
