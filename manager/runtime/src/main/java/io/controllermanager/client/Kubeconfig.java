package io.controllermanager.client;

import io.controllermanager.client.ClientCertificates.Identity;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.credentials.Authentication;
import io.kubernetes.client.util.credentials.UsernamePasswordAuthentication;
import java.io.IOException;
import java.net.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import okhttp3.HttpUrl;
import okio.ByteString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * One or more kubeconfig files, merged as kubectl does (client-go's {@code tools/clientcmd/loader.go}): the first file to
 * name a thing decides, and paths are relative to the file that they stand in. Credentials themselves are client-java's
 * business. Files, this one too, are read again each minute, and files and plugins when the API server refuses what they
 * have given.
 */
final class Kubeconfig {

    private static final Logger log = LoggerFactory.getLogger(Kubeconfig.class);

    /** As client-go reads a token's file, and the kubeconfig's own credentials as well; a 401 renews earlier. */
    private static final Duration FILE_LIFETIME = Duration.ofMinutes(1);

    /** Plugins say no lifetime through client-java. */
    private static final Duration PLUGIN_TOKEN_LIFETIME = Duration.ofMinutes(10);

    private final String source;
    private final List<Path> files;
    private final Map<String, Map<String, Object>> clusters = new LinkedHashMap<>();
    private final Map<String, Map<String, Object>> users = new LinkedHashMap<>();
    private final Map<String, Map<String, Object>> contexts = new LinkedHashMap<>();
    private @Nullable String currentContext;

    private Kubeconfig(String source, List<Path> files) {
        this.source = source;
        this.files = files;
    }

    /** Reads files; the first to name something decides. */
    static Kubeconfig load(List<Path> files) {
        Kubeconfig config = new Kubeconfig(
                "kubeconfig "
                        + String.join(":", files.stream().map(Path::toString).toList()),
                List.copyOf(files));
        for (Path file : files) {
            config.add(file);
        }
        return config;
    }

    private void add(Path file) {
        String name = "kubeconfig " + file;
        Map<String, Object> document = parse(file, name);
        Path folder = Objects.requireNonNullElse(file.toAbsolutePath().getParent(), file);
        entries(document, "clusters", "cluster", name, clusters, folder);
        entries(document, "users", "user", name, users, folder);
        entries(document, "contexts", "context", name, contexts, folder);
        if (currentContext == null && document.get("current-context") instanceof String context && !context.isEmpty()) {
            currentContext = context;
        }
    }

    @SuppressWarnings("unchecked") // YAML's keys in a kubeconfig are strings; what is not fails where it is used
    private static Map<String, Object> parse(Path file, String name) {
        Object document;
        try {
            document = new Yaml(new SafeConstructor(new LoaderOptions()))
                    .load(Files.readString(file, StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            throw new ApiAccessException(name + ": there is no such file", e);
        } catch (IOException e) {
            throw new ApiAccessException(name + ": cannot be read: " + oneLine(e), e);
        } catch (YAMLException e) {
            throw notYaml(name, e);
        }
        if (document == null) {
            throw new ApiAccessException(name + ": is empty");
        }
        if (!(document instanceof Map)) {
            throw new ApiAccessException(name + ": is no kubeconfig, which has clusters, users and contexts");
        }
        return (Map<String, Object>) document;
    }

    /** Says where the mistake is and no more: the parser's own message quotes the line, and a token may stand in it. */
    private static ApiAccessException notYaml(String name, YAMLException e) {
        Mark mark = e instanceof MarkedYAMLException marked ? marked.getProblemMark() : null;
        return new ApiAccessException(name + ": is not valid YAML"
                + (mark == null ? "" : " at line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1)));
    }

    @SuppressWarnings("unchecked") // as above
    private static void entries(
            Map<String, Object> document,
            String list,
            String what,
            String name,
            Map<String, Map<String, Object>> into,
            Path folder) {
        Object entries = document.get(list);
        if (entries == null) {
            return;
        }
        if (!(entries instanceof List)) {
            throw new ApiAccessException(name + ": \"" + list + "\" is not a list");
        }
        for (Object entry : (List<Object>) entries) {
            if (!(entry instanceof Map<?, ?> named) || !(named.get("name") instanceof String entryName)) {
                throw new ApiAccessException(name + ": an entry of \"" + list + "\" has no name");
            }
            Object value = named.get(what);
            if (value != null && !(value instanceof Map)) {
                throw new ApiAccessException(name + ": " + what + " \"" + entryName + "\" is malformed");
            }
            Map<String, Object> copy =
                    value == null ? new LinkedHashMap<>() : new LinkedHashMap<>((Map<String, Object>) value);
            makePathsAbsolute(copy, folder);
            into.putIfAbsent(entryName, copy);
        }
    }

    @SuppressWarnings("unchecked") // as above
    private static void makePathsAbsolute(Map<String, Object> entry, Path folder) {
        for (String key : List.of("certificate-authority", "client-certificate", "client-key", "tokenFile")) {
            if (entry.get(key) instanceof String path && !path.isEmpty()) {
                entry.put(key, folder.resolve(path).normalize().toString());
            }
        }
        if (entry.get("exec") instanceof Map<?, ?> exec
                && exec.get("command") instanceof String command
                && command.contains("/")) {
            Map<String, Object> copy = new LinkedHashMap<>((Map<String, Object>) exec);
            copy.put("command", folder.resolve(command).normalize().toString());
            entry.put("exec", copy);
        }
    }

    /**
     * The way that the current context shows.
     *
     * @param master replaces the cluster's server, null to use that
     */
    ApiAccess access(@Nullable String master, Clock clock) {
        boolean givenServer = master != null && !master.isEmpty();
        if (currentContext == null) {
            throw new ApiAccessException(source + ": has no current-context");
        }
        Map<String, Object> context = contexts.get(currentContext);
        if (context == null) {
            throw new ApiAccessException(source + ": current-context \"" + currentContext
                    + "\" is not one of its contexts " + contexts.keySet());
        }
        String clusterName = string(context, "cluster");
        Map<String, Object> cluster = clusterName == null ? null : clusters.get(clusterName);
        if (cluster == null && !givenServer) {
            throw new ApiAccessException(source + ": context \"" + currentContext + "\" names "
                    + (clusterName == null ? "no cluster" : "cluster \"" + clusterName + "\", which is not there"));
        }
        String userName = string(context, "user");
        Map<String, Object> user = userName == null ? null : users.get(userName);
        if (userName != null && user == null) {
            throw new ApiAccessException(source + ": context \"" + currentContext + "\" names user \"" + userName
                    + "\", which is not there");
        }
        Map<String, Object> existing = cluster == null ? Map.of() : cluster;
        String server = givenServer ? master : string(existing, "server");
        if (server == null || server.isEmpty()) {
            throw new ApiAccessException(source + ": cluster \"" + clusterName + "\" has no server");
        }
        String serverName = string(existing, "tls-server-name");
        if (serverName != null && !serverName.isEmpty()) {
            throw new ApiAccessException(source + ": cluster \"" + clusterName + "\": tls-server-name \"" + serverName
                    + "\" is not supported: the server's certificate must name the host of its URL");
        }
        String namespace = string(context, "namespace");
        Map<String, Object> given = user == null ? Map.of() : user;
        return new ContextAccess(
                url(server),
                namespace == null || namespace.isEmpty() ? null : namespace,
                source,
                existing,
                given,
                () -> userNow(userName, given),
                String.valueOf(userName),
                impersonation(given, String.valueOf(userName)),
                proxy(existing, String.valueOf(clusterName)),
                clock);
    }

    /** The user as the files have it at this moment, or had it at first if they are of no use just now. */
    private Map<String, Object> userNow(@Nullable String userName, Map<String, Object> before) {
        try {
            Map<String, Object> now =
                    userName == null ? null : load(files).users.get(userName);
            return now == null ? before : now;
        } catch (ApiAccessException e) {
            return before;
        }
    }

    private @Nullable Impersonation impersonation(Map<String, Object> user, String userName) {
        String name = source + ": user \"" + userName + "\": ";
        String as = string(user, "as");
        if (as == null || as.isEmpty()) {
            for (String field : List.of("as-uid", "as-groups", "as-user-extra")) {
                if (user.get(field) != null) {
                    throw new ApiAccessException(name + field + " " + user.get(field) + " needs as, the user's name");
                }
            }
            return null;
        }
        Map<String, List<String>> extra = new LinkedHashMap<>();
        Object given = user.get("as-user-extra");
        if (given instanceof Map<?, ?> map) {
            map.forEach((key, values) ->
                    extra.put(String.valueOf(key), strings(values, name + "as-user-extra " + key + " ")));
        } else if (given != null) {
            throw new ApiAccessException(name + "as-user-extra " + given + " is no map of lists");
        }
        return new Impersonation(
                as, string(user, "as-uid"), strings(user.get("as-groups"), name + "as-groups "), extra);
    }

    private static List<String> strings(@Nullable Object value, String name) {
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> list)) {
            throw new ApiAccessException(name + value + " is no list");
        }
        return list.stream().map(String::valueOf).toList();
    }

    private @Nullable Proxy proxy(Map<String, Object> cluster, String clusterName) {
        String url = string(cluster, "proxy-url");
        if (url == null || url.isEmpty()) {
            return null;
        }
        Proxy proxy = ClusterProxy.proxy(url);
        if (proxy == null) {
            throw new ApiAccessException(source + ": cluster \"" + clusterName + "\": proxy-url \""
                    + withoutPassword(url)
                    + "\" is not supported: only http://host:port and socks5://host:port are, without a password");
        }
        return proxy;
    }

    /** The URL that kubectl makes of a server: with a scheme, without a trailing slash. */
    static String url(String server) {
        String url = server.contains("://") ? server : (server.endsWith(":443") ? "https://" : "http://") + server;
        String trimmed = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
        HttpUrl parsed = HttpUrl.parse(trimmed);
        if (parsed == null) {
            throw new ApiAccessException("\"" + withoutPassword(server) + "\" is not the URL of an API server");
        }
        // It would be sent to nobody, and stand in every message that names the server.
        if (!parsed.encodedUsername().isEmpty() || !parsed.encodedPassword().isEmpty()) {
            throw new ApiAccessException("\"" + withoutPassword(server)
                    + "\": a user in the URL is not supported; the kubeconfig's user may have username and password");
        }
        return trimmed;
    }

    private static String withoutPassword(String url) {
        return url.replaceFirst("^([^/]*//)?.*@", "$1…@");
    }

    private static @Nullable String string(Map<String, Object> map, String key) {
        return map.get(key) instanceof String text ? text : null;
    }

    private static String oneLine(Exception e) {
        return String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", " ").strip();
    }

    private record ContextAccess(
            String server,
            @Nullable String namespace,
            String source,
            Map<String, Object> cluster,
            Map<String, Object> user,
            Supplier<Map<String, Object>> userNow,
            String userName,
            @Nullable Impersonation impersonation,
            @Nullable Proxy proxy,
            Clock clock)
            implements ApiAccess {

        @Override
        public void configure(ApiClient target) {
            Authentication authentication = null;
            BearerTokens tokens = null;
            String name = string(user, "username");
            String password = string(user, "password");
            // A certificate proves who asks to TLS, the others to HTTP: both may be given. Of the latter what stands in
            // the file goes before what a plugin says, as in client-go.
            Identity identity = identity(user);
            ClientCertificates certificates =
                    identity == null ? null : certificates(identity, () -> identity(userNow.get()), FILE_LIFETIME);
            if (user.get("token") instanceof String token && !token.isEmpty()) {
                tokens = tokens(() -> string(userNow.get(), "token"), FILE_LIFETIME);
            } else if (user.get("tokenFile") instanceof String file && !file.isEmpty()) {
                tokens = tokens(() -> readToken(Path.of(file)), FILE_LIFETIME);
            } else if (name != null && password != null) {
                authentication = new UsernamePasswordAuthentication(name, password);
            } else if (user.containsKey("exec") || user.containsKey("auth-provider")) {
                KubeConfig credentials = credentials();
                Map<String, String> given = ask(credentials);
                if (given == null) {
                    throw new ApiAccessException(
                            source + ": user \"" + userName + "\": the credential plugin gave nothing of use");
                }
                Identity minted = pluginIdentity(given);
                String pluginToken = given.get(KubeConfig.CRED_TOKEN_KEY);
                if (minted != null) {
                    certificates = certificates(minted, () -> pluginIdentity(ask(credentials)), null);
                }
                if (minted == null || (pluginToken != null && !pluginToken.isEmpty())) {
                    tokens = tokens(new PluginTokens(credentials, pluginToken), PLUGIN_TOKEN_LIFETIME);
                }
            }
            boolean verify = !Boolean.TRUE.equals(cluster.get("insecure-skip-tls-verify"));
            byte[] authority = data(cluster, "certificate-authority");
            new ClientAccess(
                            server,
                            verify,
                            authority == null ? null : ByteString.of(authority),
                            authentication,
                            certificates,
                            tokens,
                            impersonation,
                            proxy)
                    .apply(target, source);
        }

        /** What stands in the kubeconfig, or in the files that it names. */
        private @Nullable Identity identity(Map<String, Object> owner) {
            byte[] certificate = data(owner, "client-certificate");
            byte[] key = data(owner, "client-key");
            return certificate == null || key == null
                    ? null
                    : new Identity(ByteString.of(certificate), ByteString.of(key));
        }

        /** What a plugin says. */
        private static @Nullable Identity pluginIdentity(@Nullable Map<String, String> given) {
            String certificate = given == null ? null : given.get(KubeConfig.CRED_CLIENT_CERTIFICATE_DATA_KEY);
            String key = given == null ? null : given.get(KubeConfig.CRED_CLIENT_KEY_DATA_KEY);
            return certificate == null || key == null
                    ? null
                    : new Identity(ByteString.encodeUtf8(certificate), ByteString.encodeUtf8(key));
        }

        private ClientCertificates certificates(
                Identity first, Supplier<@Nullable Identity> from, @Nullable Duration lifetime) {
            try {
                return new ClientCertificates(first, from, lifetime, clock);
            } catch (RuntimeException e) {
                throw new ApiAccessException(
                        source + ": user \"" + userName + "\": the client certificate or its key is of no use: "
                                + oneLine(e),
                        e);
            }
        }

        private BearerTokens tokens(Supplier<@Nullable String> from, @Nullable Duration lifetime) {
            return new BearerTokens(from, lifetime, clock, source + ": user \"" + userName + "\"");
        }

        /** client-java runs plugins and knows providers; it wants lists that it may write to. */
        private KubeConfig credentials() {
            ArrayList<Object> contexts =
                    new ArrayList<>(List.of(Map.of("name", "it", "context", Map.of("user", "it"))));
            ArrayList<Object> users = new ArrayList<>(List.of(Map.of("name", "it", "user", new LinkedHashMap<>(user))));
            KubeConfig config = new KubeConfig(contexts, new ArrayList<>(), users);
            config.setContext("it");
            return config;
        }

        private byte @Nullable [] data(Map<String, Object> entry, String what) {
            String data = string(entry, what + "-data");
            try {
                if (data != null && !data.isEmpty()) {
                    return Base64.getMimeDecoder().decode(data);
                }
                String file = string(entry, what);
                return file == null || file.isEmpty() ? null : Files.readAllBytes(Path.of(file));
            } catch (IllegalArgumentException e) {
                throw new ApiAccessException(source + ": " + what + "-data is not base64", e);
            } catch (IOException e) {
                throw new ApiAccessException(source + ": cannot read " + what + " " + string(entry, what), e);
            }
        }

        private static @Nullable String readToken(Path file) {
            try {
                return Files.readString(file, StandardCharsets.UTF_8).strip();
            } catch (IOException e) {
                return null;
            }
        }
    }

    /**
     * Runs a plugin; null if what it says is of no use. What client-java throws then quotes the answer, and that may well be
     * a bare token.
     */
    private static @Nullable Map<String, String> ask(KubeConfig plugin) {
        try {
            return plugin.getCredentials();
        } catch (RuntimeException e) {
            log.atWarn()
                    .addKeyValue("cause", e.getClass().getSimpleName())
                    .log(
                            "What the credential plugin of the kubeconfig printed is no ExecCredential: {}",
                            e.getClass().getSimpleName());
            return null;
        }
    }

    /** Gives the token that has been fetched already the first time, and runs the plugin from then on. */
    private static final class PluginTokens implements Supplier<@Nullable String> {

        private final KubeConfig config;
        private @Nullable String first;

        PluginTokens(KubeConfig config, @Nullable String first) {
            this.config = config;
            this.first = first;
        }

        @Override
        public synchronized @Nullable String get() {
            String token = first;
            if (token != null) {
                first = null;
                return token;
            }
            Map<String, String> given = ask(config);
            return given == null ? null : given.get(KubeConfig.CRED_TOKEN_KEY);
        }
    }
}
