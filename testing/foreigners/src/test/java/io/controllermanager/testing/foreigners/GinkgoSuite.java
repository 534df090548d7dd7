package io.controllermanager.testing.foreigners;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.support.Command;
import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

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
    static List<GinkgoSuite> build(List<String> names) throws IOException {
        Files.createDirectories(OUTPUT);
        Stream<String> packages = names.stream().map(name -> MODULE + "/pkg/" + name);
        go(Stream.concat(Stream.of("test", "-c", "-o", OUTPUT + "/"), packages).toArray(String[]::new));
        Path sources = Path.of(go("list", "-m", "-f", "{{.Dir}}", MODULE).strip());
        return names.stream()
                .map(name -> {
                    Path folder = sources.resolve("pkg").resolve(name);
                    return new GinkgoSuite(name, OUTPUT.resolve(folder.getFileName() + ".test"), folder);
                })
                .toList();
    }

    private static String go(String... arguments) {
        return Command.go(Path.of("controller-runtime"), Map.of(), arguments);
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
