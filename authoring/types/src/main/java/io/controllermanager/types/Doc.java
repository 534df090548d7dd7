package io.controllermanager.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a type or a field is, as {@code kubectl explain} shows it. Java's sources say it in a documentation comment; this is for
 * classes of which no Java source is at hand, such as Kotlin's. It goes before a comment.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.FIELD})
public @interface Doc {

    /** The text. */
    String value();
}
