package io.controllermanager.app.process;

import io.controllermanager.testing.controlplane.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Kubeconfigs that lead nowhere, and credential plugins for them. */
public final class Kubeconfigs {

    private Kubeconfigs() {}

    /** One whose API server does not listen. */
    public static Path unreachable(Path directory) throws IOException {
        return unreachable(directory, "");
    }

    /** The same with something to say of the user, in YAML's flow style. */
    static Path unreachable(Path directory, String user) throws IOException {
        return of(directory, "https://127.0.0.1:" + Ports.free(), user);
    }

    /** One with a server and a user, in YAML's flow style. */
    static Path of(Path directory, String server, String user) throws IOException {
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters:
                - name: nobody
                  cluster:
                    server: %s
                users:
                - name: nobody
                  user: {%s}
                contexts:
                - name: nobody
                  context:
                    cluster: nobody
                    user: nobody
                current-context: nobody
                """.formatted(server, user));
    }

    /** Writes the credential plugin called {@code plugin}, a script. */
    public static void plugin(Path directory, String script) throws IOException {
        Path file = Files.writeString(directory.resolve("plugin"), "#!/bin/sh\n" + script + "\n");
        if (!file.toFile().setExecutable(true)) {
            throw new IOException(file + " cannot be made executable");
        }
    }
}
