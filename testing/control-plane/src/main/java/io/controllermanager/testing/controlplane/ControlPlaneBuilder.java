package io.controllermanager.testing.controlplane;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a {@link ControlPlane} is to be made of: by default etcd and kube-apiserver. Flags are named without dashes and
 * take the place of those that the plane would give by itself. For one thread.
 */
public final class ControlPlaneBuilder {

    private Controllers controllers = Controllers.NONE;
    private boolean scheduler;
    private int kwokNodes;
    private AuditLevel auditLevel = AuditLevel.METADATA;
    private Path parentDirectory = Path.of(System.getProperty("java.io.tmpdir"));
    private final List<String> crds = new ArrayList<>();
    private final Map<String, String> apiServerFlags = new LinkedHashMap<>();

    private final List<Map<String, String>> furtherApiServers = new ArrayList<>();

    ControlPlaneBuilder() {}

    /** Which of Kubernetes' own controllers run: none by default. */
    public ControlPlaneBuilder controllers(Controllers running) {
        controllers = Objects.requireNonNull(running, "controllers");
        return this;
    }

    /** Whether kube-scheduler runs: Pods get a node. */
    public ControlPlaneBuilder scheduler(boolean runs) {
        scheduler = runs;
        return this;
    }

    /**
     * How many nodes kwok plays, named {@code kwok-0}, {@code kwok-1} and so on. Pods on them become Ready at once.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    public ControlPlaneBuilder kwokNodes(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("kwokNodes must not be negative, but is " + count);
        }
        kwokNodes = count;
        return this;
    }

    /**
     * A CRD, as JSON, that is there when the plane has started. The garbage collector of kube-controller-manager knows its
     * kind from the start, while it looks for new ones only twice a minute. May be called again for another.
     */
    public ControlPlaneBuilder crd(String json) {
        crds.add(Objects.requireNonNull(json, "json"));
        return this;
    }

    /** How much of every request the audit log holds: {@link AuditLevel#METADATA} by default. */
    public ControlPlaneBuilder auditLevel(AuditLevel level) {
        auditLevel = Objects.requireNonNull(level, "level");
        return this;
    }

    /** Where the plane's directory is made: the system's directory of temporary files by default. */
    public ControlPlaneBuilder parentDirectory(Path directory) {
        parentDirectory = Objects.requireNonNull(directory, "directory");
        return this;
    }

    /** A flag of kube-apiserver, such as {@code enable-admission-plugins}. */
    public ControlPlaneBuilder apiServerFlag(String name, String value) {
        return put(apiServerFlags, name, value);
    }

    /**
     * One more API server on the same etcd, as a control plane with several nodes has. May be called again for another.
     *
     * @param flags what it has besides the flags of the first, or in place of them
     */
    public ControlPlaneBuilder furtherApiServer(Map<String, String> flags) {
        furtherApiServers.add(Map.copyOf(flags));
        return this;
    }

    /**
     * Builds the programs if that was never done, starts the plane, and returns when it is ready: the API server
     * answers, the CRDs are established, the nodes are Ready, and with housekeeper or kube-controller-manager the default
     * namespace has its service account.
     *
     * @throws ControlPlaneException if a program is missing, ends or is not ready in time; its message holds the last
     *     lines of that program's log, and nothing is left running
     */
    public ControlPlane start() {
        return ControlPlane.start(configuration());
    }

    Configuration configuration() {
        return new Configuration(
                controllers,
                scheduler,
                kwokNodes,
                List.copyOf(crds),
                auditLevel,
                parentDirectory,
                Map.copyOf(apiServerFlags),
                List.copyOf(furtherApiServers));
    }

    private ControlPlaneBuilder put(Map<String, String> flags, String name, String value) {
        if (name.isBlank() || name.startsWith("-")) {
            throw new IllegalArgumentException("A flag is named without dashes, but is '" + name + "'");
        }
        flags.put(name, Objects.requireNonNull(value, "value"));
        return this;
    }
}
