package io.controllermanager.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a string is: the schema's {@code format}, by which the API server judges it. Types that imply one, such as {@code
 * OffsetDateTime}, have it without this annotation.
 *
 * @see <a href="https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/validation/formats.go">The formats
 *     that the API server judges</a>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.TYPE_USE})
public @interface Format {

    /** One that the API server judges, such as {@code ipv4}, {@code cidr}, {@code hostname}, {@code uri} or {@code duration}. */
    String value();
}
