package io.controllermanager.app.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.app.process.HttpAnswer;
import io.controllermanager.app.process.Kubeconfigs;
import io.controllermanager.app.process.RunningJar;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.TcpProxy;
import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing secret in logs, endpoints' answers and error messages, however loud the log is. */
@RealControlPlane
@Tag("system")
class SecretsIT {

    private static final String MARK = "marked-as-secret";
    private static final List<String> LOUD = List.of(
            "-Dsome.password=" + MARK,
            "-Dlogging.level.root=debug",
            "-Dlogging.level.io.controllermanager=trace",
            "-Dlogging.level.io.kubernetes=trace",
            "-Dlogging.level.okhttp3=trace");

    private static final String EXEC_CREDENTIAL =
            "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"%s\"}}";

    private static ControlPlane plane;
    private static String namespace;

    @TempDir
    Path directory;

    @BeforeAll
    static void useControlPlane(ControlPlane shared, FreshNamespace fresh) {
        plane = shared;
        namespace = fresh.name();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token: " + MARK,
                "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: ./plugin}"
            })
    void aRefusedTokenPropertiesAndVariablesAreInNoLogAndNoEndpoint(String user) throws Exception {
        Kubeconfigs.plugin(directory, "echo '" + EXEC_CREDENTIAL.formatted(MARK) + "'");
        Path kubeconfig = kubeconfig(user, "insecure-skip-tls-verify: true");
        try (RunningJar jar = RunningJar.start(
                directory,
                Map.of("SOME_TOKEN", MARK),
                LOUD,
                "--kubeconfig=" + kubeconfig,
                "--management.endpoints.web.exposure.include=*")) {
            jar.awaitStatus("/actuator/health/liveness", 200);
            awaitLine(jar, "401");
            List<String> paths = new ArrayList<>(endpoints(jar));
            assertThat(paths).anyMatch(path -> path.endsWith("/env")).anyMatch(path -> path.endsWith("/configprops"));
            // Whoever has the memory has all that is in it: it is not shown even where all is exposed.
            assertThat(paths).noneMatch(path -> path.endsWith("/heapdump"));
            paths.add("/actuator/env/some.password");
            paths.add("/actuator/env/SOME_TOKEN");
            paths.add("/no/such/path");
            for (String path : paths) {
                assertSilent(path, Stream.of(jar.get(path, MARK).body()), MARK);
            }
            assertThat(jar.body("/actuator/env/SOME_TOKEN")).contains("systemEnvironment");
            assertSilent(jar, MARK);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token: " + MARK,
                "username: u, password: " + MARK,
            })
    void whatTheUserHasIsInNoLogWhereTheCertificateIsWrong(String user) throws Exception {
        Path kubeconfig = kubeconfig(user, "insecure-skip-tls-verify: false");
        try (RunningJar jar = RunningJar.start(directory, LOUD, "--kubeconfig=" + kubeconfig)) {
            awaitLine(jar, "cannot be reached");
            assertSilent("/actuator/health", Stream.of(jar.body("/actuator/health")), MARK);
            assertSilent(jar, MARK);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token: [" + MARK,
                "token: " + MARK + ": " + MARK,
            })
    void aStartThatFailsDoesNotQuoteTheLine(String user) throws Exception {
        expectSilentFailure(user);
    }

    /** The third kind is what a plugin leaves that was stopped half-way. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                MARK,
                "\"" + MARK + "\"",
                "{\"kind\": \"ExecCredential\", \"status\": {\"token\": \"" + MARK,
                "{\"kind\": \"ExecCredential\", \"status\": {\"token\": [\"" + MARK + "\", }}",
                "{\"kind\": \"" + MARK + "\", \"status\": {\"token\": \"" + MARK + "\"}}",
            })
    void whatAPluginPrintsThatIsNoCredentialIsNotQuoted(String printed) throws Exception {
        Kubeconfigs.plugin(directory, "echo '" + printed + "'");
        expectSilentFailure(
                "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: ./plugin}");
    }

    /** What a plugin writes to stderr it says to people. The last line says why it failed; the others go nowhere. */
    @Test
    void ofWhatAPluginWritesToStderrTheLastLineAloneIsShown() throws Exception {
        Kubeconfigs.plugin(directory, "echo " + MARK + " >&2; echo sign in first >&2; exit 1");
        Path kubeconfig = kubeconfig(
                "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: ./plugin}",
                "insecure-skip-tls-verify: true");
        try (RunningJar jar = RunningJar.start(directory, LOUD, "--kubeconfig=" + kubeconfig)) {
            assertThat(jar.exitCode()).isEqualTo(1);
            assertThat(jar.err()).singleElement().asString().endsWith("/plugin ended with exit code 1: sign in first");
            assertSilent(jar, MARK);
        }
    }

    static List<String> keys() {
        return List.of(
                MARK,
                pem("PRIVATE KEY", MARK),
                pem("PRIVATE KEY", base64(MARK)),
                pem("RSA PRIVATE KEY", base64(MARK)),
                pem("EC PRIVATE KEY", base64(MARK)),
                "-----BEGIN PRIVATE KEY-----\n" + MARK);
    }

    @ParameterizedTest
    @MethodSource("keys")
    void aClientKeyOfNoUseIsNotQuoted(String key) throws Exception {
        Matcher certificate = Pattern.compile("client-certificate-data: \\S+").matcher(plane.kubeconfigFor("anybody"));
        assertThat(certificate.find()).isTrue();
        expectSilentFailure(certificate.group() + ", client-key-data: "
                + Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8)));
    }

    private static String pem(String what, String content) {
        return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(what, content);
    }

    /** Those who ask the endpoints have tokens of their own, which this process sends on. */
    @Test
    void aTokenThatIsCheckedIsInNoLogAndNoAnswer() throws Exception {
        Tokens tokens =
                new Tokens(plane, Config.fromConfig(plane.kubeconfigFile().toString()), namespace);
        tokens.account("nobody", "get");
        String token = tokens.of("nobody");
        try (TcpProxy proxy = new TcpProxy(plane.apiServerUrl())) {
            Path kubeconfig = Files.writeString(
                    directory.resolve("kubeconfig"),
                    plane.kubeconfig().replace(plane.apiServerUrl().toString(), proxy.url()));
            try (RunningJar jar = RunningJar.start(
                    directory,
                    LOUD,
                    "--kubeconfig=" + kubeconfig,
                    "--controller-manager.endpoints.authentication.enabled=true")) {
                jar.awaitStatus("/actuator/health/liveness", 200);
                expect(jar, 403, "may not get /actuator/info", token);
                expect(jar, 401, "the token is not valid", MARK);

                proxy.cut();
                expect(jar, 503, "the API server cannot be asked now", "another-" + MARK);
                awaitLine(jar, "was not answered");
                assertSilent(jar, MARK, token);
            }
        }
    }

    private static void expect(RunningJar jar, int status, String said, String token) {
        HttpAnswer answer = jar.get("/actuator/info", token);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).contains(said);
        assertSilent("the answer " + status, Stream.of(answer.body()), MARK, token);
    }

    private void expectSilentFailure(String user) throws Exception {
        Path kubeconfig = kubeconfig(user, "insecure-skip-tls-verify: true");
        try (RunningJar jar = RunningJar.start(directory, LOUD, "--kubeconfig=" + kubeconfig)) {
            assertThat(jar.exitCode()).isEqualTo(1);
            assertThat(jar.err()).hasSize(1);
            assertSilent(jar, MARK);
        }
    }

    private Path kubeconfig(String user, String cluster) throws IOException {
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters:
                - name: it
                  cluster:
                    server: %s
                    %s
                users:
                - name: it
                  user: {%s}
                contexts:
                - name: it
                  context: {cluster: it, user: it}
                current-context: it
                """.formatted(plane.apiServerUrl(), cluster, user));
    }

    /** All that the actuator links to and that has no variables in its path. */
    private static List<String> endpoints(RunningJar jar) throws Exception {
        JsonObject links =
                JsonParser.parseString(jar.body("/actuator")).getAsJsonObject().getAsJsonObject("_links");
        return links.asMap().values().stream()
                .map(JsonElement::getAsJsonObject)
                .filter(link -> !link.get("templated").getAsBoolean())
                .map(link -> URI.create(link.get("href").getAsString()).getPath())
                .toList();
    }

    private static void awaitLine(RunningJar jar, String text) {
        await(text).until(() -> jar.out().stream().anyMatch(line -> line.contains(text)));
    }

    private static void assertSilent(RunningJar jar, String... secrets) {
        assertSilent("the log", Stream.concat(jar.out().stream(), jar.err().stream()), secrets);
    }

    /** Neither as they are nor encoded, as in a Secret or for basic authentication. */
    private static void assertSilent(String where, Stream<String> lines, String... secrets) {
        List<String> forms = Stream.of(secrets)
                .flatMap(secret -> Stream.of(secret, base64(secret), base64("u:" + secret)))
                .toList();
        assertThat(lines.filter(line -> forms.stream().anyMatch(line::contains)))
                .as(where)
                .isEmpty();
    }

    /** Without the last characters, which what follows would change. */
    private static String base64(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes, bytes.length / 3 * 3));
    }
}
