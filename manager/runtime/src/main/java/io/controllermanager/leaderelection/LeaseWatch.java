package io.controllermanager.leaderelection;

import com.google.gson.reflect.TypeToken;
import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.Registration;
import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.util.Watch;
import java.io.IOException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches one Lease, so that its release is known at once. Each watch asks for no resourceVersion and so begins with the Lease
 * as it is: nothing has to be read or listed before. RBAC allows {@code watch} by name for a Lease that the field selector
 * names. Whoever competes polls the Lease as well, so a watch that fails only costs time. If polling sees a change that the
 * watch has not delivered, the watch is reopened.
 *
 * <p>Has a thread of its own, {@code controller-manager-lease-watch}.
 */
final class LeaseWatch implements Registration {

    private static final Logger log = LoggerFactory.getLogger(LeaseWatch.class);
    private static final Type EVENT = new TypeToken<Watch.Response<V1Lease>>() {}.getType();

    private static final int SHORTEST_WATCH_SECONDS = 300;
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    /** A watch that ends sooner is followed by a pause, to spare a broken server. */
    private static final Duration SHORT = Duration.ofSeconds(2);

    /** A permission is given at a person's pace. */
    private static final Duration PAUSE_IF_FORBIDDEN = Duration.ofSeconds(30);

    private final Supplier<ApiClient> clients;
    private final String namespace;
    private final String name;
    private final Duration patience;
    private final Clock clock;
    private final Timer timer;
    private final LeaseObserver observer;
    private final Thread thread;
    private final AtomicBoolean checking = new AtomicBoolean();
    private volatile boolean closed;
    private volatile @Nullable Call current;
    private volatile @Nullable V1Lease toldLast;

    // Used by the thread only.
    private @Nullable String reported;
    private Duration pause = SHORTEST_PAUSE;

    /**
     * Watches nothing before {@link #start}.
     *
     * @param patience how long the watch may take to tell of a change that another request has seen
     */
    LeaseWatch(
            Supplier<ApiClient> clients,
            String namespace,
            String name,
            Duration patience,
            Clock clock,
            Timer timer,
            LeaseObserver observer) {
        this.clients = clients;
        this.namespace = namespace;
        this.name = name;
        this.patience = patience;
        this.clock = clock;
        this.timer = timer;
        this.observer = observer;
        this.thread = new Thread(this::run, "controller-manager-lease-watch");
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Another request has read or written the Lease: the watch must tell of that before long. */
    void answered(V1Lease lease) {
        Call open = current;
        if (open != null && isBehind(lease) && checking.compareAndSet(false, true)) {
            timer.schedule(patience, () -> {
                checking.set(false);
                if (isBehind(lease)) {
                    log.atDebug()
                            .addKeyValue("lease", namespace + "/" + name)
                            .log("The watch has not told of a change that was read; it is opened anew");
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
        while (!closed) {
            String failure = null;
            boolean forbidden = false;
            long begun = clock.nanoTime();
            try {
                watch();
            } catch (ApiException e) {
                failure = describe(e);
                forbidden = e.getCode() == 403;
            } catch (IOException | RuntimeException | Error e) {
                // client-java's Watch reports a connection that was cut as a RuntimeException.
                failure = "the watch of Lease " + namespace + "/" + name + " broke off: " + e.getMessage();
            }
            if (!closed) {
                report(failure);
                boolean lasted = clock.nanoTime() - begun >= SHORT.toNanos();
                rest(forbidden ? PAUSE_IF_FORBIDDEN : lasted ? Duration.ZERO : pause, lasted);
            }
        }
    }

    /** Returns when the API server ends the watch. */
    private void watch() throws ApiException, IOException {
        ApiClient client = clients.get();
        Call call = new CoordinationV1Api(client)
                .listNamespacedLease(namespace)
                .fieldSelector("metadata.name=" + name)
                .watch(true)
                .timeoutSeconds(
                        SHORTEST_WATCH_SECONDS + ThreadLocalRandom.current().nextInt(SHORTEST_WATCH_SECONDS))
                .buildCall(null);
        current = call;
        if (closed) {
            return;
        }
        try (Watch<V1Lease> watch = Watch.createWatch(client, call, EVENT)) {
            report(null);
            while (!closed && watch.hasNext()) {
                tell(watch.next());
            }
        } finally {
            current = null;
            toldLast = null;
        }
    }

    private void tell(Watch.Response<V1Lease> event) throws IOException {
        V1Lease lease = event.object;
        if (lease == null) {
            throw new IOException(event.status == null ? event.type : String.valueOf(event.status.getMessage()));
        }
        switch (event.type) {
            case "ADDED", "MODIFIED" -> {
                toldLast = lease;
                observer.seen(lease);
            }
            case "DELETED" -> {
                toldLast = lease;
                observer.deleted(lease);
            }
            default -> log.atDebug().addKeyValue("type", event.type).log("An event of no use in a watch of a Lease");
        }
    }

    private void rest(Duration time, boolean lasted) {
        try {
            timer.sleep(time);
        } catch (InterruptedException e) {
            // It has been closed.
            return;
        }
        Duration doubled = pause.multipliedBy(2);
        pause = lasted ? SHORTEST_PAUSE : doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
    }

    private void report(@Nullable String failure) {
        if (!Objects.equals(failure, reported)) {
            reported = failure;
            observer.interrupted(failure);
        }
    }

    private String describe(ApiException e) {
        return e.getCode() == 403
                ? LeaseException.MISSING_PERMISSION + "watch leases.coordination.k8s.io \"" + name
                        + "\" in namespace \"" + namespace + "\""
                : "Lease " + namespace + "/" + name + " cannot be watched: " + FailureMessage.ofRequest(e);
    }
}
