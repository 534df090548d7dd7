package io.controllermanager.testing.controlplane;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A real Kubernetes control plane, running as processes of this machine and reachable from it alone.
 *
 * <p>The API server speaks TLS with certificates of the plane's own authority, authorizes by RBAC, issues
 * service-account tokens and writes an audit log. Any number of planes run side by side. A plane's processes and files
 * are gone when {@link #close()} returns, and a moment after the JVM has ended without it, be it by SIGKILL.
 *
 * <p>Safe for any thread. Calls that start or end the API server or etcd wait for each other.
 */
public final class ControlPlane implements AutoCloseable {

    private static final String API_SERVER = "kube-apiserver";
    private static final Duration POLL = Duration.ofMillis(50);
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final Pattern GIT_VERSION = Pattern.compile("\"gitVersion\":\\s*\"([^\"]+)\"");

    private final Configuration configuration;
    private final Binaries binaries;
    private final PlaneDirectory directory;
    private final Watchdog watchdog;
    private final Identity identity;
    private final Etcd etcd;
    private final List<ApiServer> apiServers = new ArrayList<>();
    private final HttpEndpoint endpoint;
    private final Path kubeconfigFile;
    private final String kubeconfig;
    private final List<ChildProcess> clients = new CopyOnWriteArrayList<>();

    private boolean closed;

    private ControlPlane(
            Configuration configuration,
            Binaries binaries,
            PlaneDirectory directory,
            Watchdog watchdog,
            Deadline deadline) {
        this.configuration = configuration;
        this.binaries = binaries;
        this.directory = directory;
        this.watchdog = watchdog;
        this.identity = Identity.createIn(directory);
        Credentials administrator = identity.administrator();
        this.etcd = Etcd.start(directory, binaries.program("etcd"), deadline);
        startApiServer(API_SERVER, Map.of(), administrator, deadline);
        for (Map<String, String> flags : configuration.furtherApiServers()) {
            startApiServer(API_SERVER + "-" + (apiServers.size() + 1), flags, administrator, deadline);
        }
        this.endpoint = apiServers.get(0).endpoint();
        this.kubeconfig = kubeconfig(Identity.ADMINISTRATOR, administrator);
        this.kubeconfigFile = directory.write("kubeconfig", kubeconfig);
    }

    private void startApiServer(
            String name, Map<String, String> further, Credentials administrator, Deadline deadline) {
        Flags flags = ProgramFlags.apiServer(configuration, identity, etcd.url())
                .set("audit-log-path", auditLog(apiServers.size()))
                .setAll(further);
        apiServers.add(ApiServer.start(
                name,
                directory,
                binaries.program(API_SERVER),
                flags,
                identity.authority().socketFactory(administrator),
                deadline));
    }

    /** Describes a plane to be started. */
    public static ControlPlaneBuilder builder() {
        return new ControlPlaneBuilder();
    }

    static ControlPlane start(Configuration configuration) {
        Binaries binaries = Binaries.locate();
        binaries.require(configuration);
        Deadline deadline = Deadline.generous();
        PlaneDirectory directory = PlaneDirectory.createIn(configuration.parentDirectory());
        Watchdog watchdog = Watchdog.over(directory);
        try {
            ControlPlane plane = new ControlPlane(configuration, binaries, directory, watchdog, deadline);
            plane.installCrds(deadline);
            plane.startClients(deadline);
            return plane;
        } catch (RuntimeException | Error failure) {
            watchdog.close();
            throw failure;
        }
    }

    private void installCrds(Deadline deadline) {
        for (String crd : configuration.crds()) {
            String name = Manifests.name(create(CRDS, crd));
            await(
                    "CRD " + name + " is established",
                    deadline,
                    () -> Manifests.isEstablished(endpoint.get(CRDS + "/" + name)));
        }
    }

    private void startClients(Deadline deadline) {
        switch (configuration.controllers()) {
            case ALL -> {
                Path access = clientKubeconfig("system:kube-controller-manager");
                clients.add(ChildProcess.start(
                        directory,
                        binaries.program("kube-controller-manager"),
                        ProgramFlags.controllerManager(identity, access)));
            }
            case HOUSEKEEPER -> {
                // Kubernetes has no role for all of it.
                Path access = clientKubeconfig("housekeeper", Identity.ADMINISTRATORS);
                clients.add(ChildProcess.start(
                        directory, binaries.program("housekeeper"), new Flags().set("kubeconfig", access)));
            }
            case NONE -> {}
        }
        if (configuration.scheduler()) {
            Path access = clientKubeconfig("system:kube-scheduler");
            clients.add(
                    ChildProcess.start(directory, binaries.program("kube-scheduler"), ProgramFlags.scheduler(access)));
        }
        if (configuration.kwokNodes() > 0) {
            clients.add(ChildProcess.start(
                    directory, binaries.program("kwok"), ProgramFlags.kwok(binaries.kwokStages(), kubeconfigFile)));
        }
        for (int node = 0; node < configuration.kwokNodes(); node++) {
            create("/api/v1/nodes", Manifests.node("kwok-" + node));
        }
        for (int node = 0; node < configuration.kwokNodes(); node++) {
            String path = "/api/v1/nodes/kwok-" + node;
            await("node kwok-" + node + " is Ready", deadline, () -> Manifests.isReadyNode(endpoint.get(path)));
        }
        awaitServiceAccount("default", deadline);
    }

    /** Where the API server listens: the same as long as the plane lives. */
    public URI apiServerUrl() {
        return endpoint.base();
    }

    /** Where all API servers listen, the first first. */
    public List<URI> apiServerUrls() {
        return apiServers.stream().map(server -> server.endpoint().base()).toList();
    }

    /** Where etcd listens, without TLS. */
    public URI etcdUrl() {
        return etcd.url();
    }

    /** The version that the API server gives itself, such as {@code v1.36.3}. */
    public String version() {
        try {
            String answer = endpoint.get("/version").body();
            Matcher version = GIT_VERSION.matcher(answer);
            if (!version.find()) {
                throw new ControlPlaneException("The API server did not tell its version: " + answer);
            }
            return version.group(1);
        } catch (IOException e) {
            throw new ControlPlaneException("The API server did not tell its version.", e);
        }
    }

    /** A kubeconfig for an administrator whom RBAC does not bind, complete in itself. */
    public String kubeconfig() {
        return kubeconfig;
    }

    /** The file that holds {@link #kubeconfig()}. */
    public Path kubeconfigFile() {
        return kubeconfigFile;
    }

    /**
     * A kubeconfig for somebody else, by a client certificate. Such a user may do what RBAC's rules grant the name or
     * one of the groups, and at first that is next to nothing.
     */
    public String kubeconfigFor(String user, String... groups) {
        return kubeconfig(user, identity.authority().client(user, List.of(groups)));
    }

    /** As {@link #kubeconfigFor(String, String...)}, with a certificate that is refused after a time. */
    public String kubeconfigFor(Duration lifetime, String user, String... groups) {
        return kubeconfig(user, identity.authority().client(user, List.of(groups), lifetime));
    }

    /** The audit log: one JSON object a line, of the group {@code audit.k8s.io}. A line may come a moment after the answer. */
    public Path auditLog() {
        return auditLog(0);
    }

    /** The audit logs of all API servers, that of the first first. */
    public List<Path> auditLogs() {
        return IntStream.range(0, apiServers.size()).mapToObj(this::auditLog).toList();
    }

    private Path auditLog(int server) {
        return directory.path(server == 0 ? "audit.log" : "audit-" + (server + 1) + ".log");
    }

    /** What a program has written to its standard output and error, such as {@code kube-apiserver}. */
    public Path log(String program) {
        return directory.log(program);
    }

    /** The directory that holds all files of this plane, and is removed with it. */
    public Path dataDir() {
        return directory.root();
    }

    /** Where this plane's programs and the manifests that belong to them are. */
    public Binaries binaries() {
        return binaries;
    }

    /** The ids of the processes that run now, etcd first and the watchdog not included. */
    public synchronized List<Long> processIds() {
        List<ChildProcess> all = new ArrayList<>(List.of(etcd.process()));
        apiServers.forEach(server -> all.add(server.process()));
        all.addAll(clients);
        return all.stream().filter(ChildProcess::isAlive).map(ChildProcess::id).toList();
    }

    /** Ends the API server, or all of them, by SIGKILL, as a crash would, and returns when it is gone. */
    public synchronized void killApiServer() {
        apiServers.forEach(ApiServer::kill);
    }

    /** Ends the API server, or all of them, by SIGTERM, so that it answers what it was asked, and returns when it is gone. */
    public synchronized void stopApiServer() {
        apiServers.forEach(ApiServer::stop);
    }

    /**
     * Starts the API server, or all of them, on its port and data again if it is not running, and returns when it is ready.
     *
     * @throws ControlPlaneException if it ends, or is not ready within three minutes
     */
    public synchronized void startApiServer() {
        if (closed) {
            throw new IllegalStateException("The control plane is closed");
        }
        Deadline deadline = Deadline.generous();
        apiServers.forEach(server -> server.start(deadline));
    }

    /** Freezes the API server, or all of them, by SIGSTOP: connections stay open and are accepted, and nobody answers. */
    public synchronized void pauseApiServer() {
        apiServers.forEach(ApiServer::pause);
    }

    /** Lets a frozen API server go on. */
    public synchronized void resumeApiServer() {
        apiServers.forEach(ApiServer::resume);
    }

    /** Freezes Kubernetes' own controllers, scheduler and nodes by SIGSTOP: nobody but the tests writes. */
    public void pauseControllers() {
        clients.forEach(ChildProcess::pause);
    }

    /** Lets them go on. */
    public void resumeControllers() {
        clients.forEach(ChildProcess::resume);
    }

    /** Ends etcd by SIGKILL, as a crash would, and returns when it is gone. */
    public synchronized void killEtcd() {
        etcd.process().kill();
    }

    /**
     * Starts etcd on its port and data again if it is not running, and returns when it serves.
     *
     * @throws ControlPlaneException if it ends, or does not serve within three minutes
     */
    public synchronized void startEtcd() {
        if (closed) {
            throw new IllegalStateException("The control plane is closed");
        }
        etcd.start(Deadline.generous());
    }

    /** Copies etcd's data as it is at this moment, for {@link #restoreEtcd}; requests wait meanwhile. */
    public synchronized void copyEtcd(String name) {
        etcd.copyTo("etcd-copy-" + name);
    }

    /**
     * Puts a copy of etcd's data back, as from a backup, with the versions that it had then. All API servers and etcd are
     * ended before, and run again when this returns.
     *
     * @throws ControlPlaneException if one of them is not ready within three minutes, or there is no such copy
     */
    public synchronized void restoreEtcd(String name) {
        stopApiServer();
        etcd.restore("etcd-copy-" + name, Deadline.generous());
        startApiServer();
    }

    /** Freezes etcd by SIGSTOP: the API server's requests wait. */
    public synchronized void pauseEtcd() {
        etcd.process().pause();
    }

    /** Lets a frozen etcd go on. */
    public synchronized void resumeEtcd() {
        etcd.process().resume();
    }

    /**
     * Waits until the API server's {@code /readyz} says ok, whoever starts it.
     *
     * @throws ControlPlaneException if it does not within three minutes
     */
    public void awaitReady() {
        await(
                "the API server is ready",
                Deadline.generous(),
                () -> apiServers.stream().allMatch(server -> ApiServer.isReady(server.endpoint())));
    }

    /**
     * Makes etcd forget all history up to this moment, whether the API server runs or not. A watch that starts from an
     * earlier resourceVersion then ends with 410, unless a running API server still holds those events in its own
     * cache: one that is started after the compaction holds none.
     *
     * @return the revision up to which history is gone
     */
    public long compactEtcd() {
        return etcd.compact();
    }

    /**
     * Creates a namespace that did not exist before, and returns its name. With housekeeper or kube-controller-manager it
     * has its service account. Nobody removes it: it goes with the plane.
     */
    public String createNamespace(String prefix) {
        String name = prefix + "-" + UUID.randomUUID().toString().substring(0, 8);
        create("/api/v1/namespaces", Manifests.namespace(name));
        awaitServiceAccount(name, Deadline.generous());
        return name;
    }

    /** Ends all processes, clients before servers, and removes all files; a second call does nothing. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        // Nothing here is worth a farewell: the data is thrown away next.
        clients.forEach(ChildProcess::kill);
        apiServers.forEach(ApiServer::kill);
        etcd.process().kill();
        watchdog.close();
    }

    @Override
    public String toString() {
        return "ControlPlane[" + apiServerUrl() + "]";
    }

    private String kubeconfig(String user, Credentials credentials) {
        return new Kubeconfig(endpoint.base(), identity.authority().self(), user, credentials).yaml();
    }

    private Path clientKubeconfig(String user, String... groups) {
        return directory.write(user.substring(user.indexOf(':') + 1) + ".kubeconfig", kubeconfigFor(user, groups));
    }

    private HttpEndpoint.Answer create(String path, String json) {
        try {
            HttpEndpoint.Answer answer = endpoint.post(path, json);
            if (!answer.isOk()) {
                throw new ControlPlaneException("The API server refused " + json + ": " + answer.body());
            }
            return answer;
        } catch (IOException e) {
            throw new ControlPlaneException("The API server did not answer to " + path + ".", e);
        }
    }

    private void awaitServiceAccount(String namespace, Deadline deadline) {
        if (configuration.makesServiceAccounts()) {
            String path = "/api/v1/namespaces/" + namespace + "/serviceaccounts/default";
            await(
                    "namespace " + namespace + " has its service account",
                    deadline,
                    () -> endpoint.get(path).isOk());
        }
    }

    private void await(String what, Deadline deadline, Condition condition) {
        while (!holds(condition)) {
            for (ChildProcess client : clients) {
                if (!client.isAlive()) {
                    throw client.failure("ended, which nobody asked for");
                }
            }
            if (deadline.hasPassed()) {
                throw new ControlPlaneException("It did not come about in time that " + what + ".");
            }
            pause();
        }
    }

    private static boolean holds(Condition condition) {
        try {
            return condition.holds();
        } catch (IOException notYet) {
            return false;
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ControlPlaneException("Interrupted while waiting for the control plane.", e);
        }
    }

    /** Something to ask the API server for. */
    private interface Condition {
        boolean holds() throws IOException;
    }
}
