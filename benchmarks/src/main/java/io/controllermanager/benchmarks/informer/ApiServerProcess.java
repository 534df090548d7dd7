package io.controllermanager.benchmarks.informer;

import io.controllermanager.apiserver.ApiServer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The embedded API server in a process of its own, so that it shares neither heap nor collector with those who are
 * measured. Writes a kubeconfig once it answers, says {@code started}, and ends with its standard input.
 *
 * <p>Usage: {@code ApiServerProcess KUBECONFIG}.
 */
public final class ApiServerProcess {

    private ApiServerProcess() {}

    /** Runs until told to end. */
    public static void main(String[] args) throws Exception {
        try (ApiServer server = ApiServer.start()) {
            Files.writeString(Path.of(args[0]), server.kubeconfig());
            System.out.println("started");
            while (System.in.read() >= 0) {
                // Nothing is asked of it but to go on.
            }
        }
    }
}
