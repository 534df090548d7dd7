package io.controllermanager.client.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.testing.controlplane.Binaries;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What kubectl takes as a kubeconfig is taken, and what it refuses is refused. */
@Tag("control-plane")
class KubectlKubeconfigControlPlaneTest {

    private static final String COMPLETE = """
        apiVersion: v1
        kind: Config
        current-context: here
        contexts: [{name: here, context: {cluster: c, user: u, namespace: mine}}]
        clusters: [{name: c, cluster: {server: "SERVER"}}]
        users: [{name: u, user: {token: secret}}]
        """;

    private static final String KUBECTL = Binaries.locate().program("kubectl").toString();

    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        true  | token: secret    | unknown: 1, token: secret
        true  | token: secret    | username: me
        true  | token: secret    | token: secret, as: me, as-groups: [a], as-user-extra: {k: [v]}
        true  | token: secret    | token: secret, extensions: [{name: a, extension: {b: 1}}]
        true  | kind: Config     | preferences: {}
        true  | "SERVER"         | "SERVER/", insecure-skip-tls-verify: true, tls-server-name: api
        true  | "SERVER"         | "SERVER/prefix?a=b", disable-compression: true
        true  | "SERVER"         | "SERVER", proxy-url: "http://u:p@127.0.0.1:1"
        true  | "SERVER"         | "SERVER", proxy-url: "https://127.0.0.1:1"
        true  | "SERVER"         | "SERVER", proxy-url: "socks5://127.0.0.1:1"
        false | "SERVER"         | "SERVER", proxy-url: "127.0.0.1:1"
        false | "SERVER"         | "SERVER", proxy-url: "p:1"
        false | "SERVER"         | "SERVER", proxy-url: "ftp://p:1"
        false | "SERVER"         | "127.0.0.1:1/prefix"
        false | "SERVER"         | 6443
        false | "SERVER"         | "SERVER", insecure-skip-tls-verify: "true"
        false | "SERVER"         | "SERVER", disable-compression: 1
        false | "SERVER"         | "SERVER", insecure-skip-tls-verify: true, certificate-authority: ca
        false | "SERVER"         | "SERVER", certificate-authority: ca, certificate-authority-data: YQ==
        false | "SERVER"         | "SERVER", certificate-authority-data: "%"
        false | "SERVER"         | "SERVER", certificate-authority: nowhere
        false | token: secret    | token: 5
        false | token: secret    | token: [secret]
        false | token: secret    | token: secret, username: me
        false | token: secret    | tokenFile: ca, username: me
        false | token: secret    | tokenFile: nowhere
        false | token: secret    | client-certificate: ca
        false | token: secret    | client-certificate: ca, client-certificate-data: YQ==, client-key: ca
        false | token: secret    | client-certificate: ca, client-key-data: YQ==, client-key: ca
        false | token: secret    | token: secret, as-groups: [a]
        false | token: secret    | token: secret, as-uid: a
        false | token: secret    | token: secret, as: 5
        false | token: secret    | token: secret, as: me, as-groups: a
        false | kind: Config     | kind: Pod
        false | user: {token: secret} | user: {token: secret}}, {name: u
        false | current-context: here | current-context: there
        """)
    void takesWhatKubectlTakes(boolean taken, String part, String replacement) throws Exception {
        assertThat(COMPLETE).contains(part);
        Files.writeString(folder.resolve("ca"), "x");
        Path kubeconfig = Files.writeString(
                folder.resolve("kubeconfig"),
                COMPLETE.replace(part, replacement).replace("SERVER", "https://127.0.0.1:1"));

        assertThat(isTakenByKubectl(kubeconfig)).isEqualTo(taken);
        assertThat(isTaken(kubeconfig)).isEqualTo(taken);
    }

    private static boolean isTaken(Path kubeconfig) {
        try {
            new ApiAccessResolver(Map.of(), Clock.system())
                    .resolve(kubeconfig.toString(), null)
                    .configure(new ApiClient());
            return true;
        } catch (ApiAccessException e) {
            return false;
        }
    }

    /** It gets as far as the server or the proxy, where nobody listens. */
    private static boolean isTakenByKubectl(Path kubeconfig) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        List.of(KUBECTL, "--kubeconfig=" + kubeconfig, "get", "--raw", "/readyz"))
                .redirectErrorStream(true);
        builder.environment().remove("KUBECONFIG");
        Process kubectl = builder.start();
        kubectl.getOutputStream().close();
        String said = new String(kubectl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(kubectl.waitFor()).as(said).isNotZero();
        return said.contains("refused");
    }
}
