package io.controllermanager.crd;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The webhook that converts objects between versions of their types.
 *
 * @param hubs the hub of each version that is converted, by the version's class; that of a hub is itself
 * @param clientConfig where it is asked, as {@code spec.conversion.webhook.clientConfig} of a CRD says it
 */
public record Conversion(Map<Class<?>, Class<?>> hubs, Map<String, Object> clientConfig) {

    /** There is none. */
    public static final Conversion NONE = new Conversion(Map.of(), Map.of());

    /** Whether versions of a type are converted, some at least. */
    boolean covers(List<Class<?>> versions) {
        return versions.stream().anyMatch(hubs::containsKey);
    }

    /** What stands in a CRD as {@code spec.conversion}. */
    Map<String, Object> toMap() {
        Map<String, Object> webhook = Schema.of("clientConfig", clientConfig);
        webhook.put("conversionReviewVersions", List.of("v1"));
        Map<String, Object> conversion = Schema.of("strategy", "Webhook");
        conversion.put("webhook", webhook);
        return conversion;
    }

    /** The converters for versions that have none: {@code Converter<SiteV1, Site> and Converter<SiteV2, Site>}. */
    String missing(List<Class<?>> versions) {
        Class<?> hub = versions.stream()
                .filter(hubs::containsKey)
                .<Class<?>>map(hubs::get)
                .findFirst()
                .orElse(versions.get(0));
        return converters(
                versions.stream()
                        .filter(version -> version != hub && !hubs.containsKey(version))
                        .map(Class::getName)
                        .toList(),
                hub.getName());
    }

    /** The converters between versions and their hub, by the names of the classes. */
    static String converters(List<String> versions, String hub) {
        List<String> converters = new ArrayList<>();
        versions.forEach(version -> converters.add("Converter<" + simple(version) + ", " + simple(hub) + ">"));
        return String.join(" and ", converters);
    }

    private static String simple(String name) {
        return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
    }
}
