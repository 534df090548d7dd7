package io.controllermanager.testing.failover;

import io.controllermanager.testing.controlplane.ControlPlane;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How replicas are started.
 *
 * @param java the JVM with its options
 * @param jar the executable, laid out so that the jar names its libraries
 * @param plane where they work
 * @param directory for their files
 * @param timings how they compete
 * @param work what for
 * @param controllers which of them work
 * @param classes a directory of further classes, null for none
 * @param sources the names of those that become beans
 * @param leases by which Leases they work
 * @param watched where the classes are that watch them: this module's, of the version of the executable
 */
record Launch(
        List<String> java,
        Path jar,
        ControlPlane plane,
        Path directory,
        Timings timings,
        Work work,
        String controllers,
        @Nullable Path classes,
        List<String> sources,
        List<String> leases,
        Path watched) {

    /** Where the Lease is, and what it is called: as in {@code config/}. */
    static final String NAMESPACE = "controller-manager-system";

    static final String LEASE = "controller-manager";

    /** Names the Lease. */
    static final String NAME = "--leader-elect-resource-name=";

    /** The group of all replicas, which has the chart's rights. */
    static final String GROUP = "replicas";

    /** By one Lease. */
    Launch(
            List<String> java,
            Path jar,
            ControlPlane plane,
            Path directory,
            Timings timings,
            Work work,
            String controllers,
            @Nullable Path classes,
            List<String> sources) {
        this(
                java,
                jar,
                plane,
                directory,
                timings,
                work,
                controllers,
                classes,
                sources,
                List.of(NAME + LEASE),
                ownClasses());
    }

    /** The executable's controller of Foos alone. */
    Launch(List<String> java, Path jar, ControlPlane plane, Path directory, Timings timings, Work work) {
        this(java, jar, plane, directory, timings, work, "foo", null, List.of());
    }

    /** The same by other Leases. */
    Launch by(List<String> otherLeases) {
        return with(java, jar, otherLeases, watched);
    }

    /** The same in a version of the executable. */
    Launch of(UpgradeRun.Version version) {
        List<String> arguments = new ArrayList<>(leases);
        arguments.addAll(version.arguments());
        return with(version.java(), version.jar(), arguments, version.watched() == null ? watched : version.watched());
    }

    private Launch with(List<String> otherJava, Path otherJar, List<String> otherLeases, Path otherWatched) {
        return new Launch(
                otherJava,
                otherJar,
                plane,
                directory,
                timings,
                work,
                controllers,
                classes,
                sources,
                otherLeases,
                otherWatched);
    }

    List<String> command(Path kubeconfig, Path controls, Path record, Path port) {
        List<String> command = new ArrayList<>(java);
        command.addAll(List.of(
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-Dspring.main.sources="
                        + String.join(
                                ",",
                                Stream.concat(Stream.of(WatchedReplica.class.getName()), sources.stream())
                                        .toList()),
                "-D" + WatchedReplica.CONTROLS + "=" + controls,
                "-D" + WatchedReplica.RECORD + "=" + record,
                "-D" + WatchedReplica.PORT + "=" + port,
                "-cp",
                jar + File.pathSeparator + watched + (classes == null ? "" : File.pathSeparator + classes),
                "io.controllermanager.app.Main",
                "--kubeconfig=" + kubeconfig,
                "--controllers=" + controllers,
                "--leader-elect-resource-namespace=" + NAMESPACE,
                "--leader-elect-lease-duration=" + timings.leaseDuration().toMillis() + "ms",
                "--leader-elect-renew-deadline=" + timings.renewDeadline().toMillis() + "ms",
                "--leader-elect-retry-period=" + timings.retryPeriod().toMillis() + "ms",
                "--server.port=0"));
        command.addAll(leases);
        command.addAll(work.arguments());
        return command;
    }

    /** The directory or the jar that this class is from. */
    private static Path ownClasses() {
        try {
            return Path.of(WatchedReplica.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
