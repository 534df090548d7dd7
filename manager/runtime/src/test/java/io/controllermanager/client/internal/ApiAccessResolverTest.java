package io.controllermanager.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.controllermanager.time.Clock;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiAccessResolverTest {

    private static final String COMPLETE = """
            apiVersion: v1
            kind: Config
            current-context: here
            contexts: [{name: here, context: {cluster: c, user: u, namespace: mine}}]
            clusters: [{name: c, cluster: {server: "https://c:6443/"}}]
            users: [{name: u, user: {token: secret}}]
            """;

    @TempDir
    private Path folder = Path.of("");

    private Path file = Path.of("");

    @BeforeEach
    void chooseFile() {
        file = folder.resolve("kubeconfig");
    }

    private ApiAccess resolve(Map<String, String> environment, @Nullable Path kubeconfig, @Nullable String master) {
        return new ApiAccessResolver(environment, FileSystems.getDefault(), Clock.system())
                .resolve(kubeconfig == null ? null : kubeconfig.toString(), master);
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    @Test
    void readsTheGivenFile() throws IOException {
        Path given = write("kubeconfig", COMPLETE);

        ApiAccess access = resolve(Map.of("KUBECONFIG", "/nowhere"), given, null);

        assertThat(access.server()).isEqualTo("https://c:6443");
        assertThat(access.namespace()).isEqualTo("mine");
        assertThat(access.source()).isEqualTo("kubeconfig " + given + ", context here");
    }

    @Test
    void letsTheGivenUrlReplaceTheServer() throws IOException {
        ApiAccess access = resolve(Map.of(), write("kubeconfig", COMPLETE), "https://other:1");

        assertThat(access.server()).isEqualTo("https://other:1");
        assertThat(access.namespace()).isEqualTo("mine");
    }

    @Test
    void takesAUrlAlone() {
        assertThat(resolve(Map.of(), null, "http://localhost:8001/").server()).isEqualTo("http://localhost:8001");
    }

    @Test
    void mergesTheFilesOfTheVariableTheFirstDecides() throws IOException {
        Path first = write("first", """
                current-context: here
                clusters: [{name: c, cluster: {server: "https://first"}}]
                """);
        Path second = write("second", COMPLETE.replace("current-context: here", "current-context: elsewhere"));

        ApiAccess access = resolve(
                Map.of("KUBECONFIG", String.join(File.pathSeparator, "/nowhere", first.toString(), second.toString())),
                null,
                null);

        assertThat(access.server()).isEqualTo("https://first");
        assertThat(access.namespace()).isEqualTo("mine");
    }

    @Test
    void fallsBackToTheHomeDirectory() throws IOException {
        Files.createDirectory(folder.resolve(".kube"));
        write(".kube/config", COMPLETE);

        assertThat(resolve(Map.of("HOME", folder.toString()), null, null).source())
                .endsWith(".kube/config, context here");
    }

    @Test
    void findsTheServiceAccountWhereAPodMountsIt() throws IOException {
        write("token", "secret");
        write("namespace", "mine");

        ApiAccess access = resolve(
                Map.of(
                        "KUBERNETES_SERVICE_HOST", "10.0.0.1",
                        "KUBERNETES_SERVICE_PORT", "443",
                        "KUBERNETES_SERVICE_ACCOUNT_DIRECTORY", folder.toString()),
                null,
                null);

        assertThat(access.server()).isEqualTo("https://10.0.0.1:443");
        assertThat(access.namespace()).isEqualTo("mine");
    }

    @Test
    void saysInOneLineWhatWasLookedFor() {
        assertThatExceptionOfType(ApiAccessException.class)
                .isThrownBy(() -> resolve(Map.of("HOME", folder.toString()), null, null))
                .withMessageContaining("$KUBECONFIG is not set")
                .withMessageContaining("$KUBERNETES_SERVICE_HOST is not set")
                .withMessageContaining("no file " + folder.resolve(".kube/config"))
                .satisfies(e -> assertThat(e.toString().lines()).hasSize(1));
    }

    @Test
    void saysThatTheFileIsMissing() {
        fails("there is no such file");
    }

    @Test
    void saysThatTheVariableNamesNoFile() {
        assertThatExceptionOfType(ApiAccessException.class)
                .isThrownBy(() -> resolve(Map.of("KUBECONFIG", file.toString()), null, null))
                .withMessage("$KUBECONFIG names no file that exists: " + file);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            current-context: here                | current-context: ''              | has no current-context
            current-context: here                | current-context: there           | current-context "there" is not one of its contexts [here]
            cluster: c, user                     | cluster: other, user             | context "here" names cluster "other", which is not there
            cluster: c, user                     | user                             | context "here" names no cluster
            user: u, namespace                   | user: other, namespace           | context "here" names user "other", which is not there
            server: "https://c:6443/"            | insecure-skip-tls-verify: true   | cluster "c" has no server
            "https://c:6443/"                    | "https://c:port/"                | is not the URL of an API server
            "https://c:6443/"                    | "https://u:secret@c:6443/"       | "https://…@c:6443/": a user in the URL is not supported
            "https://c:6443/"                    | "https://u:secret@c:port/"       | "https://…@c:port/" is not the URL of an API server
            clusters: [                          | clusters: {                      | is not valid YAML
            token: secret                        | token: @secret                   | is not valid YAML at line
            token: secret                        | token: *secret                   | is not valid YAML at line
            [{name: u, user: {token: secret}}]   | none                             | "users" is not a list
            {name: u, user: {token: secret}}     | {user: {token: secret}}          | an entry of "users" has no name
            {name: u, user: {token: secret}}     | {name: u, user: secret}          | user "u" is malformed
            6443/"                               | 6443/", tls-server-name: api     | cluster "c": tls-server-name "api" is not supported
            6443/"                               | 6443/", proxy-url: "https://p:1" | cluster "c": proxy-url "https://p:1" is not supported
            6443/"                               | 6443/", proxy-url: "http://u:p@h"| cluster "c": proxy-url "http://…@h" is not supported
            token: secret                        | token: secret, as-groups: [a]    | user "u": as-groups [a] needs as
            token: secret                        | token: secret, as: a, as-groups: b | user "u": as-groups b is no list
            """)
    void saysWhatIsWrongWithTheFile(String part, String replacement, String message) throws IOException {
        assertThat(COMPLETE).contains(part);
        write("kubeconfig", COMPLETE.replace(part, replacement));
        fails(message);
    }

    @Test
    void saysThatTheFileIsEmpty() throws IOException {
        write("kubeconfig", "");
        fails("is empty");
    }

    @Test
    void saysThatTheFileIsSomethingElse() throws IOException {
        write("kubeconfig", "just a word");
        fails("is no kubeconfig");
    }

    private void fails(String message) {
        assertThatExceptionOfType(ApiAccessException.class)
                .isThrownBy(() -> resolve(Map.of(), file, null))
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.toString().lines()).hasSize(1))
                // Logged at DEBUG with all that lies behind it.
                .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("secret"));
    }

    private static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void saysThatACertificateFileIsMissing() throws IOException {
        Path given = write("kubeconfig", COMPLETE.replace("server:", "certificate-authority: ca.pem, server:"));
        ApiAccess access = resolve(Map.of(), given, null);

        assertThatExceptionOfType(ApiAccessException.class)
                .isThrownBy(() -> access.configure(new io.kubernetes.client.openapi.ApiClient()))
                .withMessageContaining("cannot read certificate-authority " + folder.resolve("ca.pem"));
    }
}
