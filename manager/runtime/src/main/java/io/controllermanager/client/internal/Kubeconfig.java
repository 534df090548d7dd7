package io.controllermanager.client.internal;

import io.controllermanager.time.Clock;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * One or more kubeconfig files, merged as kubectl does (client-go's {@code tools/clientcmd/loader.go}): the first file to
 * name a thing decides.
 */
final class Kubeconfig {

    private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

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
            config.add(KubeconfigFile.read(file));
        }
        return config;
    }

    private void add(KubeconfigFile file) {
        file.addTo(clusters, "clusters", "cluster");
        file.addTo(users, "users", "user");
        file.addTo(contexts, "contexts", "context");
        if (currentContext == null) {
            currentContext = file.currentContext();
        }
    }

    /** Whether it has nothing at all, which for kubectl is as if there were none. */
    boolean isEmpty() {
        return currentContext == null && contexts.isEmpty() && clusters.isEmpty() && users.isEmpty();
    }

    /** How messages call it. */
    String source() {
        return source;
    }

    /** That of the current context, null if it names none. */
    @Nullable
    String namespace() {
        return entry(contexts, "context", currentContext).string("namespace");
    }

    /**
     * The way that the current context shows.
     *
     * @param master replaces the cluster's server and, as with kubectl, the name that its certificate must have; null to use
     *     those. With it there need not be a current context
     * @param proxies apply where the cluster names no proxy
     */
    ApiAccess access(@Nullable String master, EnvironmentProxies proxies, Clock clock) {
        if (currentContext == null && master == null) {
            throw new ApiAccessException(source + ": has no current-context");
        }
        if (currentContext != null && !contexts.containsKey(currentContext)) {
            throw new ApiAccessException(source + ": current-context \"" + currentContext
                    + "\" is not one of its contexts " + contexts.keySet());
        }
        KubeconfigEntry context = entry(contexts, "context", currentContext);
        String clusterName = context.string("cluster");
        if (master == null && (clusterName == null || !clusters.containsKey(clusterName))) {
            throw new ApiAccessException(context.name() + " names "
                    + (clusterName == null ? "no cluster" : "cluster \"" + clusterName + "\", which is not there"));
        }
        String userName = context.string("user");
        if (userName != null && !users.containsKey(userName)) {
            throw new ApiAccessException(context.name() + " names user \"" + userName + "\", which is not there");
        }
        KubeconfigEntry cluster =
                master == null ? cluster(clusterName) : cluster(clusterName).without("tls-server-name");
        KubeconfigEntry user = user(userName);
        String url = master == null ? cluster.string("server") : master;
        if (url == null) {
            throw new ApiAccessException(cluster.name() + " has no server");
        }
        String server = ServerUrl.normal(url);
        check(context, cluster, user, server.startsWith("https:"));
        String proxy = cluster.string("proxy-url");
        return new KubeconfigAccess(
                server,
                context.string("namespace"),
                isEmpty() ? "the given URL" : source + (currentContext == null ? "" : ", context " + currentContext),
                cluster,
                () -> again().cluster(clusterName),
                user,
                () -> again().user(userName),
                proxy == null ? proxies.of(server) : ServerProxy.parse(proxy, cluster.name() + ": proxy-url", false),
                clock);
    }

    /**
     * Refuses what kubectl does: client-go's {@code tools/clientcmd/validation.go}, and what {@code transport/transport.go} and
     * {@code rest/transport.go} refuse later.
     */
    private static void check(KubeconfigEntry context, KubeconfigEntry cluster, KubeconfigEntry user, boolean secure) {
        String namespace = context.string("namespace");
        context.refuse(
                namespace != null && !DNS_LABEL.matcher(namespace).matches(),
                "namespace \"" + namespace + "\" is no name of a namespace");
        boolean authority = cluster.one("certificate-authority");
        cluster.refuse(
                cluster.flag("insecure-skip-tls-verify") && authority && secure,
                "certificate-authority is not allowed together with insecure-skip-tls-verify");
        String name = cluster.string("tls-server-name");
        cluster.refuse(
                name != null && !name.contains(":") && HttpUrl.parse("https://" + name) == null,
                "tls-server-name \"" + name + "\" is no host name");
        if (user.one("client-certificate")) {
            user.refuse(!user.one("client-key"), "client-certificate needs client-key or client-key-data");
        }
        boolean basic = user.string("username") != null || user.string("password") != null;
        for (String field : List.of("token", "tokenFile")) {
            user.refuse(basic && user.string(field) != null, field + " and username are both given, one is allowed");
        }
        String token = user.string("token");
        user.refuse(
                token != null && !BearerTokens.isSendable(token),
                "token has a character, such as a line's end, that cannot be sent");
        boolean as = user.string("as") != null;
        user.refuse(!as && user.string("as-uid") != null, "as-uid needs as, the user's name");
        user.refuse(!as && !user.strings("as-groups").isEmpty(), "as-groups needs as, the user's name");
        user.refuse(!as && !user.lists("as-user-extra").isEmpty(), "as-user-extra needs as, the user's name");
    }

    private KubeconfigEntry cluster(@Nullable String name) {
        return entry(clusters, "cluster", name);
    }

    private KubeconfigEntry user(@Nullable String name) {
        return entry(users, "user", name);
    }

    private KubeconfigEntry entry(Map<String, Map<String, Object>> list, String what, @Nullable String name) {
        Map<String, Object> values = name == null ? null : list.get(name);
        return new KubeconfigEntry(
                source + ": " + what + " \"" + name + "\"", Objects.requireNonNullElse(values, Map.of()));
    }

    /**
     * The files' content at this moment.
     *
     * @throws ApiAccessException if they are of no use just now
     */
    private Kubeconfig again() {
        Kubeconfig read = load(files);
        if (read.isEmpty()) {
            throw new ApiAccessException(source + ": is empty");
        }
        return read;
    }
}
