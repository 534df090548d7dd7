package io.controllermanager.app.release;

import java.util.Set;
import java.util.TreeSet;

/** The files that a published artifact has. */
final class PublishedFiles {

    static final Set<String> JARS = Set.of(".jar", "-sources.jar", "-javadoc.jar");

    static final String BILL = "-cyclonedx.json";

    /** Those with a bill of what is inside, as {@code docs/releasing.md} lists them. */
    private static final Set<String> WITH_BILL = Set.of(
            "controller-manager",
            "controller-manager-maven-plugin",
            "controller-manager-spring-boot-starter",
            "controller-manager-test",
            "controller-manager-webhooks-spring-boot-starter");

    private PublishedFiles() {}

    /** What their names end with, after the artifact's name and its version. */
    static Set<String> ends(PublishedPom pom) throws Exception {
        Set<String> ends = new TreeSet<>(Set.of(".pom"));
        if (!pom.packaging().equals("pom")) {
            ends.addAll(JARS);
        }
        if (WITH_BILL.contains(pom.artifactId())) {
            ends.add(BILL);
        }
        return ends;
    }
}
