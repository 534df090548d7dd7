package io.controllermanager.leaderelection;

import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.Registration;
import io.controllermanager.leaderelection.LeaseException.Reason;
import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.models.V1Lease;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/** A Lease on an API server. */
public final class ApiLeaseLock implements LeaseLock {

    private static final String RESOURCE = "leases.coordination.k8s.io";
    private static final String CREATE = "create";
    private static final Type LEASE = V1Lease.class;

    /** The JVM's first compiler takes what was called about 200 times, most of this several times in each. */
    private static final int REHEARSALS = 50;

    /** The code is the same for all Leases. */
    private static final AtomicBoolean REHEARSED = new AtomicBoolean();

    private final Supplier<ApiClient> clients;
    private final String namespace;
    private final String name;
    private final Duration callTimeout;
    private final Clock clock;
    private final Timer timer;
    private @Nullable ApiClient apiClient;
    private volatile @Nullable LeaseWatch watch;

    /**
     * Sends nothing yet.
     *
     * @param clients asked once, at the first request, for a client of its own, so that neither a full dispatcher nor a
     *     rate limit delays a renewal; not fenced, or no Lease could ever be taken
     * @param namespace the Lease's namespace
     * @param name the Lease's name
     * @param callTimeout the time limit of one request, connecting included
     * @param clock tells how long a watch has lasted
     * @param timer for the pauses between watches that fail
     */
    public ApiLeaseLock(
            Supplier<ApiClient> clients,
            String namespace,
            String name,
            Duration callTimeout,
            Clock clock,
            Timer timer) {
        this.clients = clients;
        this.namespace = namespace;
        this.name = name;
        this.callTimeout = callTimeout;
        this.clock = clock;
        this.timer = timer;
    }

    /** The Lease of an election; each request may take as long as that allows. */
    static ApiLeaseLock of(LeaderElectionConfig config, Supplier<ApiClient> clients, Clock clock, Timer timer) {
        return new ApiLeaseLock(
                clients, config.leaseNamespace(), config.leaseName(), LeaderElector.callTimeout(config), clock, timer);
    }

    @Override
    public String describe() {
        return namespace + "/" + name;
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
        if (REHEARSED.compareAndSet(false, true)) {
            try {
                rehearse(lease);
            } catch (ApiException e) {
                throw failure("prepare to update", e);
            }
        }
        try {
            send(
                    "try to update",
                    () -> api().replaceNamespacedLease(name, namespace, lease)
                            .dryRun("All")
                            .buildCall(null));
        } catch (LeaseException e) {
            // Renewed or deleted meanwhile: it was sent, and that is all.
            if (e.reason() == Reason.FAILED) {
                throw e;
            }
        }
    }

    private void rehearse(V1Lease lease) throws ApiException {
        for (int i = 0; i < REHEARSALS; i++) {
            V1Lease read = JSON.deserialize(JSON.serialize(lease), LEASE);
            api().replaceNamespacedLease(name, namespace, read).buildCall(null).cancel();
        }
    }

    @Override
    public @Nullable V1Lease get() throws LeaseException {
        try {
            return send("get", () -> api().readNamespacedLease(name, namespace).buildCall(null));
        } catch (LeaseException e) {
            if (e.reason() == Reason.NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    @Override
    public V1Lease create(V1Lease lease) throws LeaseException {
        return send(CREATE, () -> api().createNamespacedLease(namespace, lease).buildCall(null));
    }

    @Override
    public V1Lease update(V1Lease lease) throws LeaseException {
        return send(
                "update",
                () -> api().replaceNamespacedLease(name, namespace, lease).buildCall(null));
    }

    @Override
    public Registration watch(LeaseObserver observer) {
        LeaseWatch started = new LeaseWatch(this::client, namespace, name, callTimeout, clock, timer, observer);
        watch = started;
        started.start();
        return started;
    }

    private CoordinationV1Api api() {
        return new CoordinationV1Api(client());
    }

    private synchronized ApiClient client() {
        ApiClient client = apiClient;
        if (client == null) {
            client = clients.get();
            apiClient = client;
        }
        return client;
    }

    private interface Request {
        Call call() throws ApiException;
    }

    private V1Lease send(String verb, Request request) throws LeaseException {
        V1Lease lease;
        try {
            Call call = request.call();
            call.timeout().timeout(callTimeout.toNanos(), TimeUnit.NANOSECONDS);
            lease = client().<V1Lease>execute(call, LEASE).getData();
        } catch (ApiException e) {
            throw failure(verb, e);
        }
        LeaseWatch watching = watch;
        if (watching != null) {
            watching.answered(lease);
        }
        return lease;
    }

    private LeaseException failure(String verb, ApiException e) {
        int code = e.getCode();
        boolean create = verb.equals(CREATE);
        String lease = "Lease " + describe();
        String cannot = "cannot " + verb + " " + lease + ": ";
        String message = switch (code) {
            case 0 -> cannot + "API server not reached: " + FailureMessage.of(e);
            case 401 -> cannot + "the API server does not accept the credentials";
            case 403 ->
                LeaseException.MISSING_PERMISSION + verb + " " + RESOURCE + " \"" + name + "\" in namespace \""
                        + namespace + "\": " + FailureMessage.ofRequest(e);
            case 404 ->
                create ? "namespace \"" + namespace + "\" of " + lease + " does not exist" : lease + " does not exist";
            case 409 -> lease + (create ? " exists already" : " has changed");
            default -> cannot + FailureMessage.ofRequest(e);
        };
        Reason reason = code == 409 ? Reason.CONFLICT : code == 404 && !create ? Reason.NOT_FOUND : Reason.FAILED;
        return new LeaseException(reason, message, e);
    }
}
