package io.controllermanager.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes an object or a map one value for server-side apply ({@code x-kubernetes-map-type: atomic}): one writer owns all of it.
 * On a list it says what holds anyway ({@code x-kubernetes-list-type: atomic}).
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Atomic {}
