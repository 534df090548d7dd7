package io.controllermanager.testing.controlplane;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** A kubeconfig with one context, which needs no other file. */
record Kubeconfig(URI server, Credentials authority, String user, Credentials credentials) {

    String yaml() {
        return """
                apiVersion: v1
                kind: Config
                current-context: test-control-plane
                contexts:
                - name: test-control-plane
                  context:
                    cluster: test-control-plane
                    user: %3$s
                clusters:
                - name: test-control-plane
                  cluster:
                    server: %1$s
                    certificate-authority-data: %2$s
                users:
                - name: %3$s
                  user:
                    client-certificate-data: %4$s
                    client-key-data: %5$s
                """.formatted(
                        server,
                        base64(authority.certificatePem()),
                        quoted(user),
                        base64(credentials.certificatePem()),
                        base64(credentials.keyPem()));
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
