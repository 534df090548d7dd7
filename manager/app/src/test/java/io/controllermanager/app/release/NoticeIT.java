package io.controllermanager.app.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.release.BillOfMaterials.Component;
import io.controllermanager.app.release.Licences.Used;
import io.controllermanager.app.support.Manifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@code NOTICE} lists all that is in the executable and all that applications get with what is published, each under a licence that
 * is allowed. {@code -Dnotice.record=true} writes it anew.
 */
@Tag("release")
class NoticeIT {

    private static final Path NOTICE = Manifests.configDirectory().resolveSibling("NOTICE");

    /** The modules that together depend on all there is, besides the executable. */
    private static final List<String> OTHERS =
            List.of("manager/spring-boot", "manager/webhooks-spring-boot", "testing/kit", "authoring/maven-plugin");

    /** Spring Boot's plugin brings it, for {@code -Djarmode=tools}; no POM names it. */
    private static final String TOOLS = "spring-boot-jarmode-tools-";

    @Test
    void listsAllThatThereIs() throws Exception {
        String notice = notice();
        if (Boolean.getBoolean("notice.record")) {
            Files.writeString(NOTICE, notice);
        }
        assertThat(NOTICE).content().isEqualTo(notice);
    }

    @Test
    void theBillOfTheExecutableNamesWhatItHolds() throws Exception {
        assertThat(BillOfMaterials.of("manager/app").components())
                .extracting(Component::file)
                .containsExactlyInAnyOrderElementsOf(held());
    }

    private static Set<String> held() throws IOException {
        try (JarFile jar = new JarFile(System.getProperty("controller-manager.jar"))) {
            return jar.stream()
                    .filter(entry -> entry.getName().matches("BOOT-INF/lib/.*\\.jar"))
                    .map(entry -> entry.getName().replaceAll(".*/", ""))
                    .filter(name -> !name.startsWith("controller-manager-") && !name.startsWith(TOOLS))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static String notice() throws IOException {
        StringBuilder text = new StringBuilder("""
            Controller Manager
            Licensed under the Apache License, Version 2.0: see LICENSE.

            The executable and its image hold these libraries, each under the licence that is named. Where a library
            may be used under one of several licences, the one is named under which it is used here. Spring Boot's plugin
            adds its loader and its tools for jar files, which are under Apache-2.0 too.
            """);
        TreeMap<String, Used> inside = licences("manager/app");
        append(text, inside);
        text.append("""

            An application that depends on a starter, the test kit or the Maven plugin gets these besides.
            """);
        TreeMap<String, Used> others = new TreeMap<>();
        for (String module : OTHERS) {
            others.putAll(licences(module));
        }
        others.keySet().removeAll(inside.keySet());
        append(text, others);
        return text.toString();
    }

    private static TreeMap<String, Used> licences(String module) throws IOException {
        TreeMap<String, Used> licences = new TreeMap<>();
        for (Component component : BillOfMaterials.of(module).components()) {
            licences.put(component.id(), Licences.of(component));
        }
        return licences;
    }

    private static void append(StringBuilder text, TreeMap<String, Used> licences) {
        Map<String, List<String>> artifacts = licences.entrySet().stream()
                .collect(Collectors.groupingBy(
                        entry -> entry.getValue().licence(),
                        TreeMap::new,
                        Collectors.mapping(NoticeIT::line, Collectors.toList())));
        artifacts.forEach((licence, lines) ->
                text.append('\n').append(licence).append('\n').append(String.join("", lines)));
    }

    private static String line(Map.Entry<String, Used> entry) {
        String reason = entry.getValue().reason();
        return "    " + entry.getKey() + (reason.isEmpty() ? "" : ": " + reason) + "\n";
    }
}
