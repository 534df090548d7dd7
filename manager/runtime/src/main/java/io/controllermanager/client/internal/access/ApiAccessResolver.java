package io.controllermanager.client.internal.access;

import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.client.internal.transport.EnvironmentProxies;
import io.controllermanager.client.internal.transport.ServerUrl;
import io.controllermanager.time.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds out where the API server is and with which credentials to ask it, in this order: the kubeconfig file and the URL
 * given by the user; the files in {@code $KUBECONFIG}, merged as kubectl does; the pod's service account, at Kubernetes'
 * place or in {@code $KUBERNETES_SERVICE_ACCOUNT_DIRECTORY}; {@code ~/.kube/config}. The proxies that the environment names
 * hold for each of them, but for a kubeconfig's cluster that names its own.
 */
public final class ApiAccessResolver {

    /** Where Kubernetes puts a pod's service account. */
    private static final String SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

    private final Map<String, String> environment;
    private final EnvironmentProxies proxies;
    private final Clock clock;

    /** Looks at this process's environment and files. */
    public ApiAccessResolver() {
        this(System.getenv(), Clock.system());
    }

    /**
     * Looks at another environment.
     *
     * @param environment environment variables
     * @param clock tells how old a token is
     */
    public ApiAccessResolver(Map<String, String> environment, Clock clock) {
        this.environment = Map.copyOf(environment);
        this.proxies = new EnvironmentProxies(this.environment);
        this.clock = clock;
    }

    /**
     * Finds the way to the API server. Files are read; nothing is sent.
     *
     * @param kubeconfig a kubeconfig file to use and no other, null to look around
     * @param master the API server's URL, which replaces the one found; null to use the one found. Where it is given
     *     and no kubeconfig is found, there are no credentials, as in client-go
     * @throws ApiAccessException if there is none, or if the one that comes first is of no use
     */
    public ApiAccess resolve(@Nullable String kubeconfig, @Nullable String master) {
        String server = master == null || master.isBlank() ? null : master;
        boolean explicit = kubeconfig != null && !kubeconfig.isBlank();
        List<Path> named = explicit ? List.of(Path.of(kubeconfig)) : namedFiles();
        // As for client-go, an empty file is none, and so is a missing one unless the user has asked for it.
        List<Path> readable =
                explicit ? named : named.stream().filter(Files::exists).toList();
        Kubeconfig config = new Kubeconfig(readable);
        if (!config.isEmpty() || server != null) {
            return config.access(server, proxies, clock);
        }
        ApiAccess pod = serviceAccount();
        if (pod != null) {
            return pod;
        }
        Path home = homeFile();
        if (named.isEmpty() && home != null && Files.exists(home)) {
            return new Kubeconfig(List.of(home)).access(null, proxies, clock);
        }
        if (!named.isEmpty()) {
            throw new ApiAccessException(
                    readable.isEmpty()
                            ? "$KUBECONFIG names no file that exists: "
                                    + named.stream().map(Path::toString).collect(Collectors.joining(", "))
                            : config.source() + ": is empty");
        }
        throw new ApiAccessException("no way to an API server found: no kubeconfig or URL is given, $KUBECONFIG is not"
                + " set, there is no service account of a pod (" + serviceAccountLack() + "), and "
                + (home == null ? "$HOME is not set" : "there is no file " + home));
    }

    /**
     * The namespace that the current context names, else that of the pod; null if there is none. Nothing else is judged.
     *
     * @throws ApiAccessException if a kubeconfig cannot be read
     */
    public @Nullable String namespace() {
        Kubeconfig named =
                new Kubeconfig(namedFiles().stream().filter(Files::exists).toList());
        Path home = homeFile();
        String pod = read(serviceAccountFile("namespace"));
        if (!named.isEmpty()) {
            return named.namespace();
        }
        return pod != null || home == null || !Files.exists(home) ? pod : new Kubeconfig(List.of(home)).namespace();
    }

    private List<Path> namedFiles() {
        List<Path> named = new ArrayList<>();
        for (String name : environment.getOrDefault("KUBECONFIG", "").split(java.io.File.pathSeparator, -1)) {
            if (!name.isBlank()) {
                named.add(Path.of(name.strip()));
            }
        }
        return named;
    }

    private @Nullable Path homeFile() {
        String home = environment.get("HOME");
        if (home == null || home.isEmpty()) {
            home = environment.get("USERPROFILE");
        }
        return home == null || home.isEmpty()
                ? null
                : Path.of(home).resolve(".kube").resolve("config");
    }

    private @Nullable ApiAccess serviceAccount() {
        String host = environment.get("KUBERNETES_SERVICE_HOST");
        String port = environment.get("KUBERNETES_SERVICE_PORT");
        Path token = serviceAccountFile("token");
        if (host == null || host.isEmpty() || port == null || port.isEmpty() || !Files.exists(token)) {
            return null;
        }
        String server = ServerUrl.normal("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
        String source = "service account of this pod";
        Path authority = serviceAccountFile("ca.crt");
        KubeconfigEntry cluster = new KubeconfigEntry(
                source, Files.exists(authority) ? Map.of("certificate-authority", authority.toString()) : Map.of());
        KubeconfigEntry user = new KubeconfigEntry(source, Map.of("tokenFile", token.toString()));
        String namespace = read(serviceAccountFile("namespace"));
        return new ClusterAccess(
                server, namespace, source, cluster, () -> cluster, user, () -> user, proxies.of(server), clock);
    }

    private Path serviceAccountFile(String name) {
        String directory = environment.getOrDefault("KUBERNETES_SERVICE_ACCOUNT_DIRECTORY", "");
        return Path.of(directory.isBlank() ? SERVICE_ACCOUNT : directory.strip(), name);
    }

    private String serviceAccountLack() {
        return environment.containsKey("KUBERNETES_SERVICE_HOST")
                ? "no file " + serviceAccountFile("token")
                : "$KUBERNETES_SERVICE_HOST is not set";
    }

    /** What a file has besides blanks at its ends, null if that is nothing or the file cannot be read. */
    static @Nullable String read(Path file) {
        try {
            String text = Files.readString(file, StandardCharsets.UTF_8).strip();
            return text.isEmpty() ? null : text;
        } catch (IOException e) {
            return null;
        }
    }
}
