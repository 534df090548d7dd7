package io.controllermanager.leaderelection.internal;

import com.google.gson.reflect.TypeToken;
import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.workqueue.internal.Backoff;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseList;
import io.kubernetes.client.util.Watch;
import java.io.IOException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Lease on an API server. A request may take as long as {@link LeaderElector#callTimeout} says. */
final class ApiLeaseLock implements LeaseLock {

    private static final Logger log = LoggerFactory.getLogger(ApiLeaseLock.class);
    private static final Type LEASE = V1Lease.class;
    private static final Type LIST = V1LeaseList.class;
    private static final Type EVENT = new TypeToken<Watch.Response<V1Lease>>() {}.getType();

    /** The JVM's first compiler takes what was called about 200 times, most of this several times in each. */
    private static final int REHEARSALS = 50;

    /** The code is the same for all Leases. */
    private static final AtomicBoolean REHEARSED = new AtomicBoolean();

    private static final int SHORTEST_WATCH_SECONDS = 300;

    /** A watch that ends sooner is followed by a pause, to spare a broken server. */
    private static final Duration SHORT = Duration.ofSeconds(2);

    private static final Backoff PAUSES = Backoff.exponential(Duration.ofMillis(250), Duration.ofSeconds(2));

    /** A permission is given at a person's pace. */
    private static final Duration PAUSE_IF_FORBIDDEN = Duration.ofSeconds(30);

    private final LeaderElectionConfig config;
    private final String namespace;
    private final ApiClient client;
    private final CoordinationV1Api api;
    private final Clock clock;
    private final Timer timer;
    private volatile @Nullable LeaseWatch watch;

    /** Sends nothing yet. The client is as {@link LeaderElector} asks for it; clock and timer are for the watch. */
    ApiLeaseLock(LeaderElectionConfig config, ApiClient client, Clock clock, Timer timer) {
        this.config = config;
        this.namespace = config.leaseNamespace();
        this.client = client;
        this.api = new CoordinationV1Api(client);
        this.clock = clock;
        this.timer = timer;
    }

    /**
     * {@inheritDoc} Reads the Lease, does some times in memory what is done with each, and writes it as it is, as a dry run:
     * nothing of it is done for the first time when the Lease is to be taken, which is when nobody works.
     */
    @Override
    public void prepare() throws LeaseException {
        V1Lease lease = get();
        if (lease == null) {
            return;
        }
        try {
            send("try to update", () -> {
                for (int i = REHEARSED.getAndSet(true) ? REHEARSALS : 0; i < REHEARSALS; i++) {
                    V1Lease read = JSON.deserialize(JSON.serialize(lease), LEASE);
                    replacement(read).buildCall(null).cancel();
                }
                return replacement(lease).dryRun("All").buildCall(null);
            });
        } catch (LeaseException e) {
            // Renewed or deleted meanwhile: it was sent, and that is all.
            if (!e.beaten) {
                throw e;
            }
        }
    }

    @Override
    public @Nullable V1Lease get() throws LeaseException {
        try {
            return send(
                    "get",
                    () -> api.readNamespacedLease(config.leaseName(), namespace).buildCall(null));
        } catch (LeaseException e) {
            if (e.beaten) {
                return null;
            }
            throw e;
        }
    }

    @Override
    public List<V1Lease> list() throws LeaseException {
        try {
            Call call = limited(() -> api.listNamespacedLease(namespace).buildCall(null));
            V1LeaseList leases = client.<V1LeaseList>execute(call, LIST).getData();
            return leases.getItems();
        } catch (ApiException e) {
            String why = e.getCode() == 403
                    ? LeaseException.missingPermission("list", config)
                    : "cannot list Leases in namespace \"" + namespace + "\"";
            throw new LeaseException(false, why + ": " + FailureMessage.of(e), e);
        }
    }

    @Override
    public V1Lease create(V1Lease lease) throws LeaseException {
        return send("create", () -> api.createNamespacedLease(namespace, lease).buildCall(null));
    }

    @Override
    public V1Lease update(V1Lease lease) throws LeaseException {
        return send("update", () -> replacement(lease).buildCall(null));
    }

    private CoordinationV1Api.APIreplaceNamespacedLeaseRequest replacement(V1Lease lease) {
        return api.replaceNamespacedLease(config.leaseName(), namespace, lease);
    }

    private interface Request {
        Call call() throws ApiException;
    }

    private V1Lease send(String verb, Request request) throws LeaseException {
        try {
            V1Lease lease = client.<V1Lease>execute(limited(request), LEASE).getData();
            LeaseWatch watching = watch;
            if (watching != null) {
                watching.answered(lease);
            }
            return lease;
        } catch (ApiException e) {
            throw failure(verb, e);
        }
    }

    private Call limited(Request request) throws ApiException {
        Call call = request.call();
        call.timeout().timeout(LeaderElector.callTimeout(config).toNanos(), TimeUnit.NANOSECONDS);
        return call;
    }

    private LeaseException failure(String verb, ApiException e) {
        int code = e.getCode();
        boolean create = verb.equals("create");
        String lease = "Lease " + config.lease();
        String cannot = "cannot " + verb + " " + lease + ": ";
        String message = switch (code) {
            case 0 -> cannot + "API server not reached: " + FailureMessage.of(e);
            case 401 -> cannot + "the API server does not accept the credentials";
            case 403 -> LeaseException.missingPermission(verb, config) + ": " + FailureMessage.ofRequest(e);
            case 404 ->
                create ? "namespace \"" + namespace + "\" of " + lease + " does not exist" : lease + " does not exist";
            case 429 -> lease + ": the API server is overloaded: " + FailureMessage.ofRequest(e);
            case 409 -> lease + (create ? " exists already" : " has changed");
            default -> cannot + FailureMessage.ofRequest(e);
        };
        return new LeaseException(code == 409 || (code == 404 && !create), message, e);
    }

    @Override
    public Registration watch(Consumer<ElectionStep.Event> observer) {
        LeaseWatch started = new LeaseWatch(observer);
        watch = started;
        started.thread.start();
        return started;
    }

    /**
     * A watch that asks for no resourceVersion begins with the Lease as it is: nothing has to be read or listed before. RBAC
     * allows {@code watch} by name for a Lease that the field selector names. Whoever competes polls the Lease as well, so a
     * watch that fails only costs time. If polling sees a change that the watch has not delivered, the watch is reopened.
     */
    private final class LeaseWatch implements Registration {

        private final Consumer<ElectionStep.Event> observer;
        private final Thread thread = new Thread(this::run, "controller-manager-lease-watch");
        private final AtomicBoolean checking = new AtomicBoolean();
        private volatile boolean closed;
        private volatile @Nullable Call current;
        private volatile @Nullable V1Lease toldLast;

        LeaseWatch(Consumer<ElectionStep.Event> observer) {
            this.observer = observer;
            thread.setDaemon(true);
        }

        /** A request has read or written the Lease: the watch must tell of that within the time of a request. */
        void answered(V1Lease lease) {
            Call open = current;
            if (open != null && isBehind(lease) && checking.compareAndSet(false, true)) {
                timer.schedule(LeaderElector.callTimeout(config), () -> {
                    checking.set(false);
                    if (isBehind(lease)) {
                        log.debug("Lease {}: the watch has not told of a change that was read", config.lease());
                        open.cancel();
                    }
                });
            }
        }

        private boolean isBehind(V1Lease lease) {
            V1Lease told = toldLast;
            return told == null || Leases.isNewer(lease, told);
        }

        @Override
        public void close() {
            closed = true;
            Call open = current;
            if (open != null) {
                open.cancel();
            }
            thread.interrupt();
        }

        private void run() {
            int failures = 0;
            while (!closed) {
                long begun = clock.nanoTime();
                String failure = watch();
                boolean lasted = clock.nanoTime() - begun >= SHORT.toNanos();
                failures = lasted ? 0 : failures + 1;
                if (!closed) {
                    observer.accept(step -> step.watchInterrupted(failure));
                    Duration pause = lasted ? Duration.ZERO : PAUSES.after(failures);
                    rest(LeaseException.isMissingPermission(failure) ? PAUSE_IF_FORBIDDEN : pause);
                }
            }
        }

        /** Returns when the watch has ended: null if the API server has ended it, else why it broke off. */
        private @Nullable String watch() {
            int seconds = SHORTEST_WATCH_SECONDS + ThreadLocalRandom.current().nextInt(SHORTEST_WATCH_SECONDS);
            try {
                Call call = api.listNamespacedLease(namespace)
                        .fieldSelector("metadata.name=" + config.leaseName())
                        .watch(true)
                        .timeoutSeconds(seconds)
                        .buildCall(null);
                current = call;
                if (!closed) {
                    follow(call);
                }
                return null;
            } catch (ApiException e) {
                return e.getCode() == 403
                        ? LeaseException.missingPermission("watch", config)
                        : "Lease " + config.lease() + " cannot be watched: " + FailureMessage.ofRequest(e);
            } catch (IOException | RuntimeException | Error e) {
                // client-java's Watch reports a connection that was cut as a RuntimeException.
                return "the watch of Lease " + config.lease() + " broke off: " + e.getMessage();
            } finally {
                current = null;
                toldLast = null;
            }
        }

        private void follow(Call call) throws ApiException, IOException {
            try (Watch<V1Lease> watch = Watch.createWatch(client, call, EVENT)) {
                observer.accept(step -> step.watchInterrupted(null));
                while (!closed && watch.hasNext()) {
                    Watch.Response<V1Lease> event = watch.next();
                    V1Lease lease = event.object;
                    if (lease == null) {
                        throw new IOException(event.status == null ? event.type : event.status.getMessage());
                    }
                    if (event.type.equals("BOOKMARK")) {
                        // Not asked for, and without what the Lease says.
                        continue;
                    }
                    toldLast = lease;
                    boolean deleted = event.type.equals("DELETED");
                    observer.accept(deleted ? step -> step.deleted(lease) : step -> step.seen(lease));
                }
            }
        }

        private void rest(Duration time) {
            try {
                timer.sleep(time);
            } catch (InterruptedException e) {
                // It has been closed.
            }
        }
    }
}
