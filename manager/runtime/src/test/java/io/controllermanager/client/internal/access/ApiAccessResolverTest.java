package io.controllermanager.client.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        return new ApiAccessResolver(environment, Clock.system())
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
        6443/"                               | 6443/", tls-server-name: "a b"   | cluster "c": tls-server-name "a b" is no host name
        6443/"                               | 6443/", proxy-url: "p:1"         | cluster "c": proxy-url "p:1" is not the URL of a proxy
        6443/"                               | 6443/", proxy-url: "ftp://u:secret@h" | cluster "c": proxy-url "ftp://…@h" is not the URL of a proxy
        6443/"                               | 6443/", proxy-url: "socks5://u:secret@h" | cluster "c": proxy-url "socks5://…@h" has a password, which is not supported with SOCKS
        "https://c:6443/"                    | "c:6443/prefix"                  | "c:6443/prefix" is not the URL of an API server
        "https://c:6443/"                    | "ftp://c"                        | "ftp://c" is not the URL of an API server
        "https://c:6443/"                    | 6443                             | cluster "c": server must be text
        6443/"                               | 6443/", insecure-skip-tls-verify: "true" | cluster "c": insecure-skip-tls-verify must be true or false
        6443/"                               | 6443/", disable-compression: 1   | cluster "c": disable-compression must be true or false
        6443/"                               | 6443/", insecure-skip-tls-verify: true, certificate-authority: ca | cluster "c": certificate-authority is not allowed together with insecure-skip-tls-verify
        6443/"                               | 6443/", insecure-skip-tls-verify: true, certificate-authority-data: AA== | cluster "c": certificate-authority is not allowed together with insecure-skip-tls-verify
        6443/"                               | 6443/", certificate-authority: ca, certificate-authority-data: AA== | cluster "c": certificate-authority and certificate-authority-data are both given
        token: secret                        | token: 5                         | user "u": token must be text
        token: secret                        | token: 2026-01-01                | user "u": token must be text
        token: secret                        | token: [secret]                  | user "u": token must be text
        token: secret                        | token: "secret\\n"               | user "u": token has a character
        token: secret                        | token: secret, username: me      | user "u": token and username are both given
        token: secret                        | tokenFile: secret, password: me  | user "u": tokenFile and username are both given
        token: secret                        | client-certificate: a            | user "u": client-certificate needs client-key or client-key-data
        token: secret                        | client-certificate: a, client-certificate-data: b | user "u": client-certificate and client-certificate-data are both given
        token: secret                        | client-certificate: a, client-key: a, client-key-data: b | user "u": client-key and client-key-data are both given
        token: secret                        | as-groups: [a]                   | user "u": as-groups needs as
        token: secret                        | as-uid: a                        | user "u": as-uid needs as
        namespace: mine                      | namespace: Mine                  | context "here": namespace "Mine" is no name of a namespace
        kind: Config                         | kind: Pod                        | is no kubeconfig
        [{name: u, user: {token: secret}}]   | [{name: u}, {name: u}]           | "users" has two of the name "u"
        """)
    void saysWhatIsWrongWithTheFile(String part, String replacement, String message) throws IOException {
        assertThat(COMPLETE).contains(part);
        write("kubeconfig", COMPLETE.replace(part, replacement));
        fails(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        https://c:6443         | https://c:6443
        https://c:6443//       | https://c:6443
        https://c/prefix/      | https://c/prefix
        https://c/prefix?a=b#c | https://c/prefix
        https://[fd00::1]:6443 | https://[fd00::1]:6443
        c:6443                 | http://c:6443
        c                      | http://c
        c:443                  | https://c:443
        [fd00::1]:6443         | http://[fd00::1]:6443
        """)
    void takesAUrlAsKubectlDoes(String server, String url) throws IOException {
        write("kubeconfig", COMPLETE.replace("https://c:6443/", server));

        assertThat(resolve(Map.of(), file, null).server()).isEqualTo(url);
        assertThat(resolve(Map.of(), null, server).server()).isEqualTo(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\ufeff%s",
                "%s---\nnext: document\n",
                "%sunknown: [1, {a: b}]\nextensions: []\npreferences: {}\n"
            })
    void readsWhatKubectlReads(String form) throws IOException {
        write("kubeconfig", form.formatted(COMPLETE));
        assertThat(resolve(Map.of(), file, null).server()).isEqualTo("https://c:6443");

        write("kubeconfig", form.formatted(COMPLETE).replace("\n", "\r\n"));
        assertThat(resolve(Map.of(), file, null).server()).isEqualTo("https://c:6443");
    }

    @Test
    void readsJsonWithTabs() throws IOException {
        write("kubeconfig", """
            {
            \t"current-context":\t"here",
            \t"contexts":\t[ { "name": "here", "context": { "cluster": "c" } } ],
            \t"clusters": [{"name": "c", "cluster": {"server": "https://c"}}]
            }
            """);
        assertThat(resolve(Map.of(), file, null).server()).isEqualTo("https://c");
    }

    @Test
    void passesOverFilesThatAreEmptyOrMissing() throws IOException {
        Path empty = write("empty", "");
        Path comment = write("comment", "# nothing\n");
        Path complete = write("complete", COMPLETE);
        String variable = String.join(
                File.pathSeparator, "", empty.toString(), "/nowhere", comment.toString(), complete.toString(), "");

        assertThat(resolve(Map.of("KUBECONFIG", variable), null, null).server()).isEqualTo("https://c:6443");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing", "{}", "apiVersion: v1\nkind: Config\n"})
    void takesAnEmptyFileForNoneAsClientGoDoes(String content) throws IOException {
        Path empty = write("empty", content);
        write("token", "secret");
        Map<String, String> pod = Map.of(
                "KUBERNETES_SERVICE_HOST", "10.0.0.1",
                "KUBERNETES_SERVICE_PORT", "443",
                "KUBERNETES_SERVICE_ACCOUNT_DIRECTORY", folder.toString());

        assertThat(resolve(pod, empty, null).server()).isEqualTo("https://10.0.0.1:443");
        assertThat(resolve(pod, empty, "https://given").server()).isEqualTo("https://given");
        assertThatExceptionOfType(ApiAccessException.class)
                .isThrownBy(() -> resolve(Map.of("KUBECONFIG", empty.toString()), null, null))
                .withMessage("kubeconfig " + empty + ": is empty");
    }

    @Test
    void showsNoSecretAsText() throws IOException {
        assertThat(resolve(Map.of(), write("kubeconfig", COMPLETE), null).toString())
                .doesNotContain("secret");
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
                .isThrownBy(() -> resolve(Map.of(), file, null).configure(new ApiClient()))
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
                .isThrownBy(() -> access.configure(new ApiClient()))
                .withMessageContaining("cannot read certificate-authority " + folder.resolve("ca.pem"));
    }
}
