package io.controllermanager.testing.foreigners;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * The tests of one of controller-runtime's packages, built from the module that {@code controller-runtime/go.mod} names. What a
 * run says is in {@code target/controller-runtime}.
 *
 * @param name the package's, below {@code pkg}
 */
record GinkgoSuite(String name, Path program, Path sources) {

    private static final String MODULE = "sigs.k8s.io/controller-runtime";

    private static final Path OUTPUT = Path.of("target", "controller-runtime").toAbsolutePath();

    /** Builds suites, each a program of its own. Go's cache keeps what is compiled. */
    static List<GinkgoSuite> build(List<String> names) throws IOException, InterruptedException {
        Files.createDirectories(OUTPUT);
        List<String> build = new ArrayList<>(List.of("go", "test", "-c", "-o", OUTPUT + "/"));
        names.forEach(name -> build.add(MODULE + "/pkg/" + name));
        go(build);
        Path sources = Path.of(
                go(List.of("go", "list", "-m", "-f", "{{.Dir}}", MODULE)).strip());
        return names.stream()
                .map(name -> {
                    Path folder = sources.resolve("pkg").resolve(name);
                    return new GinkgoSuite(name, OUTPUT.resolve(folder.getFileName() + ".test"), folder);
                })
                .toList();
    }

    private static String go(List<String> command) throws IOException, InterruptedException {
        Path said = OUTPUT.resolve("go.out");
        Path errors = OUTPUT.resolve("go.err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(Path.of("controller-runtime").toFile())
                .redirectOutput(said.toFile())
                .redirectError(errors.toFile());
        builder.environment().putAll(Map.of("CGO_ENABLED", "0", "GOFLAGS", "-trimpath", "GOWORK", "off"));
        Process process = builder.start();
        try {
            // On a new machine this compiles client-go: the time limit is that of the test.
            assertThat(process.waitFor()).as("%s: see %s", command, errors).isZero();
            return Files.readString(said);
        } finally {
            process.destroyForcibly();
        }
    }

    /**
     * What came of a run.
     *
     * @param tests how many there were, without those that controller-runtime leaves out itself
     */
    record Report(int tests, List<String> failed) {

        @Override
        public String toString() {
            return tests - failed.size() + " of " + tests;
        }
    }

    Report run(TestedServer server) throws IOException, InterruptedException {
        String run = name.replace('/', '-') + "-" + server;
        Path kubeconfig = Files.writeString(OUTPUT.resolve(run + ".kubeconfig"), server.kubeconfig());
        Path report = OUTPUT.resolve(run + ".json");
        Files.deleteIfExists(report);
        ProcessBuilder builder = new ProcessBuilder(
                        program.toString(),
                        "-ginkgo.seed=1",
                        "-ginkgo.timeout=15m",
                        "-ginkgo.no-color",
                        "-ginkgo.json-report=" + report)
                .directory(sources.toFile())
                .redirectErrorStream(true)
                .redirectOutput(OUTPUT.resolve(run + ".log").toFile());
        builder.environment()
                .putAll(Map.of(
                        "KUBECONFIG",
                        kubeconfig.toString(),
                        "USE_EXISTING_CLUSTER",
                        "true",
                        // Where it notes which ports it has used.
                        "XDG_CACHE_HOME",
                        OUTPUT.toString(),
                        "GOMEGA_DEFAULT_EVENTUALLY_TIMEOUT",
                        Waiting.LIMIT.toSeconds() + "s"));
        Process process = builder.start();
        try {
            // Some take minutes: the time limit is that of the test.
            process.waitFor();
        } finally {
            process.destroyForcibly();
        }
        return read(new ObjectMapper().readTree(report.toFile()).path(0).path("SpecReports"));
    }

    private static Report read(JsonNode specs) {
        int tests = 0;
        List<String> failed = new ArrayList<>();
        for (JsonNode spec : specs) {
            String state = spec.path("State").asText();
            boolean ran = !state.equals("pending") && !state.equals("skipped");
            if (ran && spec.path("LeafNodeType").asText().equals("It")) {
                tests++;
            }
            if (ran && !state.equals("passed")) {
                List<String> texts = new ArrayList<>();
                spec.path("ContainerHierarchyTexts").forEach(text -> texts.add(text.asText()));
                String text = spec.path("LeafNodeText").asText();
                // What runs before and after all tests has no text.
                texts.add(text.isEmpty() ? spec.path("LeafNodeType").asText() : text);
                failed.add(String.join(" ", texts));
            }
        }
        Collections.sort(failed);
        return new Report(tests, failed);
    }
}
