package io.controllermanager.client.internal.access;

import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.client.internal.transport.EnvironmentProxies;
import io.controllermanager.client.internal.transport.ServerProxy;
import io.controllermanager.client.internal.transport.ServerUrl;
import io.controllermanager.time.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * One or more kubeconfig files, merged as kubectl does (client-go's {@code tools/clientcmd/loader.go}): the first file to
 * name a thing decides.
 */
final class Kubeconfig {

    private final String source;
    private final List<Path> files;

    /** By kind and name. */
    private final Map<String, Map<String, Map<String, Object>>> entries = new LinkedHashMap<>();

    private @Nullable String currentContext;

    /**
     * Reads files.
     *
     * @throws ApiAccessException if one cannot be read or is no kubeconfig
     */
    Kubeconfig(List<Path> files) {
        this.source = "kubeconfig " + files.stream().map(Path::toString).collect(Collectors.joining(":"));
        this.files = List.copyOf(files);
        files.forEach(this::add);
    }

    private void add(Path file) {
        String name = "kubeconfig " + file;
        Map<String, Object> document = parse(file, name);
        Path folder = Objects.requireNonNullElse(file.toAbsolutePath().getParent(), file);
        for (String kind : List.of("cluster", "user", "context")) {
            Map<String, Map<String, Object>> all = entries.computeIfAbsent(kind, none -> new LinkedHashMap<>());
            read(document, kind, name, folder).forEach(all::putIfAbsent);
        }
        if (currentContext == null && document.get("current-context") instanceof String context && !context.isEmpty()) {
            currentContext = context;
        }
    }

    @SuppressWarnings("unchecked") // YAML's keys in a kubeconfig are strings; what is not fails where it is used
    private static Map<String, Object> parse(Path file, String name) {
        Object document;
        try {
            LoaderOptions options = new LoaderOptions();
            options.setCodePointLimit(Integer.MAX_VALUE);
            // kubectl reads the first document, and tabs before the values of JSON.
            String text = Files.readString(file, StandardCharsets.UTF_8);
            Iterator<Object> documents = new Yaml(new SafeConstructor(options))
                    .loadAll(text.stripLeading().startsWith("{") ? text.replace('\t', ' ') : text)
                    .iterator();
            document = documents.hasNext() ? documents.next() : null;
        } catch (NoSuchFileException e) {
            throw new ApiAccessException(name + ": there is no such file", e);
        } catch (IOException e) {
            throw new ApiAccessException(name + ": cannot be read: " + FailureMessage.words(e), e);
        } catch (YAMLException e) {
            throw notYaml(name, e);
        }
        if (document == null) {
            return Map.of();
        }
        if (!(document instanceof Map<?, ?> map) || (map.get("kind") != null && !"Config".equals(map.get("kind")))) {
            throw new ApiAccessException(name + ": is no kubeconfig, which has clusters, users and contexts");
        }
        return (Map<String, Object>) map;
    }

    /** Says where the mistake is and no more: the parser's own message quotes the line, and a token may stand in it. */
    private static ApiAccessException notYaml(String name, YAMLException e) {
        Mark mark = e instanceof MarkedYAMLException marked ? marked.getProblemMark() : null;
        return new ApiAccessException(name + ": is not valid YAML"
                + (mark == null ? "" : " at line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1)));
    }

    /** All entries of a kind by name, with absolute paths in place of those that are relative to the file's folder. */
    @SuppressWarnings("unchecked") // as above
    private static Map<String, Map<String, Object>> read(
            Map<String, Object> document, String what, String name, Path folder) {
        String list = what + "s";
        Object entries = Objects.requireNonNullElse(document.get(list), List.of());
        if (!(entries instanceof List)) {
            throw new ApiAccessException(name + ": \"" + list + "\" is not a list");
        }
        Map<String, Map<String, Object>> own = new LinkedHashMap<>();
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
            if (own.put(entryName, copy) != null) {
                throw new ApiAccessException(name + ": \"" + list + "\" has two of the name \"" + entryName + "\"");
            }
        }
        return own;
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

    /** Whether it has nothing at all, which for kubectl is as if there were none. */
    boolean isEmpty() {
        return currentContext == null && entries.values().stream().allMatch(Map::isEmpty);
    }

    /** How messages call it. */
    String source() {
        return source;
    }

    /** That of the current context, null if it names none. */
    @Nullable
    String namespace() {
        return entry("context", currentContext).string("namespace");
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
        if (currentContext != null && !of("context").containsKey(currentContext)) {
            throw new ApiAccessException(source + ": current-context \"" + currentContext
                    + "\" is not one of its contexts " + of("context").keySet());
        }
        KubeconfigEntry context = entry("context", currentContext);
        String clusterName = context.string("cluster");
        if (master == null && (clusterName == null || !of("cluster").containsKey(clusterName))) {
            throw new ApiAccessException(context.name() + " names "
                    + (clusterName == null ? "no cluster" : "cluster \"" + clusterName + "\", which is not there"));
        }
        String userName = context.string("user");
        if (userName != null && !of("user").containsKey(userName)) {
            throw new ApiAccessException(context.name() + " names user \"" + userName + "\", which is not there");
        }
        KubeconfigEntry named = entry("cluster", clusterName);
        KubeconfigEntry cluster = master == null ? named : named.without("tls-server-name");
        KubeconfigEntry user = entry("user", userName);
        String url = master == null ? cluster.string("server") : master;
        if (url == null) {
            throw new ApiAccessException(cluster.name() + " has no server");
        }
        String server = ServerUrl.normal(url);
        ClusterAccess.check(context, cluster, user, server.startsWith("https:"));
        String proxy = cluster.string("proxy-url");
        return new ClusterAccess(
                server,
                context.string("namespace"),
                isEmpty() ? "the given URL" : source + (currentContext == null ? "" : ", context " + currentContext),
                cluster,
                () -> again().entry("cluster", clusterName),
                user,
                () -> again().entry("user", userName),
                proxy == null ? proxies.of(server) : ServerProxy.parse(proxy, cluster.name() + ": proxy-url", false),
                clock);
    }

    private Map<String, Map<String, Object>> of(String kind) {
        return entries.getOrDefault(kind, Map.of());
    }

    private KubeconfigEntry entry(String kind, @Nullable String name) {
        Map<String, Object> values = name == null ? null : of(kind).get(name);
        return new KubeconfigEntry(
                source + ": " + kind + " \"" + name + "\"", Objects.requireNonNullElse(values, Map.of()));
    }

    /**
     * The files' content at this moment.
     *
     * @throws ApiAccessException if they are of no use just now
     */
    private Kubeconfig again() {
        Kubeconfig read = new Kubeconfig(files);
        if (read.isEmpty()) {
            throw new ApiAccessException(source + ": is empty");
        }
        return read;
    }
}
