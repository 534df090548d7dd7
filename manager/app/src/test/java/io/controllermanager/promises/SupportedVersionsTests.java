package io.controllermanager.promises;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The versions that the page says are tested are those that the build and the workflows use. */
class SupportedVersionsTests {

    @Test
    void javaIsWhatTheCompilerAimsAtAndTheWorkflowsRun() throws IOException {
        assertThat(row("Java"))
                .startsWith(inPoms("<maven.compiler.release>(\\d+)<") + " and later")
                .endsWith("tested on " + found("java: \\['(\\d+)', '\\d+'\\]", ".github/workflows/ci.yaml") + " and "
                        + found("java: \\['\\d+', '(\\d+)'\\]", ".github/workflows/ci.yaml") + " |");
    }

    @Test
    void springBootIsThatOfThePom() throws IOException {
        String version = inPoms("<spring-boot.version>([^<]+)<");
        assertThat(row("Spring Boot"))
                .startsWith(version.substring(0, version.lastIndexOf('.')) + " ")
                .endsWith("built and tested with " + version + " |");
    }

    @Test
    void clientJavaIsThatOfTheBom() throws IOException {
        assertThat(row("client-java")).startsWith(inPoms("<client-java.version>([^<]+)<") + " ");
    }

    @Test
    void kubernetesIsThatOfTheControlPlane() throws IOException {
        assertThat(row("Kubernetes"))
                .contains(
                        "tested with " + found("k8s\\.io/kubernetes v(\\S+)", "testing/control-plane/binaries/go.mod"));
    }

    @Test
    void helmIsThatOfTheControlPlane() throws IOException {
        assertThat(row("Helm"))
                .contains("tested with " + found("helm\\.sh/helm/v4 v(\\S+)", "testing/control-plane/binaries/go.mod"));
    }

    @Test
    void mavenIsWhatTheBuildAsksFor() throws IOException {
        assertThat(row("Maven"))
                .startsWith(inPoms("(?s)<requireMavenVersion>\\s*<version>\\[([0-9.]+),\\)<") + " and later");
    }

    /** What the page says of a program: the rest of its row. */
    private static String row(String program) throws IOException {
        List<String> rows = Promises.page()
                .lines()
                .filter(line -> line.startsWith("| " + program + " | "))
                .toList();
        assertThat(rows).hasSize(1);
        return rows.get(0).substring(program.length() + 5);
    }

    /** The parent and its own parent. */
    private static String inPoms(String pattern) throws IOException {
        return found(pattern, "pom.xml", "manager/bom/pom.xml");
    }

    /** The first group of the first place in the first of the files that has one. */
    private static String found(String pattern, String... files) throws IOException {
        for (String file : files) {
            Matcher found = Pattern.compile(pattern).matcher(Files.readString(Promises.PROJECT.resolve(file)));
            if (found.find()) {
                return found.group(1);
            }
        }
        throw new AssertionError("nothing is like " + pattern + " in " + String.join(" and ", files));
    }
}
