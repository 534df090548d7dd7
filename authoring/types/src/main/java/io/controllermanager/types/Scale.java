package io.controllermanager.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Gives the type a scale subresource: {@code kubectl scale} and the HorizontalPodAutoscaler can scale its objects. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Scale {

    /** Where the wanted replicas are. */
    String specReplicasPath() default ".spec.replicas";

    /** Where the present replicas are. */
    String statusReplicasPath() default ".status.replicas";

    /** Where the label selector of the pods is, as a string. The HorizontalPodAutoscaler needs it; none unless given. */
    String labelSelectorPath() default "";
}
