package io.controllermanager.testing.controlplane;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The programs of a control plane, and manifests of the same versions.
 *
 * <p>A program is taken from the directory that {@code KUBEBUILDER_ASSETS} names, where that is set and holds it. All
 * others are built from their Go modules by {@code build.sh}, once, into the user's cache; see there. Only what is asked
 * for is built. Safe for any thread.
 */
public final class Binaries {

    private static final String ASSETS = "KUBEBUILDER_ASSETS";

    private final Map<String, String> environment;
    private final @Nullable Path assets;
    private @Nullable Path built;

    private Binaries(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
        String directory = environment.getOrDefault(ASSETS, "");
        this.assets = directory.isBlank() ? null : Path.of(directory).toAbsolutePath();
    }

    /** Those that this process' environment leads to. Nothing is built before something is asked for. */
    public static Binaries locate() {
        return locate(System.getenv());
    }

    static Binaries locate(Map<String, String> environment) {
        return new Binaries(environment);
    }

    /**
     * A program's file.
     *
     * @param name such as {@code kube-apiserver}
     * @throws ControlPlaneException if it is nowhere and cannot be built
     */
    public Path program(String name) {
        return find(name);
    }

    /**
     * A manifest of {@code k8s.io/sample-controller}, as that module ships it in {@code artifacts/examples}.
     *
     * @param file {@code crd.yaml}, {@code crd-status-subresource.yaml} or {@code example-foo.yaml}
     * @throws ControlPlaneException if there is none of this name, or it is not there and cannot be obtained
     */
    public Path sampleControllerManifest(String file) {
        return find("sample-controller/" + file);
    }

    /** How kwok's nodes and Pods live. */
    Path kwokStages() {
        return find("kwok-stages.yaml");
    }

    /** Finds all that a plane needs, so that a missing one is told before anything runs. Builds the rest in one go. */
    void require(Configuration configuration) {
        List<String> names = new ArrayList<>(List.of("etcd", "kube-apiserver"));
        switch (configuration.controllers()) {
            case ALL -> names.add("kube-controller-manager");
            case HOUSEKEEPER -> names.add("housekeeper");
            case NONE -> {}
        }
        if (configuration.scheduler()) {
            names.add("kube-scheduler");
        }
        if (configuration.kwokNodes() > 0) {
            names.addAll(List.of("kwok", "kwok-stages.yaml"));
        }
        build(names);
    }

    private Path find(String file) {
        build(List.of(file));
        return located(file)
                .orElseThrow(() -> new ControlPlaneException("The test control plane has no " + file + "."));
    }

    /** Builds those of the files that are nowhere yet, in one run. */
    private synchronized void build(List<String> files) {
        // The script knows a directory, not the files in it.
        List<String> wanted = files.stream()
                .filter(file -> located(file).isEmpty())
                .map(file -> Path.of(file).getName(0).toString())
                .distinct()
                .toList();
        if (!wanted.isEmpty()) {
            built = BinariesBuild.run(wanted, environment)
                    .orElseThrow(
                            () -> new ControlPlaneException(assets == null ? missingAll() : missing(wanted, assets)));
        }
    }

    private synchronized Optional<Path> located(String file) {
        return Stream.of(Optional.ofNullable(assets), Optional.ofNullable(built))
                .flatMap(Optional::stream)
                .map(directory -> directory.resolve(file))
                .filter(Files::isRegularFile)
                .findFirst();
    }

    private static String missingAll() {
        return "The test control plane needs Go 1.26 or later on PATH (https://go.dev/dl) to build etcd and"
                + " kube-apiserver, or " + ASSETS + " set to a directory that holds them.";
    }

    private static String missing(List<String> wanted, Path assets) {
        return "The test control plane needs Go 1.26 or later on PATH (https://go.dev/dl) to build "
                + String.join(" and ", wanted) + ", which " + ASSETS + " (" + assets + ") does not hold.";
    }
}
