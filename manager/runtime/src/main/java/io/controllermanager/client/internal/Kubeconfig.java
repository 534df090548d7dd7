package io.controllermanager.client.internal;

import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.credentials.Authentication;
import io.kubernetes.client.util.credentials.UsernamePasswordAuthentication;
import java.io.IOException;
import java.net.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import okhttp3.HttpUrl;
import okio.ByteString;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * One or more kubeconfig files, merged as kubectl does (client-go's {@code tools/clientcmd/loader.go}): the first file to
 * name a thing decides, and paths are relative to the file that they stand in. Credentials themselves are client-java's
 * business. Files, this one too, are read again while they are in use, and files and plugins when what they have given does
 * not do any more.
 */
final class Kubeconfig {

    /** As client-go reads a token's file, and the kubeconfig's own tokens as well; a 401 renews earlier. */
    private static final Duration TOKEN_LIFETIME = Duration.ofMinutes(1);

    /** Plugins say no lifetime through client-java. */
    private static final Duration PLUGIN_TOKEN_LIFETIME = Duration.ofMinutes(10);

    private static final String AUTHORITY = "certificate-authority";

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
            throw new ApiAccessException(name + ": cannot be read: " + FailureMessage.words(e), e);
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
                () -> now(read -> read.clusters, clusterName),
                given,
                () -> now(read -> read.users, userName),
                String.valueOf(userName),
                impersonation(given, String.valueOf(userName)),
                proxy(existing, String.valueOf(clusterName)),
                clock);
    }

    /**
     * An entry as the files have it at this moment; empty if they do not have it any more.
     *
     * @throws ApiAccessException if the files are of no use just now
     */
    private Map<String, Object> now(
            Function<Kubeconfig, Map<String, Map<String, Object>>> list, @Nullable String name) {
        return list.apply(load(files)).getOrDefault(String.valueOf(name), Map.of());
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

    /** The JDK's message for a file that is not there is its name. */
    private static String reason(IOException e) {
        return e instanceof NoSuchFileException ? "there is no such file" : FailureMessage.words(e);
    }

    private record ContextAccess(
            String server,
            @Nullable String namespace,
            String source,
            Map<String, Object> cluster,
            Supplier<Map<String, Object>> clusterNow,
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
            ClientCertificate own = certificate(user);
            Renewable<ClientCertificate> certificate =
                    own == null ? null : renewable(own, () -> certificate(userNow.get()), Renewable.FILE_LIFETIME);
            if (user.get("token") instanceof String token && !token.isEmpty()) {
                tokens = tokens(this::tokenNow, TOKEN_LIFETIME);
            } else if (user.get("tokenFile") instanceof String file && !file.isEmpty()) {
                tokens = tokens(() -> readToken(Path.of(file)), TOKEN_LIFETIME);
            } else if (name != null && password != null) {
                authentication = new UsernamePasswordAuthentication(name, password);
            } else if (user.containsKey("exec") || user.containsKey("auth-provider")) {
                CredentialPlugin plugin = new CredentialPlugin(user);
                CredentialPlugin.Given given = plugin.ask();
                if (given == null) {
                    throw new ApiAccessException(
                            source + ": user \"" + userName + "\": the credential plugin gave nothing of use");
                }
                ClientCertificate minted = given.certificate();
                String token = given.token();
                if (minted != null) {
                    certificate = renewable(minted, plugin::certificate, null);
                }
                if (minted == null || (token != null && !token.isEmpty())) {
                    tokens = tokens(plugin.tokens(token), PLUGIN_TOKEN_LIFETIME);
                }
            }
            boolean verify = !Boolean.TRUE.equals(cluster.get("insecure-skip-tls-verify"));
            new ClientAccess(
                            server,
                            verify,
                            verify ? authority() : null,
                            authentication,
                            certificate,
                            tokens,
                            impersonation,
                            proxy)
                    .apply(target, source);
        }

        private @Nullable Renewable<CertificateAuthority> authority() {
            String file = string(cluster, AUTHORITY);
            boolean inline = file == null || string(cluster, AUTHORITY + "-data") != null;
            CertificateAuthority first = authority(cluster);
            return first == null
                    ? null
                    : CertificateAuthority.renewable(
                            inline ? "in " + source : String.valueOf(file),
                            first,
                            () -> authority(clusterNow.get()),
                            clock);
        }

        /** What stands in the kubeconfig, or in the file that it names. */
        private @Nullable CertificateAuthority authority(Map<String, Object> owner) {
            byte[] certificates = data(owner, AUTHORITY);
            return certificates == null ? null : new CertificateAuthority(ByteString.of(certificates));
        }

        /** What stands in the kubeconfig, or in the files that it names. */
        private @Nullable ClientCertificate certificate(Map<String, Object> owner) {
            byte[] certificate = data(owner, "client-certificate");
            byte[] key = data(owner, "client-key");
            return certificate == null || key == null
                    ? null
                    : new ClientCertificate(ByteString.of(certificate), ByteString.of(key));
        }

        private Renewable<ClientCertificate> renewable(
                ClientCertificate first, Supplier<@Nullable ClientCertificate> from, @Nullable Duration lifetime) {
            String owner = source + ": user \"" + userName + "\"";
            try {
                return new Renewable<>(
                        "client certificate of " + owner, first, from, ClientCertificate::end, lifetime, clock);
            } catch (RuntimeException e) {
                throw new ApiAccessException(
                        owner + ": the client certificate or its key is of no use: " + FailureMessage.words(e), e);
            }
        }

        private @Nullable String tokenNow() {
            try {
                return string(userNow.get(), "token");
            } catch (ApiAccessException e) {
                return null;
            }
        }

        private BearerTokens tokens(Supplier<@Nullable String> from, @Nullable Duration lifetime) {
            return new BearerTokens(from, lifetime, clock, source + ": user \"" + userName + "\"");
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
                throw new ApiAccessException(
                        source + ": cannot read " + what + " " + string(entry, what) + ": " + reason(e), e);
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
}
