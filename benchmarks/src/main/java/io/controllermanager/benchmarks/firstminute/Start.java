package io.controllermanager.benchmarks.firstminute;

import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.ContenderProcess;
import io.controllermanager.benchmarks.plane.Usage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * One start of an application.
 *
 * @param seconds from the command until readiness is up
 * @param usage what the process had used by then
 */
record Start(double seconds, Usage usage) {

    /** Starts a contender, whose command has {@code PORT} where the port goes, and stops it again. */
    static Start of(Contender contender, Path kubeconfig) throws IOException, InterruptedException {
        try (ContenderProcess process = ContenderProcess.launch(contender, kubeconfig, List.of())) {
            return new Start(process.awaitReady(), process.usage());
        }
    }
}
