package io.controllermanager.app.release;

import io.controllermanager.app.release.BillOfMaterials.Component;
import java.util.List;
import java.util.Map;

/** Which licences a dependency may have. */
final class Licences {

    /** By SPDX's identifiers, the best first: of several that are offered, the first of these is taken. */
    private static final List<String> ALLOWED = List.of(
            "Apache-2.0",
            "MIT",
            "MIT-0",
            "BSD-3-Clause",
            "BSD-2-Clause",
            "CC0-1.0",
            "Bouncy Castle Licence",
            "Public Domain");

    /** Names in POMs that CycloneDX does not know. */
    private static final Map<String, String> NAMES = Map.of("Go License", "BSD-3-Clause");

    /** By group, what is under none of these, and why it may be used. */
    private static final Map<String, Used> EXCEPTIONS = Map.ofEntries(
            Map.entry("ch.qos.logback", new Used("EPL-2.0", "used as it is; its project offers the source")),
            Map.entry("jakarta.annotation", new Used("EPL-2.0", "used as it is; its project offers the source")),
            Map.entry("jakarta.servlet", new Used("EPL-2.0", "used as it is; its project offers the source")),
            Map.entry("javax.annotation", new Used("CDDL-1.0", "used as it is; its project offers the source")));

    private Licences() {}

    /** The one under which it is used. */
    static Used of(Component component) {
        Used exception = EXCEPTIONS.get(component.group());
        if (exception != null
                && component.licences().stream().anyMatch(offered -> offered.contains(exception.licence()))) {
            return exception;
        }
        List<String> offered = component.licences().stream()
                .map(name -> NAMES.getOrDefault(name, name))
                .toList();
        return ALLOWED.stream()
                .filter(offered::contains)
                .findFirst()
                .map(licence -> new Used(licence, ""))
                .orElseThrow(() -> new AssertionError(component.id() + " " + component.version()
                        + " has no licence that is allowed, but " + component.licences()
                        + ". A name goes into NAMES, a reason into EXCEPTIONS of " + Licences.class.getSimpleName()));
    }

    /**
     * A licence that is made use of.
     *
     * @param reason why it may be, for an exception; else empty
     */
    record Used(String licence, String reason) {}
}
