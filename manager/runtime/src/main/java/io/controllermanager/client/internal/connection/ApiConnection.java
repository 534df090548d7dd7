package io.controllermanager.client.internal.connection;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.access.ApiAccess;
import io.controllermanager.client.internal.access.PluginCredentials;
import io.controllermanager.client.internal.plan.DryRun;
import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.client.internal.transport.NoDelaySocketFactory;
import io.controllermanager.client.internal.transport.ProxyRoute;
import io.controllermanager.client.internal.transport.ServerUrl;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.net.SocketFactory;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.logging.HttpLoggingInterceptor;
import org.jspecify.annotations.Nullable;

/**
 * The host's connection to the API server: one {@link ApiClient} that every controller and informer shares. It is limited
 * and counted, asks the write fence before it changes anything, waits as long as a 429 answer says, and knows whether the
 * API server can be reached and accepts our credentials.
 *
 * <p>The client exists before anybody knows where the API server is, so that beans can be made with it; {@link #connect}
 * points it there. Safe for use by several threads.
 */
public final class ApiConnection implements AutoCloseable {

    private final HostClient apiClient;
    private final @Nullable ApiClient given;
    private final NoDelaySocketFactory sockets = new NoDelaySocketFactory();
    private final boolean ownSockets;
    private final HttpSettings http;
    private final Clock clock;
    private final Timer timer;
    private final ApiServerMonitor monitor;
    private final @Nullable MeterRegistry registry;
    private final RequestMetrics metrics;
    private final AtomicReference<WriteFence> fence = new AtomicReference<>(WriteFence.open());

    /** With what is different of each. One thread at a time has a client follow the shared one, within the map's methods. */
    private final Map<HostClient, Consumer<OkHttpClient.Builder>> derived = new ConcurrentHashMap<>();

    private final List<WriteObserver> writeObservers = new CopyOnWriteArrayList<>();
    private volatile @Nullable ApiAccess access;

    /** Null unless this process is to change nothing. */
    private final @Nullable DryRun dryRun;

    private ApiConnection(Builder builder) {
        this.http = builder.http;
        this.clock = builder.clock;
        this.timer = builder.timer;
        this.registry = builder.registry;
        this.metrics = new RequestMetrics(builder.registry, clock);
        this.given = builder.apiClient;
        ServerUrl server = new ServerUrl(this::basePath);
        this.dryRun = builder.plan == null ? null : new DryRun(server, builder.plan);
        this.ownSockets = given == null || given.getHttpClient().socketFactory() == SocketFactory.getDefault();
        OkHttpClient.Builder base = given == null ? own() : like(given.getHttpClient());
        base.connectionPool(new ConnectionPool(20, 5, TimeUnit.MINUTES)).dispatcher(AsyncCalls.dispatcher("kube-api"));
        this.monitor = new ApiServerMonitor(
                this::serverName,
                this::credentialsName,
                new ReadinessProbe(this::plainHttpClient, () -> basePath() + "/readyz"),
                clock,
                timer);
        FenceCheck fenceCheck = new FenceCheck(fence::get);
        intercept(
                base,
                userAgent(),
                new RequestTrail.Notes(server),
                new WriteReport(server, writeObservers),
                new RetryAfter(timer),
                new RateLimit(http.limits(), clock, timer),
                monitor.history(),
                fenceCheck,
                new RequestTimeout(http.requestTimeout()),
                metrics,
                monitor.observer());
        base.networkInterceptors().addAll(0, List.of(fenceCheck, monitor.history()));
        if (dryRun != null) {
            base.networkInterceptors().add(dryRun::check);
        }
        this.apiClient = new HostClient(base.readTimeout(Duration.ZERO).build(), given);
    }

    /** Begins to describe a connection. */
    public static Builder builder(Clock clock, Timer timer) {
        return new Builder(clock, timer);
    }

    /** The shared client; its requests fail until {@link #connect} has been called, unless it was given configured. */
    public ApiClient apiClient() {
        return apiClient;
    }

    /** Whether a client always leads where the shared one does: it is that one, derived from it, or the one it was made from. */
    public boolean owns(ApiClient client) {
        return client == apiClient || client == given || derived.containsKey(client);
    }

    /**
     * Points the shared client at an API server, in place, and with it every client that was derived from it. May be
     * called again, as at a restart with other credentials. One that was made from a client goes where that one does,
     * whatever the access says.
     *
     * @throws ApiAccessException if the credentials cannot be read
     */
    public void connect(ApiAccess newAccess) {
        newAccess.configure(apiClient);
        access = newAccess;
        PluginCredentials.of(apiClient).forEach(plugin -> plugin.onLack(monitor::doubt));
        derived.replaceAll(this::follow);
    }

    /** What {@link #connect} was last given, null before that. */
    public @Nullable ApiAccess access() {
        return access;
    }

