package io.controllermanager.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Narrows the names of a type's objects, for a controller that calls children the same: a Service's name has 63 characters,
 * a custom resource's 253.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ObjectName {

    /** How many characters a name has at most. */
    int maxLength() default 253;

    /** A regular expression that the whole name matches; any name that Kubernetes takes unless given. */
    String pattern() default "";
}
