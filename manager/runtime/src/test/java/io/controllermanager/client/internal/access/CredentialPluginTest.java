package io.controllermanager.client.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.client.internal.transport.TlsFront;
import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A kubeconfig whose user names a credential plugin, as client-go's {@code plugin/pkg/client/auth/exec} and {@code
 * tools/clientcmd/validation.go} have it. Plugins are scripts.
 */
class CredentialPluginTest {

    private static final String V1 = "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never";
    private static final String MARK = "s3cret";

    /** Prints a token in the version that was asked for; it needs its name in $token. */
    private static final String ANSWER = """
            version=$(echo "$KUBERNETES_EXEC_INFO" | sed 's/.*"apiVersion":"\\([^"]*\\)".*/\\1/')
            echo "{\\"apiVersion\\":\\"$version\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"$token\\"$more}}"
            """;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final VirtualTime time = new VirtualTime();
    private final ApiConnection connection = ApiConnection.builder(time, time).build();
    private final ResourceClient<V1ConfigMap> configMaps =
            new ResourceClient<>(connection.apiClient(), ResourceTypes.CONFIG_MAP);
    private final List<String> authorizations = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder = Path.of("");

    private volatile String goodToken = "";

    CredentialPluginTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void close() {
        connection.close();
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String sent = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
            boolean good = goodToken.isEmpty() || sent.equals("Bearer " + goodToken);
            if (exchange.getRequestURI().getPath().startsWith("/api/")) {
                authorizations.add(sent);
            }
            byte[] body =
                    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"}}"
                            .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(good ? 200 : 401, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private String server() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private Path script(String text) throws IOException {
        Path plugin = Files.writeString(folder.resolve("plugin"), "#!/bin/sh\ncd '" + folder + "'\n" + text);
        assertThat(plugin.toFile().setExecutable(true)).isTrue();
        return plugin;
    }

    private void connectAs(String user) throws IOException {
        connectTo("", user);
    }

    private void connectTo(String cluster, String user) throws IOException {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                current-context: x
                contexts: [{name: x, context: {cluster: x, user: me}}]
                clusters: [{name: x, cluster: {server: "%s"%s}}]
                users: [{name: me, user: {%s}}]
                """.formatted(server(), cluster, user));
        connection.connect(new ApiAccessResolver(Map.of(), time).resolve(kubeconfig.toString(), null));
    }

    /** The message after the user's name. */
    private String refusal(String user) {
        List<String> message = new ArrayList<>();
        assertThatExceptionOfType(ApiAccessException.class)
                .isThrownBy(() -> connectAs(user))
                .withNoCause()
                .satisfies(e -> message.add(e.getMessage()));
        String name = "kubeconfig " + folder.resolve("kubeconfig") + ": user \"me\": ";
        assertThat(message.get(0)).startsWith(name).doesNotContain("\n", MARK);
        return message.get(0).substring(name.length());
    }

    private void request() throws ApiException {
        configMaps.get("n", "a");
    }

    private long calls() throws IOException {
        return Files.readAllLines(folder.resolve("calls")).size();
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1, interactiveMode: IfAvailable", "v1, interactiveMode: Never", "v1beta1"})
    void asksForTheVersionThatTheKubeconfigNames(String version) throws Exception {
        script("echo \"$KUBERNETES_EXEC_INFO\" >info\ntoken=minted\n" + ANSWER);

        connectAs("exec: {command: ./plugin, apiVersion: client.authentication.k8s.io/" + version + "}");
        request();

        assertThat(authorizations).containsExactly("Bearer minted");
        assertThat(JsonParser.parseString(Files.readString(folder.resolve("info"))))
                .isEqualTo(JsonParser.parseString("""
                        {"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/%s",
                         "spec": {"interactive": false}}
                        """.formatted(version.split(",", -1)[0])));
    }

    @Test
    void tellsOfTheClusterWhereThatIsWanted() throws Exception {
        script("echo \"$KUBERNETES_EXEC_INFO\" >info\ntoken=minted\n" + ANSWER);
        String authority = TlsFront.Identity.make("ca").authority();
        Files.writeString(folder.resolve("ca.crt"), authority);

        connectTo(
                ", certificate-authority: ca.crt, disable-compression: true, extensions: ["
                        + "{name: other, extension: {a: b}}, "
                        + "{name: client.authentication.k8s.io/exec, extension: {audience: x, levels: [1, 2]}}]",
                "exec: {command: ./plugin, provideClusterInfo: true, " + V1 + "}");

        assertThat(JsonParser.parseString(Files.readString(folder.resolve("info")))
                        .getAsJsonObject()
                        .get("spec"))
                .isEqualTo(JsonParser.parseString("""
                        {"interactive": false, "cluster": {
                          "server": "%s",
                          "certificate-authority-data": "%s",
                          "disable-compression": true,
                          "config": {"audience": "x", "levels": [1, 2]}}}
                        """.formatted(
                        server(), Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.UTF_8)))));
    }

    @Test
    void hasArgumentsVariablesAndNothingToRead() throws Exception {
        script("echo \"$1|$2|$ONE|$TWO|$(cat)\" >given\ntoken=minted\n" + ANSWER);

        connectAs("exec: {command: ./plugin, args: [a b, \"\"], env: [{name: ONE, value: '1'}, {name: TWO}], " + V1
                + "}");

        assertThat(folder.resolve("given")).hasContent("a b||1||");
    }

    @Test
    void looksForACommandWithoutASlashInThePath() throws Exception {
        Path plugin = script("token=minted\n" + ANSWER);

        connectAs("exec: {command: sh, args: ['" + plugin + "'], " + V1 + "}");
        request();

        assertThat(authorizations).containsExactly("Bearer minted");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "exec: " + MARK + " | exec must be a map",
                "exec: {command: x} | exec: apiVersion is missing; it must be client.authentication.k8s.io/v1 or"
                        + " client.authentication.k8s.io/v1beta1",
                "exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1} | exec: apiVersion"
                        + " \"client.authentication.k8s.io/v1alpha1\" must be client.authentication.k8s.io/v1 or"
                        + " client.authentication.k8s.io/v1beta1",
                "exec: {command: x, apiVersion: client.authentication.k8s.io/v1} | exec: interactiveMode is missing; it must"
                        + " be Never or IfAvailable or Always",
                "exec: {command: x, interactiveMode: never, apiVersion: client.authentication.k8s.io/v1beta1} |"
                        + " exec: interactiveMode \"never\" must be Never or IfAvailable or Always",
                "exec: {command: x, interactiveMode: Always, apiVersion: client.authentication.k8s.io/v1beta1} |"
                        + " exec: interactiveMode Always needs somebody at a terminal, and nobody is there",
                "exec: {" + V1 + "} | exec: command is missing",
                "exec: {command: [x], " + V1 + "} | exec: command must be text; a number, a date or true needs quotes",
                "exec: {command: x, args: " + MARK + ", " + V1 + "} | exec: args must be a list of texts",
                "exec: {command: x, args: [a, 5], " + V1 + "} | exec: args must be a list of texts",
                "exec: {command: x, env: {A: " + MARK + "}, " + V1 + "} | exec: env must be a list",
                "exec: {command: x, env: [{value: " + MARK + "}], " + V1
                        + "} | exec: a variable of env: name is missing",
                "exec: {command: x, env: [{name: A=B, value: " + MARK + "}], " + V1
                        + "} | credential plugin x cannot be run: no variable can be as one of exec.env is",
                "exec: {command: x, env: [{name: A}, {name: B, value: 1}], " + V1
                        + "} | exec: a variable of env: value must be text; a number, a date or true needs quotes",
                "exec: {command: x, env: [{name: A, value: \"\\0" + MARK + "\"}], " + V1
                        + "} | credential plugin x cannot be run: no variable can be as one of exec.env is",
                "exec: {command: x, provideClusterInfo: 'true', " + V1
                        + "} | exec: provideClusterInfo must be true or false, without quotes",
                "exec: {command: x, " + V1
                        + "}, auth-provider: {name: oidc} | exec and auth-provider are both given, one is allowed",
                "auth-provider: {name: gcp} | auth-provider \"gcp\" is not supported; exec with a credential plugin, such as"
                        + " gke-gcloud-auth-plugin or kubelogin, has taken its place",
                "auth-provider: {name: azure} | auth-provider \"azure\" is not supported; exec with a credential plugin,"
                        + " such as gke-gcloud-auth-plugin or kubelogin, has taken its place",
                "auth-provider: {} | auth-provider without a name is not supported; exec with a credential plugin, such as gke-gcloud-auth-plugin or kubelogin, has taken its place",
                "auth-provider: {name: oidc, config: {id-token: " + MARK + "}} | auth-provider oidc gives no token:"
                        + " RuntimeException",
            })
    void refusesWhatClientGoRefuses(String user, String message) {
        assertThat(refusal(user)).isEqualTo(message);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | prints no ExecCredential in JSON",
                MARK + " | prints no ExecCredential in JSON",
                "[{}] | prints no ExecCredential in JSON",
                "{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\"} | answers in client.authentication.k8s.io/v1beta1,"
                        + " and the kubeconfig asks for client.authentication.k8s.io/v1",
                "{\"apiVersion\":\"" + MARK + "\"} | answers in an unknown apiVersion, and the kubeconfig asks for"
                        + " client.authentication.k8s.io/v1",
                "{\"status\":{\"token\":\"" + MARK
                        + "\"}} | answers in an unknown apiVersion, and the kubeconfig asks for"
                        + " client.authentication.k8s.io/v1",
                "{\"kind\":\"" + MARK + "\",%s} | prints an object that is no ExecCredential",
                "{%s} | gives no status",
                "{%s,\"status\":null} | gives no status",
                "{%s,\"status\":\"" + MARK + "\"} | gives no status",
                "{%s,\"status\":{}} | gives neither a token nor a client certificate",
                "{%s,\"status\":{\"token\":\"\"}} | gives neither a token nor a client certificate",
                "{%s,\"status\":{\"token\":[\"" + MARK + "\"]}} | gives a token that is no text",
                "{%s,\"status\":{\"token\":\"" + MARK
                        + "\\n\"}} | gives a token that cannot be sent, since a header cannot have" + " all of it",
                "{%s,\"status\":{\"clientKeyData\":\"" + MARK
                        + "\"}} | gives only one of clientCertificateData and clientKeyData",
                "{%s,\"status\":{\"token\":\"" + MARK
                        + "\",\"clientCertificateData\":\"x\"}} | gives only one of clientCertificateData and clientKeyData",
                "{%s,\"status\":{\"token\":\"" + MARK
                        + "\",\"expirationTimestamp\":\"tomorrow\"}} | gives an expirationTimestamp that is no time in the"
                        + " form of RFC 3339",
                "{%s,\"status\":{\"token\":\"" + MARK
                        + "\",\"clientCertificateData\":\"x\",\"clientKeyData\":\"" + MARK
                        + "\"}} | gives a client certificate of no use",
            })
    void refusesAnAnswerOfNoUseWithoutQuotingIt(String answer, String message) throws Exception {
        Path plugin = script("cat answer; echo 'not well' >&2");
        Files.writeString(
                folder.resolve("answer"), answer.replace("%s", "\"apiVersion\":\"client.authentication.k8s.io/v1\""));

        assertThat(refusal("exec: {command: ./plugin, " + V1 + "}"))
                .startsWith("credential plugin " + plugin + " " + message)
                .endsWith(": not well");
    }

    @Test
    void takesAnAnswerWithoutAKind() throws Exception {
        script("echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"minted\"}}'");
        connectAs("exec: {command: ./plugin, " + V1 + "}");
        request();

        assertThat(authorizations).containsExactly("Bearer minted");
    }

    @Test
    void saysWithWhatAPluginEndedAndNothingThatItPrinted() throws Exception {
        Path plugin = script("echo " + MARK + "\necho first >&2\nprintf 'last \\033[1mline\\033[0m\\n\\n' >&2\nexit 3");

        assertThat(refusal("exec: {command: ./plugin, installHint: \"get it\\nthere\", " + V1 + "}"))
                .isEqualTo("credential plugin " + plugin + " ended with exit code 3: last [1mline [0m (get it there)");
        assertThat(refusal("exec: {command: ./plugin, " + V1 + "}"))
                .isEqualTo("credential plugin " + plugin + " ended with exit code 3: last [1mline [0m");
    }

    @Test
    void saysThatAPluginIsNotThere() throws Exception {
        assertThat(refusal("exec: {command: no-such-plugin, installHint: brew install it, " + V1 + "}"))
                .isEqualTo(
                        "credential plugin no-such-plugin cannot be run: No such file or directory (brew install it)");
        Path plugin = Files.writeString(folder.resolve("plugin"), "");
        assertThat(refusal("exec: {command: ./plugin, " + V1 + "}"))
                .isEqualTo("credential plugin " + plugin + " cannot be run: Permission denied");
    }

    @Test
    void staysWithATokenThatHasNoEndUntilItIsRefused() throws Exception {
        script("echo x >>calls\ntoken=$(wc -l <calls | tr -d ' ')\n" + ANSWER);
        connectAs("exec: {command: ./plugin, " + V1 + "}");
        request();
        time.advance(Duration.ofDays(400));
        request();
        assertThat(authorizations).containsOnly("Bearer 1");

        goodToken = "2";
        request();

        assertThat(authorizations).last().isEqualTo("Bearer 2");
        assertThat(calls()).isEqualTo(2);
    }

    @Test
    void asksOnceForAllRequestsThatAreRefused() throws Exception {
        script("echo x >>calls\ntoken=$(wc -l <calls | tr -d ' ')\n" + ANSWER);
        connectAs("exec: {command: ./plugin, " + V1 + "}");
        goodToken = "2";

        List<Future<?>> requests = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            requests.add(threads.submit(() -> {
                request();
                return null;
            }));
        }
        for (Future<?> request : requests) {
            Waiting.on(request);
        }

        assertThat(calls()).isEqualTo(2);
    }

    /** The first ends after an hour, all others with it. */
    private void connectWithEnd() throws IOException {
        script("echo x >>calls\ntoken=$(wc -l <calls | tr -d ' ')\n"
                + "more=',\"expirationTimestamp\":\"2026-01-01T0'$token':00:00Z\"'\n" + ANSWER);
        connectAs("exec: {command: ./plugin, " + V1 + "}");
    }

    @Test
    void asksAgainShortlyBeforeATokenRunsOutAndNotEarlier() throws Exception {
        connectWithEnd();
        time.advance(Duration.ofMinutes(58).plusSeconds(59));
        request();
        assertThat(calls()).isEqualTo(1);

        time.advance(Duration.ofSeconds(1));

        await().until(() -> {
            request();
            return authorizations.get(authorizations.size() - 1).equals("Bearer 2");
        });
        assertThat(calls()).isEqualTo(2);
    }

    @Test
    void sendsNoTokenThatHasRunOut() throws Exception {
        connectWithEnd();
        time.advance(Duration.ofMinutes(61));
        request();

        assertThat(authorizations).containsExactly("Bearer 2");
    }

    private Path scriptThatMayFail() throws IOException {
        return script("[ -e fails ] && { echo boom >&2; exit 1; }\ntoken=minted\n"
                + "more=',\"expirationTimestamp\":\"'$(cat end)'\"'\n" + ANSWER);
    }

    private void awaitTrouble(@Nullable String trouble) {
        await().until(() -> {
            try {
                request();
            } catch (ApiException e) {
                // As it should.
            }
            time.advance(Duration.ofSeconds(1));
            return Objects.equals(connection.monitor().trouble(), trouble);
        });
    }

    private String failure(Path plugin) {
        return "kubeconfig " + folder.resolve("kubeconfig") + ": user \"me\": credential plugin " + plugin
                + " ended with exit code 1: boom";
    }

    @Test
    void isNotReadyOnceATokenHasRunOutAndThePluginFails() throws Exception {
        Files.writeString(folder.resolve("end"), "2026-01-01T01:00:00Z");
        Path plugin = scriptThatMayFail();
        connectAs("exec: {command: ./plugin, " + V1 + "}");
        Files.writeString(folder.resolve("fails"), "");
        time.advance(Duration.ofMinutes(59));
        request();
        time.advance(Duration.ofMinutes(2));

        awaitTrouble("the API server cannot be asked: " + failure(plugin));

        Files.writeString(folder.resolve("end"), "2026-01-02T01:00:00Z");
        Files.delete(folder.resolve("fails"));
        awaitTrouble(null);
    }

    @Test
    void isNotReadyOnceATokenIsRefusedAndThePluginFails() throws Exception {
        Files.writeString(folder.resolve("end"), "2026-01-02T01:00:00Z");
        Path plugin = scriptThatMayFail();
        connectAs("exec: {command: ./plugin, " + V1 + "}");
        Files.writeString(folder.resolve("fails"), "");
        goodToken = "another";

        awaitTrouble("the API server refuses our credentials (401 Unauthorized): " + failure(plugin));
    }

    @Test
    void sendsATokenBesideACertificateOfThePlugin() throws Exception {
        TlsFront.Identity identity = TlsFront.Identity.make("me");
        String key = "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder()
                        .encodeToString(identity.store()
                                .getKey("it", "changeit".toCharArray())
                                .getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
        script("token=minted\nmore=',\"clientCertificateData\":\"" + escaped(identity.authority())
                + "\",\"clientKeyData\":\"" + escaped(key) + "\"'\n" + ANSWER.replace("echo \"{", "printf '%s' \"{"));
        connectAs("exec: {command: ./plugin, " + V1 + "}");
        request();

        assertThat(authorizations).containsExactly("Bearer minted");
        assertThat(connection.apiClient().getKeyManagers()).hasSize(1);
    }

    private static String escaped(String pem) {
        return pem.replace("\r", "").replace("\n", "\\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"token: fixed", "tokenFile: token", "username: u, password: p"})
    void runsNoPluginWhereTheKubeconfigHasCredentials(String other) throws Exception {
        Files.writeString(folder.resolve("token"), "fixed");
        connectAs("exec: {command: no-such-plugin, " + V1 + "}, " + other);
        request();

        assertThat(authorizations).containsAnyOf("Bearer fixed", "Basic dTpw");
    }
}
