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
        try {
            if (REHEARSED.compareAndSet(false, true)) {
                rehearse(lease);
            }
            execute(api().replaceNamespacedLease(name, namespace, lease)
                    .dryRun("All")
                    .buildCall(null));
        } catch (ApiException e) {
            // Renewed or deleted meanwhile: it was sent, and that is all.
            if (e.getCode() != 409 && e.getCode() != 404) {
                throw failure("try to update", e);
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
            return execute(api().readNamespacedLease(name, namespace).buildCall(null));
        } catch (ApiException e) {
            if (e.getCode() == 404) {
                return null;
            }
            throw failure("get", e);
        }
    }

    @Override
    public V1Lease create(V1Lease lease) throws LeaseException {
        try {
            return execute(api().createNamespacedLease(namespace, lease).buildCall(null));
        } catch (ApiException e) {
            if (e.getCode() == 409) {
                throw new LeaseException(Reason.CONFLICT, "Lease " + describe() + " exists already", e);
            }
            if (e.getCode() == 404) {
                throw new LeaseException(
                        Reason.FAILED, "namespace \"" + namespace + "\" of Lease " + describe() + " does not exist", e);
            }
            throw failure("create", e);
        }
    }

    @Override
    public V1Lease update(V1Lease lease) throws LeaseException {
        try {
            return execute(api().replaceNamespacedLease(name, namespace, lease).buildCall(null));
        } catch (ApiException e) {
            if (e.getCode() == 409) {
                throw new LeaseException(Reason.CONFLICT, "Lease " + describe() + " has changed", e);
            }
            if (e.getCode() == 404) {
                throw new LeaseException(Reason.NOT_FOUND, "Lease " + describe() + " does not exist", e);
            }
            throw failure("update", e);
        }
    }

    @Override
    public Registration watch(LeaseObserver observer) {
        LeaseWatch started = LeaseWatch.start(this::client, namespace, name, callTimeout, clock, timer, observer);
        watch = started;
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

    private V1Lease execute(Call call) throws ApiException {
        call.timeout().timeout(callTimeout.toNanos(), TimeUnit.NANOSECONDS);
        V1Lease lease = client().<V1Lease>execute(call, LEASE).getData();
        LeaseWatch watching = watch;
        if (watching != null) {
            watching.answered(lease);
        }
        return lease;
    }

    private LeaseException failure(String verb, ApiException e) {
        String what = switch (e.getCode()) {
            case 0 -> "cannot " + verb + " Lease " + describe() + ": API server not reached: " + FailureMessage.of(e);
            case 401 -> "cannot " + verb + " Lease " + describe() + ": the API server does not accept the credentials";
            case 403 ->
                LeaseException.MISSING_PERMISSION + verb + " " + RESOURCE + " \"" + name + "\" in namespace \""
                        + namespace + "\": " + FailureMessage.ofRequest(e);
            default -> "cannot " + verb + " Lease " + describe() + ": " + FailureMessage.ofRequest(e);
        };
        return new LeaseException(Reason.FAILED, what, e);
    }
}
