package io.controllermanager.app;

import io.controllermanager.testing.controlplane.Binaries;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.util.Yaml;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A Helm chart, as helm sees it.
 *
 * @param directory where it lies
 */
record Chart(Path directory) {

    private static final Binaries BINARIES = Binaries.locate();

    /** The project's own. */
    static Chart own() {
        return new Chart(Manifests.configDirectory().resolveSibling("charts/controller-manager"));
    }

    /** A copy of it, which a test may change. */
    Chart copyTo(Path target) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, target.resolve(directory.relativize(file)));
            }
        }
        return new Chart(target);
    }

    /** What a release called {@code cm} in the namespace {@code system} would be, unless {@code options} say otherwise. */
    Rendered render(String... options) throws IOException, InterruptedException {
        Answer answer = template(options);
        if (answer.exitCode() != 0) {
            throw new AssertionError(answer.err());
        }
        return new Rendered(Yaml.loadAll(answer.out()));
    }

    /** What {@code helm template} says. */
    Answer template(String... options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("template", "cm", directory.toString(), "--namespace=system"));
        arguments.addAll(List.of(options));
        return helm(arguments);
    }

    /** What {@code helm lint} says. */
    Answer lint(String... options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("lint", "--strict", directory.toString()));
        arguments.addAll(List.of(options));
        return helm(arguments);
    }

    private static Answer helm(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(BINARIES.program("helm").toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("HELM_"));
        Process process = builder.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        // A few lines, which the pipe has held meanwhile.
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Answer(process.waitFor(), out, err);
    }

    /**
     * How helm ended.
     *
     * @param exitCode 0 if it liked what it saw
     * @param out what it printed
     * @param err what it complained about
     */
    record Answer(int exitCode, String out, String err) {}

    /**
     * The objects of a release.
     *
     * @param objects in client-java's classes
     */
    record Rendered(List<Object> objects) {

        /** Those of one kind. */
        <T> List<T> all(Class<T> kind) {
            return objects.stream().filter(kind::isInstance).map(kind::cast).toList();
        }

        /** What a pod of the Deployment would be. */
        V1PodSpec pod() {
            return one(V1Deployment.class).getSpec().getTemplate().getSpec();
        }

        /** The only one of its kind. */
        <T> T one(Class<T> kind) {
            List<T> all = all(kind);
            if (all.size() != 1) {
                throw new AssertionError("There are " + all.size() + " of " + kind.getSimpleName());
            }
            return all.get(0);
        }
    }
}
