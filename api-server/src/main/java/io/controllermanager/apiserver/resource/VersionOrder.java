package io.controllermanager.apiserver.resource;

import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The order in which a group's versions are preferred (apimachinery, pkg/version/helpers.go): v10, v2, v1, v2beta3, v1beta1,
 * v1alpha1, and then all that are named otherwise.
 */
final class VersionOrder {

    private static final Pattern VERSION = Pattern.compile("v(\\d{1,18})(?:(alpha|beta)(\\d{1,18}))?");

    static final Comparator<String> PREFERRED_FIRST =
            Comparator.comparing(VersionOrder::rank).reversed().thenComparing(Comparator.naturalOrder());

    private VersionOrder() {}

    /** A text that comes behind those of versions which are preferred less. */
    private static String rank(String version) {
        Matcher parts = VERSION.matcher(version);
        if (!parts.matches()) {
            return "";
        }
        int stage = parts.group(2) == null ? 2 : parts.group(2).equals("beta") ? 1 : 0;
        long minor = stage == 2 ? 0 : Long.parseLong(parts.group(3));
        return String.format(Locale.ROOT, "%d%018d%018d", stage, Long.parseLong(parts.group(1)), minor);
    }
}
