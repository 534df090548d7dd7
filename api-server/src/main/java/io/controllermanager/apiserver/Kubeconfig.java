package io.controllermanager.apiserver;

import io.controllermanager.apiserver.access.User;
import io.controllermanager.apiserver.http.ServingCertificate;
import java.net.URI;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A kubeconfig that needs no other file. Go's clients send none of a user's credentials to a server without TLS, but what
 * stands in its URL: the context {@code kubectl} is for them.
 *
 * @param certificate null without TLS
 * @param user null where nobody needs to show who he is
 */
record Kubeconfig(
        URI server,
        @Nullable ServingCertificate certificate,
        @Nullable User user) {

    String yaml() {
        String token = user == null ? "" : user.token();
        String trust = certificate == null
                ? ""
                : "\n    certificate-authority-data: " + Base64.getEncoder().encodeToString(certificate.authority());
        return """
                apiVersion: v1
                kind: Config
                current-context: embedded
                contexts:
                - name: embedded
                  context: {cluster: embedded, user: embedded, namespace: default}
                - name: kubectl
                  context: {cluster: kubectl, user: embedded, namespace: default}
                clusters:
                - name: embedded
                  cluster:
                    server: %1$s%4$s
                - name: kubectl
                  cluster:
                    server: %2$s%4$s
                users:
                - name: embedded
                  user: %3$s
                """.formatted(
                        server,
                        user == null ? server : server.getScheme() + "://" + token + "@" + server.getAuthority(),
                        user == null ? "{}" : "{token: " + token + "}",
                        trust);
    }
}
