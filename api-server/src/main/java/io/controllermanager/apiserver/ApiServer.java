package io.controllermanager.apiserver;

import static com.google.common.base.Preconditions.checkArgument;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.access.AccessControl;
import io.controllermanager.apiserver.access.Rbac;
import io.controllermanager.apiserver.access.Reviews;
import io.controllermanager.apiserver.access.Tokens;
import io.controllermanager.apiserver.access.User;
import io.controllermanager.apiserver.faults.Faults;
import io.controllermanager.apiserver.http.Handler;
import io.controllermanager.apiserver.http.HttpFrontend;
import io.controllermanager.apiserver.http.MediaTypes;
import io.controllermanager.apiserver.http.Response;
import io.controllermanager.apiserver.http.ServingCertificate;
import io.controllermanager.apiserver.json.Manifests;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.resource.Registry;
import io.controllermanager.apiserver.rest.Allocation;
import io.controllermanager.apiserver.rest.Commits;
import io.controllermanager.apiserver.rest.Definitions;
import io.controllermanager.apiserver.rest.Deleter;
import io.controllermanager.apiserver.rest.Evictions;
import io.controllermanager.apiserver.rest.GarbageCollector;
import io.controllermanager.apiserver.rest.Namespaces;
import io.controllermanager.apiserver.rest.OwnObjects;
import io.controllermanager.apiserver.rest.PodSubresources;
import io.controllermanager.apiserver.rest.Protection;
import io.controllermanager.apiserver.rest.Reader;
import io.controllermanager.apiserver.rest.ResourceRequest;
import io.controllermanager.apiserver.rest.Router;
import io.controllermanager.apiserver.rest.Writer;
import io.controllermanager.apiserver.storage.Store;
import io.controllermanager.apiserver.storage.StoredObject;
import io.controllermanager.apiserver.watch.Watch;
import io.controllermanager.apiserver.webhook.WebhookClient;
import io.controllermanager.apiserver.webhook.Webhooks;
import io.controllermanager.apiserver.world.World;
import io.controllermanager.apiserver.writes.WriteJournal;
import io.controllermanager.apiserver.writes.WriteRecording;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * A running server. It listens on the loopback interface, without TLS unless {@link ApiServerBuilder#tls} is on, and lets
 * everyone do everything unless {@link ApiServerBuilder#authorization} is on. For use by any thread.
 */
public final class ApiServer implements AutoCloseable {

    private static final List<String> INITIAL_NAMESPACES =
            List.of("default", "kube-node-lease", "kube-public", "kube-system");

    /** Done beside the rest of the first start, which tells itself of what went wrong. */
    private static final CompletableFuture<Boolean> TRANSPORT =
            CompletableFuture.runAsync(HttpFrontend::load).handle((loaded, failure) -> failure == null);

    private final Store store;
    private final Faults faults;
    private final WriteJournal journal;
    private final InstantSource clock;
    /** What the clock goes by, in whose place a test may put another. */
    private volatile InstantSource source;

    /** Null without TLS. */
    private final @Nullable ServingCertificate certificate;

    private HttpFrontend frontend;
    private final Handler handler;
    private final Namespaces namespaces;
    private final Names names;
    private final Applier applier;
    /** Null where everyone may do everything. */
    private final @Nullable Rbac rbac;
    /** Null where nothing moves by itself. */
    private final @Nullable World world;

    private final User user;
    private final WebhookClient client;

    private @Nullable Path kubeconfigFile;

    ApiServer(ApiServerBuilder settings) {
        user = settings.user;
        source = settings.clock;
        clock = () -> source.instant();
        names = new Names(settings.seed);
        journal = new WriteJournal();
        store = new Store(settings.history, journal::note);
        faults = new Faults(names.chance(), store);
        client = new WebhookClient(store);
        Registry registry = new Registry(client);
        Commits commits = new Commits(store, clock);
        namespaces = new Namespaces(commits);
        commits.add(new Definitions(commits, registry));
        GarbageCollector collector = new GarbageCollector(commits, registry);
        commits.add(collector);
        commits.add(namespaces);
        commits.add(new Protection(commits));
        rbac = settings.authorization ? new Rbac(store) : null;
        Tokens tokens = new Tokens(store, clock);
        AccessControl access = new AccessControl(rbac, tokens);
        INITIAL_NAMESPACES.forEach(name -> namespaces.create(name, names.uid()));
        OwnObjects.create(commits, names::uid);
        Webhooks webhooks = new Webhooks(store, registry, client);
        Writer writer = new Writer(commits, access, webhooks, new Allocation(store), names::uid, names::suffix);
        Deleter deleter = new Deleter(commits, access, webhooks);
        Function<ResourceRequest, Response> watches =
                request -> new Response.Stream(MediaTypes.JSON, new Watch(store, settings.bookmarkInterval, request));
        Router router = new Router(
                registry,
                access,
                settings.shardedListAndWatch,
                new Reader(store),
                writer,
                deleter,
                watches,
                new PodSubresources(commits),
                new Evictions(commits, deleter),
                new Reviews(access, tokens)::answer);
        applier = new Applier(router, clock);
        if (rbac != null) {
            commits.add(rbac);
            applier.apply(Manifests.bundled(ApiServer.class, "bootstrap-policy.yaml"));
        }
        world = settings.world ? new World(commits, collector, writer, journal, clock) : null;
        if (world != null) {
            applier.apply(Manifests.bundled(ApiServer.class, "world.yaml"));
            commits.add(world);
        }
        try {
            applier.apply(Manifests.read(settings.manifests));
            certificate = settings.tls ? new ServingCertificate() : null;
            handler = faults.before(journal.before(request -> {
                runWorld();
                return router.handle(request);
            }));
            TRANSPORT.join();
            frontend = new HttpFrontend(settings.port, certificate, clock, handler);
        } catch (RuntimeException | Error e) {
            if (world != null) {
                world.close();
            }
            throw e;
        }
    }

    /** Starts a server with default settings on a free port. */
    public static ApiServer start() {
        return builder().start();
    }

    public static ApiServerBuilder builder() {
        return new ApiServerBuilder();
    }

    /** Where it listens, such as {@code http://127.0.0.1:34567}. */
    public synchronized URI url() {
        return frontend.url();
    }

    /** A kubeconfig that leads to it, as YAML; for {@link ApiServerBuilder#user} or else an administrator. */
    public String kubeconfig() {
        return kubeconfig(user);
    }

    /**
     * A kubeconfig for somebody else, as YAML. Where authorization is on, such a user may do what RBAC's rules grant the
     * name or one of the groups, and at first that is next to nothing.
     *
     * @param name {@code system:serviceaccount:NAMESPACE:NAME} for a service account's user, who need not be there
     * @param groups {@code system:authenticated} need not be said, nor a service account's groups
     */
    public String kubeconfigFor(String name, String... groups) {
        return kubeconfig(User.of(name, groups));
    }

    private String kubeconfig(User asking) {
        return new Kubeconfig(url(), certificate, rbac == null ? null : asking).yaml();
    }

    /** A file that holds {@link #kubeconfig()}, until the server is closed. */
    public synchronized Path kubeconfigFile() {
        if (kubeconfigFile == null) {
            try {
                kubeconfigFile = Files.createTempFile("embedded-api-server", ".kubeconfig");
                Files.writeString(kubeconfigFile, kubeconfig());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return kubeconfigFile;
    }

    /** A new client of it whose user may do everything. Reads have no time limit, so that it serves for watches. */
    public ApiClient client() {
        return client(User.ADMINISTRATOR);
    }

    /** As {@link #client()}, for somebody else; see {@link #kubeconfigFor}. */
    public ApiClient clientFor(String name, String... groups) {
        return client(User.of(name, groups));
    }

    private ApiClient client(User asking) {
        ClientBuilder builder = new ClientBuilder().setBasePath(url().toString());
        if (certificate != null) {
            builder.setCertificateAuthority(certificate.authority());
        }
        ApiClient client = builder.build();
        OkHttpClient.Builder http = client.getHttpClient().newBuilder().readTimeout(Duration.ZERO);
        if (rbac != null) {
            String credentials = "Bearer " + asking.token();
            // Not by the client's own means, so that its HTTP client is enough to get in.
            http.addInterceptor(chain -> chain.proceed(chain.request()
                    .newBuilder()
                    .header("Authorization", credentials)
                    .build()));
        }
        return client.setHttpClient(http.build());
    }

    /**
     * Makes a namespace that no one else uses; gives its name, which begins with the prefix.
     *
     * @throws IllegalArgumentException for a prefix with which no name of a namespace begins
     */
    public String createNamespace(String prefix) {
        String name = prefix + "-" + names.suffix();
        boolean fits = name.matches(Meta.LABEL) && name.length() <= 63;
        checkArgument(fits, "No namespace can be called %s, after the prefix '%s'", name, prefix);
        namespaces.create(name, names.uid());
        return name;
    }

    /**
     * Applies manifests as {@code kubectl apply --server-side --force-conflicts} does, CRDs and Namespaces before all else.
     * On return the CRDs are served. What is namespaced and names no namespace gets into {@code default}.
     *
     * @param locations files such as {@code config/crd/foos.yaml}, seen from the working directory, or resources such as
     *     {@code classpath:crds/foos.yaml}; or globs such as <code>config/crd/&#42;.yaml</code>, which skip a {@code
     *     kustomization.yaml}. A file may hold several documents
     * @throws IllegalArgumentException if one is not there, cannot be read or is refused; what came before it stays
     */
    public void apply(String... locations) {
        applier.apply(Manifests.read(List.of(locations)));
    }

    /**
     * Says where a Service's webhooks listen, which the server calls by their Service: {@code https://localhost:9443}. The host and
     * the port count; the name in the certificate is the Service's all the same, {@code NAME.NAMESPACE.svc}. Of Services that
     * this was not said of, the EndpointSlices count. Neither need be there yet.
     */
    public void serviceAt(String namespace, String name, URI where) {
        client.serviceAt(namespace, name, where);
    }

    /**
     * Whether it serves a type at the moment.
     *
     * @param type such as {@code configmaps/v1} or {@code websites.example.com/v1}
     */
    public boolean serves(String type) {
        return applier.router().registry().types().stream()
                .anyMatch(served -> type.equals(served.groupResource() + "/" + served.version()));
    }

    /**
     * What somebody had no right to, in the words of the refusal, each once; of more than 1,000 the first. What a
     * controller may do is enough if there is nothing of it here. Empty where authorization is off.
     */
    public List<String> refusals() {
        return rbac == null ? List.of() : rbac.refusals();
    }

    /** What timestamps are taken from, and the ages in tables. */
    public InstantSource clock() {
        return clock;
    }

    /** Takes them from another clock from now on, such as that of a test in virtual time. */
    public void setClock(InstantSource other) {
        source = Objects.requireNonNull(other, "clock");
    }

    /** What goes wrong. */
    public Faults faults() {
        return faults;
    }

    /** What becomes of workloads, if {@link ApiServerBuilder#world} is on. */
    public World world() {
        if (world == null) {
            throw new IllegalStateException("Nothing moves by itself here: switch the world on, world(true)");
        }
        return world;
    }

    /** Does what is due by now, as {@link World#run} does; null also where there is no world. */
    public @Nullable Duration runWorld() {
        return world == null ? null : world.run();
    }

    /**
     * Forgets all history, as etcd's compaction does: what asks for a version before this moment gets 410. Watches that
     * have seen everything go on.
     *
     * @return the oldest version that is still known
     */
    public long compact() {
        return store.compact();
    }

    /**
     * Restarts the server as after a crash: all connections and watches are cut, no request is answered for a moment, then it
     * listens again on the same port. What was stored is still there, history too, and faults lie in wait as before.
     */
    public synchronized void restart() {
        restart(() -> {});
    }

    /**
     * Restarts the server as {@link #restart} does, with everything as it was at an earlier {@link #version}: as if etcd had
     * been put back to a backup of then, without {@code --bump-revision}. Which types are served stays as it is.
     *
     * @throws IllegalArgumentException if the history of that version is forgotten
     */
    public synchronized void restore(long version) {
        Runnable back = () -> store.restore(version);
        restart(world == null ? back : () -> world.reconsider(back));
    }

    private synchronized void restart(Runnable meanwhile) {
        int port = url().getPort();
        frontend.close();
        meanwhile.run();
        frontend = new HttpFrontend(port, certificate, clock, handler);
    }

    /** The version of the newest write. */
    public long version() {
        return store.version();
    }

    /** Sends a bookmark to each watch that takes bookmarks, at once. The real server sends them when it likes. */
    public void sendBookmarks() {
        store.nudge();
    }

    /** Begins to record what is written, whoever writes. */
    public WriteRecording recordWrites() {
        return journal.record();
    }

    /** All objects that are stored, each as it is stored, in no order. Reads no more than the memory of this process. */
    public List<ObjectNode> objects() {
        return store.all().stream().map(StoredObject::tree).toList();
    }

    /** Cuts all connections and stops. Everything that was stored is gone. */
    @Override
    public synchronized void close() {
        faults.clear();
        frontend.close();
        client.close();
        if (world != null) {
            world.close();
        }
        if (kubeconfigFile != null) {
            try {
                Files.deleteIfExists(kubeconfigFile);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public String toString() {
        return "embedded API server at " + url();
    }
}
