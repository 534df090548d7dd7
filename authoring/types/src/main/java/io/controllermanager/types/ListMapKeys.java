package io.controllermanager.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a list of objects one whose items are known by some of their fields ({@code x-kubernetes-list-type: map}): two items
 * with the same keys are refused, and with server-side apply several writers can each own items. Without it a list is one
 * value that one writer owns. A {@code java.util.Set} of strings, numbers or enums needs no annotation: it becomes a list of
 * type {@code set}. Nor does a list of {@code V1Condition}: its key is {@code type}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface ListMapKeys {

    /** Names of fields of the items, as they are in JSON; each is required or has a {@link Default}. */
    String[] value();
}
