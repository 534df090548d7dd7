package io.controllermanager.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What the API server fills in where an object leaves the field out. The field is not required then, and Java never sees it
 * missing. It is filled in only where the object around it is there.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Default {

    /** The text itself for a string or an enum, such as {@code nginx}; JSON for all else, such as {@code 1} or {@code {"a":true}}. */
    String value();
}
