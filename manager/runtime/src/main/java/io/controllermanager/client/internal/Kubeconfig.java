package io.controllermanager.client.internal;

import io.controllermanager.time.Clock;
import java.net.Proxy;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One or more kubeconfig files, merged as kubectl does (client-go's {@code tools/clientcmd/loader.go}): the first file to
 * name a thing decides.
 */
final class Kubeconfig {

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
        KubeconfigEntry context = entry(contexts, "context", currentContext);
        if (context == null) {
            throw new ApiAccessException(source + ": current-context \"" + currentContext
                    + "\" is not one of its contexts " + contexts.keySet());
        }
        String clusterName = context.string("cluster");
        KubeconfigEntry cluster = cluster(clusterName);
        if (cluster == null && !givenServer) {
            throw new ApiAccessException(context.name() + " names "
                    + (clusterName == null ? "no cluster" : "cluster \"" + clusterName + "\", which is not there"));
        }
        String userName = context.string("user");
        KubeconfigEntry user = user(userName);
        if (userName != null && user == null) {
            throw new ApiAccessException(context.name() + " names user \"" + userName + "\", which is not there");
        }
        KubeconfigEntry existing = cluster == null ? none("cluster", clusterName) : cluster;
        String server = givenServer ? master : existing.string("server");
        if (server == null || server.isEmpty()) {
            throw new ApiAccessException(existing.name() + " has no server");
        }
        String serverName = existing.string("tls-server-name");
        if (serverName != null && !serverName.isEmpty()) {
            throw new ApiAccessException(existing.name() + ": tls-server-name \"" + serverName
                    + "\" is not supported: the server's certificate must name the host of its URL");
        }
        String namespace = context.string("namespace");
        KubeconfigEntry given = user == null ? none("user", userName) : user;
        return new KubeconfigAccess(
                ServerUrl.normal(server),
                namespace == null || namespace.isEmpty() ? null : namespace,
                source + ", context " + currentContext,
                existing,
                () -> orNone(load(files).cluster(clusterName), existing),
                given,
                () -> orNone(load(files).user(userName), given),
                impersonation(given),
                proxy(existing),
                clock);
    }

    private @Nullable KubeconfigEntry cluster(@Nullable String name) {
        return entry(clusters, "cluster", name);
    }

    private @Nullable KubeconfigEntry user(@Nullable String name) {
        return entry(users, "user", name);
    }

    private @Nullable KubeconfigEntry entry(Map<String, Map<String, Object>> list, String what, @Nullable String name) {
        Map<String, Object> values = name == null ? null : list.get(name);
        return values == null ? null : new KubeconfigEntry(source, title(what, name), values);
    }

    private KubeconfigEntry none(String what, @Nullable String name) {
        return new KubeconfigEntry(source, title(what, name), Map.of());
    }

    private String title(String what, @Nullable String name) {
        return source + ": " + what + " \"" + name + "\"";
    }

    /** An entry as the files have it at this moment; empty if they do not have it any more. */
    private static KubeconfigEntry orNone(@Nullable KubeconfigEntry now, KubeconfigEntry before) {
        return now == null ? new KubeconfigEntry(before.source(), before.name(), Map.of()) : now;
    }

    private static @Nullable Impersonation impersonation(KubeconfigEntry user) {
        String as = user.string("as");
        if (as == null || as.isEmpty()) {
            for (String field : List.of("as-uid", "as-groups", "as-user-extra")) {
                Object value = user.values().get(field);
                if (value != null) {
                    throw new ApiAccessException(
                            user.name() + ": " + field + " " + value + " needs as, the user's name");
                }
            }
            return null;
        }
        Map<String, List<String>> extra = new LinkedHashMap<>();
        Object given = user.values().get("as-user-extra");
        if (given instanceof Map<?, ?> map) {
            map.forEach((key, values) ->
                    extra.put(String.valueOf(key), user.strings(values, "as-user-extra " + key + " ")));
        } else if (given != null) {
            throw new ApiAccessException(user.name() + ": as-user-extra " + given + " is no map of lists");
        }
        return new Impersonation(as, user.string("as-uid"), user.strings("as-groups"), extra);
    }

    private static @Nullable Proxy proxy(KubeconfigEntry cluster) {
        String url = cluster.string("proxy-url");
        if (url == null || url.isEmpty()) {
            return null;
        }
        Proxy proxy = ClusterProxy.proxy(url);
        if (proxy == null) {
            throw new ApiAccessException(cluster.name() + ": proxy-url \"" + ServerUrl.withoutPassword(url)
                    + "\" is not supported: only http://host:port and socks5://host:port are, without a password");
        }
        return proxy;
    }
}