    /** What this process would change, null unless it is a dry run. */
    public @Nullable Plan plan() {
        return dryRun == null ? null : dryRun.plan();
    }

    /** Where what goes on over this connection is counted, null for nowhere. */
    public @Nullable MeterRegistry meterRegistry() {
        return registry;
    }

    /** Knows whether the API server can be reached and accepts our credentials. */
    public ApiServerMonitor monitor() {
        return monitor;
    }

    /** From now on the fence is asked before each write of the shared client (not of {@link #leaseClient}s and {@link #reviewClient}s). */
    public void writeFence(WriteFence newFence) {
        fence.set(newFence);
    }

    /** From now on the observer is shown the answers to writes of the shared client and those derived from it. */
    public Registration observeWrites(WriteObserver observer) {
        writeObservers.add(observer);
        return () -> writeObservers.remove(observer);
    }

    /**
     * A client for Lease traffic alone: connections of its own, no rate limit, no fence, no waiting on 429, so that a big
     * list or a full dispatcher never loses the lease. It lives as long as this connection and goes where {@link #connect}
     * points.
     *
     * @param callTimeout how long a request other than a watch may take before it fails
     */
    public ApiClient leaseClient(Duration callTimeout) {
        return separateClient("kube-lease", callTimeout);
    }

    /**
     * A client that asks the API server on behalf of somebody who waits, such as whether a token is valid. It is apart as {@link
     * #leaseClient}s are, so that a standby answers as the leader does and reconciles take nothing from it.
     *
     * @param callTimeout how long a request may take before it fails
     */
    public ApiClient reviewClient(Duration callTimeout) {
        return separateClient("kube-review", callTimeout);
    }

    private ApiClient separateClient(String threadName, Duration callTimeout) {
        ConnectionPool pool = new ConnectionPool(2, 5, TimeUnit.MINUTES);
        Dispatcher dispatcher = AsyncCalls.dispatcher(threadName);
        RequestTimeout silence = new RequestTimeout(callTimeout);
        CallDeadline deadline = new CallDeadline(callTimeout, timer);
        return derive(base -> {
            base.connectionPool(pool)
                    .dispatcher(dispatcher)
                    .connectTimeout(shorter(callTimeout, http.connectTimeout()))
                    .writeTimeout(callTimeout)
                    .pingInterval(shorter(callTimeout.dividedBy(2), http.pingInterval()));
            if (ownSockets && apiClient.getHttpClient().socketFactory() instanceof NoDelaySocketFactory shared) {
                // Which an abort spares.
                base.socketFactory(shared.apart());
            }
            intercept(base, userAgent(), silence, deadline, metrics, monitor.observer());
        });
    }

    /**
     * The shared client with a fence of its own: for a controller that works by another Lease than others do, or, with {@link
     * WriteFence#open}, on every replica. It shares connections, limits and metrics with the other, lives as long as this
     * connection and goes where {@link #connect} points.
     */
    public ApiClient fencedClient(WriteFence ownFence) {
        return derive(base -> fence(base, ownFence));
    }

    private static void fence(OkHttpClient.Builder base, WriteFence ownFence) {
        FenceCheck own = new FenceCheck(() -> ownFence);
        UnaryOperator<Interceptor> replace = each -> each instanceof FenceCheck ? own : each;
        base.interceptors().replaceAll(replace);
        base.networkInterceptors().replaceAll(replace);
    }

    /**
     * A client for Events: not fenced, and with a rate limit of its own, so that Events neither wait for reconciles nor
     * take from what reconciles may send, as in kube-controller-manager. It shares connections and metrics with the
     * others, lives as long as this connection and goes where {@link #connect} points.
     */
    public ApiClient eventClient() {
        RateLimit limit = new RateLimit(http.limits(), clock, timer);
        return derive(base -> {
            fence(base, WriteFence.open());
            base.interceptors().removeIf(each -> each instanceof WriteReport || each instanceof RequestTrail.Notes);
            base.interceptors().replaceAll(interceptor -> interceptor instanceof RateLimit ? limit : interceptor);
        });
    }

    /**
     * Ends every connection at once but those of {@link #leaseClient}s: requests and watches under way fail, and what they
     * have written and the API server has not received it never will, also if only the network is slow. For the moment when
     * this process must not write any more; whoever asks next opens a new connection. Not those that a client's own socket
     * factory makes ({@link Builder#apiClient}).
     */
    public void abort() {
        sockets.abort();
    }

    /** Ends connections and the threads of asynchronous calls; calls under way fail. */
    @Override
    public void close() {
        monitor.close();
        derived.keySet().forEach(client -> end(client.getHttpClient()));
        end(apiClient.getHttpClient());
        PluginCredentials.of(apiClient).forEach(PluginCredentials::close);
    }

    private static void end(OkHttpClient client) {
        client.dispatcher().cancelAll();
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }

