package io.controllermanager.app.install;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.Programs;
import io.controllermanager.app.support.Programs.Answer;
import io.controllermanager.app.support.YamlDocument;
import io.controllermanager.testing.controlplane.Binaries;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.util.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Helm chart, as helm sees it.
 *
 * @param directory where it lies
 */
public record Chart(Path directory) {

    private static final Binaries BINARIES = Binaries.locate();

    /** The project's own. */
    public static Chart own() {
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
    public Rendered render(String... options) throws IOException, InterruptedException {
        String withoutCrds = Stream.of(template(options).expectOut().split("(?m)^---$"))
                .filter(document -> !document.contains("\nkind: CustomResourceDefinition\n"))
                .collect(Collectors.joining("---"));
        return new Rendered(Yaml.loadAll(withoutCrds));
    }

    /** The same, with kinds that client-java has no classes for. */
    public List<YamlDocument> documents(String... options) throws IOException, InterruptedException {
        return YamlDocument.all(template(options).expectOut());
    }

    /** What {@code helm template} says. */
    Answer template(String... options) throws IOException, InterruptedException {
        return templateAs("cm", options);
    }

    /** The same for a release of another name. */
    Answer templateAs(String release, String... options) throws IOException, InterruptedException {
        List<String> arguments =
                new ArrayList<>(List.of("template", release, directory.toString(), "--namespace=system"));
        arguments.addAll(List.of(options));
        return helm(arguments);
    }

    /** What {@code helm install} would tell whoever calls it; no cluster is asked. */
    String notes(String... options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(
                List.of("install", "cm", directory.toString(), "--namespace=system", "--dry-run=client"));
        arguments.addAll(List.of(options));
        String said = helm(arguments).expectOut();
        return said.substring(said.indexOf("\nNOTES:\n"));
    }

    /** What {@code helm lint} says. */
    public Answer lint(String... options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("lint", "--strict", directory.toString()));
        arguments.addAll(List.of(options));
        return helm(arguments);
    }

    /** The files {@code ci/*-values.yaml}: each is an example of what can be set. */
    List<Path> examples() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("ci"))) {
            return files.sorted().toList();
        }
    }

    /** The files of a folder, by name. */
    static Map<String, String> contents(Path folder) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return contents;
    }

    private static Answer helm(List<String> arguments) throws IOException, InterruptedException {
        return Programs.run(BINARIES.program("helm"), arguments);
    }

    /**
     * The objects of a release, apart from CRDs, for whose schemas client-java's classes are too narrow.
     *
     * @param objects in client-java's classes
     */
    public record Rendered(List<Object> objects) {

        /** Those of one kind. */
        public <T> List<T> all(Class<T> kind) {
            return objects.stream().filter(kind::isInstance).map(kind::cast).toList();
        }

        /** The one of its kind and name. */
        <T extends KubernetesObject> T named(Class<T> kind, String name) {
            return new Rendered(all(kind).stream()
                            .filter(object -> name.equals(object.getMetadata().getName()))
                            .map(Object.class::cast)
                            .toList())
                    .one(kind);
        }

        /** What the process may do in the whole cluster; nothing if there is no such role. */
        List<V1PolicyRule> clusterRules() {
            return all(V1ClusterRole.class).stream()
                    .filter(role -> "cm-controller-manager-system"
                            .equals(role.getMetadata().getName()))
                    .flatMap(role -> role.getRules().stream())
                    .toList();
        }

        /** The names of those of one kind. */
        List<String> names(Class<? extends KubernetesObject> kind) {
            return all(kind).stream()
                    .map(object -> object.getMetadata().getName())
                    .toList();
        }

        /** The arguments of its process. */
        List<String> arguments() {
            return pod().getContainers().get(0).getArgs();
        }

        /** What a pod of the Deployment would be. */
        public V1PodSpec pod() {
            return one(V1Deployment.class).getSpec().getTemplate().getSpec();
        }

        /** The only one of its kind. */
        public <T> T one(Class<T> kind) {
            List<T> all = all(kind);
            if (all.size() != 1) {
                throw new AssertionError("There are " + all.size() + " of " + kind.getSimpleName());
            }
            return all.get(0);
        }
    }
}
