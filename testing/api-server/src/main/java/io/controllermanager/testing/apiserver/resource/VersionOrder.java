package io.controllermanager.testing.apiserver.resource;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The order in which a group's versions are preferred (apimachinery, pkg/version/helpers.go): v10, v2, v1, v2beta3, v1beta1,
 * v1alpha1, and then all that are named otherwise.
 */
final class VersionOrder {

    private static final Pattern VERSION = Pattern.compile("v(\\d{1,18})(?:(alpha|beta)(\\d{1,18}))?");

    static final Comparator<String> PREFERRED_FIRST = Comparator.comparing(
                    VersionOrder::parse,
                    Comparator.comparingInt(Parsed::stage)
                            .thenComparingLong(Parsed::major)
                            .thenComparingLong(Parsed::minor)
                            .reversed())
            .thenComparing(Comparator.naturalOrder());

    private record Parsed(int stage, long major, long minor) {}

    private VersionOrder() {}

    private static Parsed parse(String version) {
        Matcher parts = VERSION.matcher(version);
        if (!parts.matches()) {
            return new Parsed(-1, 0, 0);
        }
        long major = Long.parseLong(parts.group(1));
        return parts.group(2) == null
                ? new Parsed(2, major, 0)
                : new Parsed(parts.group(2).equals("beta") ? 1 : 0, major, Long.parseLong(parts.group(3)));
    }
}
