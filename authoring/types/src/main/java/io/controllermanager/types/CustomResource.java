package io.controllermanager.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a class the Java side of a custom resource. The class is a subclass of {@link CustomObject}, or any class or record
 * that implements client-java's {@code KubernetesObject}; one with {@code @Deprecated} is a deprecated version. Several classes
 * with one group and kind are the versions of one type.
 *
 * <p>The CRD follows from the class. A field is required unless it is {@code @Nullable} or has a {@link Default}; constraints are
 * those of jakarta.validation; names are Gson's. A Java {@code enum} is an enum, a {@code Set} a list without duplicates.
 *
 * <pre>{@code
 * @CustomResource(group = "example.com", version = "v1", shortNames = "web")
 * public final class Website extends CustomObject<WebsiteSpec, WebsiteStatus> {}
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface CustomResource {

    /** The API group, such as {@code example.com}. */
    String group();

    /** The version within the group, such as {@code v1} or {@code v1alpha1}. */
    String version();

    /** The kind; the class's simple name unless given. */
    String kind() default "";

    /** The name in URLs; the kind in lower case and in English plural unless given. */
    String plural() default "";

    /** The name that kubectl takes for one object; the kind in lower case unless given. */
    String singular() default "";

    /** Shorter names that kubectl takes. */
    String[] shortNames() default {};

    /** Groups of types that kubectl lists together, such as {@code all}. */
    String[] categories() default {};

    /**
     * The fields by which the API server selects objects, such as {@code .spec.host} for {@code --field-selector spec.host=a.b}:
     * at most eight strings, booleans and integers, none in a list or in metadata.
     */
    String[] selectableFields() default {};

    /** Whether objects live in a namespace. */
    boolean namespaced() default true;

    /** Whether the API server serves this version. */
    boolean served() default true;

    /** Whether objects are stored in this version: one of a type's versions is. */
    boolean storage() default true;

    /** Annotations of the CRD itself, each as {@code name=value}. */
    String[] annotations() default {};
}