    /** A client on the shared connections with nothing but the credentials in its way. */
    private OkHttpClient plainHttpClient() {
        OkHttpClient.Builder base = apiClient.getHttpClient().newBuilder();
        intercept(base, userAgent());
        return base.build();
    }

    /** With these interceptors of the host, in place of those that there are. */
    private void intercept(OkHttpClient.Builder base, HostInterceptor... interceptors) {
        base.networkInterceptors().removeIf(HostInterceptor.class::isInstance);
        base.interceptors().removeIf(HostInterceptor.class::isInstance);
        base.interceptors().addAll(0, List.of(interceptors));
        if (dryRun != null) {
            // Observers are shown what is planned, as if it had been written.
            base.interceptors().remove(dryRun);
            int at = 0;
            for (int i = 0; i < interceptors.length; i++) {
                at = interceptors[i] instanceof WriteReport ? i + 1 : at;
            }
            base.interceptors().add(at, dryRun);
        }
    }

    /** Says who asks; the API server writes it into its audit log. */
    private HostInterceptor userAgent() {
        return chain -> chain.proceed(chain.request()
                .newBuilder()
                .header("User-Agent", http.userAgent())
                .build());
    }

    private String basePath() {
        return apiClient.getBasePath();
    }

    /** For people: an access names the server without credentials. */
    private String serverName() {
        ApiAccess present = access;
        return (present == null ? basePath() : present.server()) + ProxyRoute.of(apiClient.getHttpClient());
    }

    private String credentialsName() {
        ApiAccess present = access;
        String source = present == null ? "those that the ApiClient was given with" : present.source();
        return PluginCredentials.of(apiClient)
                .map(PluginCredentials::failure)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(source);
    }

    private ApiClient derive(Consumer<OkHttpClient.Builder> changes) {
        HostClient made = new HostClient(apiClient.getHttpClient(), apiClient);
        derived.compute(made, (client, none) -> follow(client, changes));
        return made;
    }

    /** Takes over what the shared client is now: server, TLS and interceptors; what it adds to requests comes by itself. */
    private Consumer<OkHttpClient.Builder> follow(HostClient client, Consumer<OkHttpClient.Builder> changes) {
        OkHttpClient.Builder http = apiClient.getHttpClient().newBuilder();
        changes.accept(http);
        client.setHttpClient(http.build()).setBasePath(basePath());
        return changes;
    }

    private OkHttpClient.Builder own() {
        return new OkHttpClient.Builder()
                .protocols(List.of(Protocol.HTTP_2, Protocol.HTTP_1_1))
                .socketFactory(sockets)
                .connectTimeout(http.connectTimeout())
                .eventListenerFactory(call -> new HandshakeLimit(http.connectTimeout(), timer, monitor::doubt))
                .writeTimeout(http.requestTimeout())
                .pingInterval(http.pingInterval());
    }

    /** As another client sends, over connections of ours. */
    private OkHttpClient.Builder like(OkHttpClient other) {
        OkHttpClient.Builder base = other.newBuilder().callTimeout(Duration.ZERO);
        Duration ping = Duration.ofMillis(other.pingIntervalMillis());
        base.pingInterval(ping.isZero() ? http.pingInterval() : shorter(ping, http.pingInterval()));
        if (ownSockets) {
            base.socketFactory(sockets);
        }
        // A client that is being debugged holds an answer back to its end, which of a watch comes in minutes.
        base.interceptors().removeIf(HttpLoggingInterceptor.class::isInstance);
        return base;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /** Collects what a connection is made of. Not safe for use by several threads. */
    public static final class Builder {

        private final Clock clock;
        private final Timer timer;
        private HttpSettings http = HttpSettings.DEFAULTS;
        private @Nullable ApiClient apiClient;
        private @Nullable MeterRegistry registry;
        private @Nullable Plan plan;

        private Builder(Clock clock, Timer timer) {
            this.clock = clock;
            this.timer = timer;
        }

        /** How to talk HTTP; {@link HttpSettings#DEFAULTS} unless said otherwise. */
        public Builder http(HttpSettings settings) {
            this.http = settings;
            return this;
        }

        /**
         * Makes the shared client from one that exists already, which is not changed: with its credentials and headers as
         * they are at the moment, and its server, TLS, proxy, interceptors and connect timeout as they are now. The host's
         * interceptors come first. Connections, threads, pings and time limits of requests are the host's.
         */
        public Builder apiClient(ApiClient existing) {
            this.apiClient = existing;
            return this;
        }

        /** Where requests are counted; nowhere unless said otherwise. */
        public Builder metrics(MeterRegistry meterRegistry) {
            this.registry = meterRegistry;
            return this;
        }

        /** Makes it a dry run: each write goes out as one, and what comes of it is collected. */
        public Builder dryRun(Plan newPlan) {
            this.plan = newPlan;
            return this;
        }

        /** Makes the connection; nothing is sent yet. */
        public ApiConnection build() {
            return new ApiConnection(this);
        }
    }
}
