package io.controllermanager.testing.failover;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A Go program that competes for the same Lease with client-go's leaderelection. */
final class Contender implements AutoCloseable {

    /** Its exit code when it has lost the Lease, on a busy machine without anybody's fault. */
    static final int LOST = 1;

    private final String name;
    private final Program program;

    private Contender(String name, Program program) {
        this.name = name;
        this.program = program;
    }

    /** Starts one under a name that none had before. */
    static Contender start(Launch launch, String name) throws IOException {
        Path kubeconfig = Files.writeString(
                launch.directory().resolve(name + ".kubeconfig"), launch.plane().kubeconfigFor(name, Launch.GROUP));
        Timings timings = launch.timings();
        List<String> command = List.of(
                launch.plane().binaries().program("lease-contender").toString(),
                "-kubeconfig=" + kubeconfig,
                "-namespace=" + Launch.NAMESPACE,
                "-name=" + Launch.LEASE,
                "-identity=" + name + "_go",
                "-lease-duration=" + millis(timings.leaseDuration()),
                "-renew-deadline=" + millis(timings.renewDeadline()),
                "-retry-period=" + millis(timings.retryPeriod()));
        return new Contender(
                name, Program.start(command, Map.of(), launch.directory().resolve(name + ".log")));
    }

    private static String millis(Duration duration) {
        return duration.toMillis() + "ms";
    }

    String name() {
        return name;
    }

    Program program() {
        return program;
    }

    /** Whether it is the holder of this identity. */
    boolean holds(String holder) {
        return holder.startsWith(name + "_");
    }

    @Override
    public void close() {
        program.close();
    }
}
