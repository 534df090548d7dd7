package io.controllermanager.types;

import java.util.Locale;

/**
 * What a type is called, as its {@link CustomResource} says or as follows from the kind.
 *
 * @param group the API group
 * @param version the version within the group
 * @param kind the kind
 * @param plural the name in URLs
 * @param singular the name for one object
 * @param namespaced whether objects live in a namespace
 */
public record CustomResourceNames(
        String group, String version, String kind, String plural, String singular, boolean namespaced) {

    /**
     * The names of a class.
     *
     * @throws IllegalArgumentException if the class has no {@link CustomResource}
     */
    public static CustomResourceNames of(Class<?> type) {
        CustomResource resource = type.getAnnotation(CustomResource.class);
        if (resource == null) {
            throw new IllegalArgumentException(type.getName() + " has no @CustomResource");
        }
        String kind = resource.kind().isEmpty() ? type.getSimpleName() : resource.kind();
        String singular = resource.singular().isEmpty() ? kind.toLowerCase(Locale.ROOT) : resource.singular();
        String plural = resource.plural().isEmpty() ? pluralOf(kind.toLowerCase(Locale.ROOT)) : resource.plural();
        return new CustomResourceNames(
                resource.group(), resource.version(), kind, plural, singular, resource.namespaced());
    }

    /** {@code group/version}: what objects carry as {@code apiVersion}. */
    public String apiVersion() {
        return group + "/" + version;
    }

    /** The English plural by its regular rules, as controller-gen has it; irregular ones are given in the annotation. */
    static String pluralOf(String singular) {
        if (singular.endsWith("s") || singular.endsWith("x") || singular.endsWith("ch") || singular.endsWith("sh")) {
            return singular + "es";
        }
        boolean consonantBeforeY = singular.length() > 1
                && singular.endsWith("y")
                && "aeiou".indexOf(singular.charAt(singular.length() - 2)) < 0;
        return consonantBeforeY ? singular.substring(0, singular.length() - 1) + "ies" : singular + "s";
    }
}
