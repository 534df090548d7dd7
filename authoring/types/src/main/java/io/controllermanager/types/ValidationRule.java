package io.controllermanager.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A rule in CEL that the API server checks on each write ({@code x-kubernetes-validations}), on a whole type or on a field.
 * In the rule {@code self} is the value, and {@code oldSelf} the value before an update.
 *
 * @see <a href="https://kubernetes.io/docs/reference/using-api/cel/">CEL in Kubernetes</a>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.FIELD, ElementType.TYPE_USE})
@Repeatable(ValidationRule.List.class)
public @interface ValidationRule {

    /** The rule, such as {@code self.minimum <= self.maximum}. */
    String value();

    /** What the author of a refused object reads; the API server names the rule unless this is given. */
    String message() default "";

    /** A CEL expression that gives the message. */
    String messageExpression() default "";

    /** {@code FieldValueInvalid}, {@code FieldValueForbidden}, {@code FieldValueRequired} or {@code FieldValueDuplicate}. */
    String reason() default "";

    /** The field that the message is about, seen from where the rule stands, such as {@code .gateway}. */
    String fieldPath() default "";

    /** Whether a rule with {@code oldSelf} is checked also where there is no old value: {@code oldSelf} is optional then. */
    boolean optionalOldSelf() default false;

    /** Several rules; Java makes it. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.FIELD, ElementType.TYPE_USE})
    @interface List {

        /** The rules. */
        ValidationRule[] value();
    }
}
