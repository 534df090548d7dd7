package io.controllermanager.app.release;

import io.controllermanager.app.release.BillOfMaterials.Component;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

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

    /** Those that may be used besides, for what is not changed and whose source {@code NOTICE} names; with their texts. */
    private static final Map<String, String> WITH_SOURCE = Map.of(
            "EPL-2.0", "https://www.eclipse.org/legal/epl-2.0/",
            "CDDL-1.0", "https://opensource.org/license/cddl-1-0");

    /** By group, what is offered under none of the allowed ones. */
    private static final Map<String, Excepted> EXCEPTIONS = Map.of(
            "ch.qos.logback", new Excepted("EPL-2.0", "https://github.com/qos-ch/logback"),
            "jakarta.annotation", new Excepted("EPL-2.0", "https://github.com/jakartaee/common-annotations-api"),
            "jakarta.servlet", new Excepted("EPL-2.0", "https://github.com/jakartaee/servlet"),
            // Its META-INF/LICENSE.txt has both texts, and its POM gives the choice.
            "javax.annotation", new Excepted("CDDL-1.0", "https://github.com/javaee/javax.annotation"));

    private Licences() {}

    /** The one under which it is used. */
    static Used of(Component component) {
        List<String> offered = component.licences().stream()
                .map(name -> NAMES.getOrDefault(name, name))
                .toList();
        Excepted exception = EXCEPTIONS.get(component.group());
        return ALLOWED.stream()
                .filter(offered::contains)
                .findFirst()
                .map(licence -> new Used(licence, ""))
                .or(() -> Optional.ofNullable(exception)
                        .filter(known -> offered.contains(known.licence()))
                        .map(Excepted::used))
                .orElseThrow(() -> new AssertionError(component.id() + " " + component.version()
                        + " has no licence that is allowed, but " + component.licences()
                        + ". A name goes into NAMES, a reason into EXCEPTIONS of " + Licences.class.getSimpleName()));
    }

    /**
     * What may be used all the same.
     *
     * @param licence one of {@link #WITH_SOURCE}
     * @param source where the project's page and source are
     */
    private record Excepted(String licence, String source) {

        Used used() {
            String text = Objects.requireNonNull(WITH_SOURCE.get(licence), licence);
            return new Used(licence + ", " + text, "not changed; source: " + source);
        }
    }

    /**
     * A licence that is made use of.
     *
     * @param reason why it may be, for an exception; else empty
     */
    record Used(String licence, String reason) {}
}
