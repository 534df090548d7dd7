package io.controllermanager.manager;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ClientJavaController;
import io.controllermanager.controller.Controller;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.ControllerSnapshot;
import io.controllermanager.controller.EventSource;
import io.controllermanager.controller.KeyPump;
import io.controllermanager.controller.ReconcileGate;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.EventSubscriber;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.InformerStatus;
import io.controllermanager.informer.Subscription;
import io.controllermanager.leaderelection.LeaderElector;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One controller's way through a run of the host. A thread of its own brings it up and ends when the caches are synced;
 * from there on leadership opens and closes its workers.
 */
final class HostedController {

    private static final Logger log = LoggerFactory.getLogger(HostedController.class);

    /** How often a type that is not served is asked for again. */
    private static final Duration TYPE_RETRY = Duration.ofSeconds(3);

    private static final Duration UNREACHABLE_RETRY = Duration.ofSeconds(1);
    private static final Duration CACHE_POLL = Duration.ofMillis(10);
    private static final Duration LONGEST_CACHE_POLL = Duration.ofMillis(100);

    private final ControllerRegistration registration;
    private final ControllerManager.Parts parts;
    private final Pause pause;
    private final HostContext context;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

    // Guarded by this object's monitor.
    private ControllerState state;
    private @Nullable String detail;
    private @Nullable String notReady;
    private @Nullable Thread starter;
    private @Nullable Controller controller;
    private @Nullable Runnable requeueAll;
    private @Nullable KeyPump pump;
    private @Nullable Thread foreign;
    private boolean leading;
    private boolean ready;
    private boolean working;
    private boolean interruptedByLoss;
    private boolean stopping;

    HostedController(ControllerRegistration registration, ControllerManager.Parts parts, Pause pause) {
        this.registration = registration;
        this.parts = parts;
        this.pause = pause;
        ApiClient client = registration.options().needsLeaderElection() ? parts.apiClient() : parts.unfencedApiClient();
        this.context = new HostContext(name(), client, parts.cluster(), parts.recorders(), parts.clock());
        this.state = enabled() ? ControllerState.STOPPED : ControllerState.DISABLED;
        if (!enabled()) {
            settled.complete(null);
        }
    }

    String name() {
        return registration.name();
    }

    boolean enabled() {
        return registration.enabled();
    }

    /** Completed when this controller no longer gives a reason to wait with the competition for leadership. */
    CompletableFuture<Void> settled() {
        return settled;
    }

    void start() {
        if (enabled()) {
            Thread thread = HostRun.daemon("controller-manager-start-" + name(), this::bringUp);
            synchronized (this) {
                if (stopping) {
                    return;
                }
                notReady = "starting";
                starter = thread;
            }
            thread.start();
        }
    }

    private void bringUp() {
        try {
            awaitTypes();
            make();
            awaitCaches();
        } catch (InterruptedException e) {
            return;
        } catch (RuntimeException | Error e) {
            fail(e);
            return;
        }
        synchronized (this) {
            if (stopping) {
                return;
            }
            ready = true;
            notReady = null;
            enter(ControllerState.WAITING_FOR_LEADERSHIP, null, "Caches synced");
            openOrClose();
        }
        settled.complete(null);
    }

    private void awaitTypes() throws InterruptedException {
        for (ResourceType<?> type : registration.descriptor().types()) {
            while (!served(type)) {
                // A missing type appears at a person's pace; an API server is worth a closer look.
                pause.pause(settled.isDone() ? TYPE_RETRY : UNREACHABLE_RETRY);
            }
        }
    }

    private boolean served(ResourceType<?> type) {
        try {
            if (parts.cluster().serves(type)) {
                return true;
            }
            String problem = "the API server does not serve " + type;
            synchronized (this) {
                notReady = null;
                enter(ControllerState.WAITING_FOR_TYPE, problem, "Waiting for a type, is its CRD installed?");
            }
            settled.complete(null);
        } catch (ApiException e) {
            cannotAsk(type, describe(e));
        } catch (RuntimeException e) {
            // Credentials that cannot be read, an interceptor of the application's: not for ever, as far as we know.
            log.atDebug().setCause(e).log("Cannot ask for a type");
            cannotAsk(type, e.toString());
        }
        return false;
    }

    private synchronized void cannotAsk(ResourceType<?> type, String why) {
        notReady = "the API server cannot be asked for " + type + ": " + why;
        enter(ControllerState.WAITING_FOR_TYPE, notReady, "Waiting for the API server");
    }

    private void make() throws InterruptedException {
        ControllerDescriptor descriptor = registration.descriptor();
        synchronized (this) {
            notReady = "caches are not synced";
            enter(ControllerState.WAITING_FOR_CACHES, null, "Filling caches");
        }
        Reconciler reconciler = descriptor.reconcilerFactory().create(context);
        Controller made = Controller.of(descriptor, reconciler)
                .options(registration.options())
                .gate(gate())
                .clock(parts.clock())
                .timer(parts.timer())
                .meterRegistry(parts.meters())
                .observationRegistry(parts.observations())
                .virtualThreads(parts.virtualThreads())
                .build();
        synchronized (this) {
            if (stopping) {
                made.close();
                throw new InterruptedException();
            }
            controller = made;
        }
        boolean first = true;
        for (EventSource<?> source : descriptor.sources()) {
            subscribe(made, source, first);
            first = false;
        }
        synchronized (this) {
            if (stopping) {
                // The factory took its time and close() has been here already.
                unsubscribe();
                throw new InterruptedException();
            }
        }
        ClientJavaController clientJava = registration.clientJava();
        if (clientJava != null && clientJava.rehosted()) {
            KeyPump started = clientJava.pumpTo(made::enqueue);
            synchronized (this) {
                pump = started;
                requeueAll = started::replay;
            }
        }
    }

    private ReconcileGate gate() {
        LeaderElector elector = parts.elector();
        return elector == null || !registration.options().needsLeaderElection()
                ? ReconcileGate.OPEN
                : elector::isLeading;
    }

    private <T extends KubernetesObject> void subscribe(Controller made, EventSource<T> source, boolean primary) {
        Informer<T> informer = context.informer(source.type());
        EventSubscriber<T> subscriber = made.subscriberFor(source);
        subscriptions.add(informer.subscribe(name(), subscriber, Duration.ZERO));
        if (primary) {
            synchronized (this) {
                requeueAll = () -> informer.getIndexer()
                        .list()
                        .forEach(object -> subscriber.onEvent(new ResourceEvent.Created<>(object, true)));
            }
        }
    }

    private void awaitCaches() throws InterruptedException {
        long begun = parts.clock().nanoTime();
        Duration limit = registration.options().cacheSyncTimeout();
        Duration wait = CACHE_POLL;
        boolean late = false;
        while (!cachesSynced()) {
            Duration waited = Duration.ofNanos(parts.clock().nanoTime() - begun);
            if (!late && waited.compareTo(limit) >= 0) {
                late = true;
                settled.complete(null);
            }
            if (late) {
                reportLateCaches(limit);
            }
            pause.pause(wait);
            wait = wait.compareTo(LONGEST_CACHE_POLL) < 0 ? wait.multipliedBy(2) : LONGEST_CACHE_POLL;
        }
    }

    private boolean cachesSynced() {
        ClientJavaController clientJava = registration.clientJava();
        return subscriptions.stream().allMatch(Subscription::hasSynced)
                && context.informers().stream().allMatch(Informer::hasSynced)
                && (clientJava == null || clientJava.ready());
    }

    private void reportLateCaches(Duration limit) {
        List<String> late = new ArrayList<>();
        for (Informer<?> informer : context.informers()) {
            InformerStatus status = informer.status();
            if (!status.synced()) {
                late.add(status.resource()
                        + (status.lastError() == null ? "" : " (last error: " + status.lastError() + ")"));
            }
        }
        String problem = "caches are not synced after " + limit.toSeconds() + " s"
                + (late.isEmpty() ? "" : ": " + String.join(", ", late));
        synchronized (this) {
            notReady = problem;
            enter(ControllerState.WAITING_FOR_CACHES, problem, "Caches are late; still trying");
        }
    }

    private void fail(Throwable cause) {
        Controller made;
        synchronized (this) {
            made = controller;
            controller = null;
            if (!stopping) {
                String problem = "could not be started: " + cause;
                notReady = problem;
                state = ControllerState.FAILED;
                detail = problem;
                log.atError()
                        .addKeyValue("controller", name())
                        .setCause(cause)
                        .log("Controller failed to start; the others run without it");
            }
        }
        unsubscribe();
        if (made != null) {
            made.close();
        }
        context.informers().forEach(parts.cluster()::release);
        settled.complete(null);
    }

    /** Leadership has come or gone. */
    synchronized void leadership(boolean nowLeading) {
        leading = nowLeading;
        openOrClose();
    }

    /** Called under the monitor. */
    private void openOrClose() {
        if (!ready) {
            return;
        }
        boolean may = leading || !registration.options().needsLeaderElection();
        if (stopping) {
            if (!may && working && foreign == null) {
                // The drain has no more time: another may lead from now on.
                interruptWorkers();
            }
            return;
        }
        if (may && !working) {
            open();
        } else if (!may && working) {
            interruptedByLoss = true;
            interruptWorkers();
            if (state == ControllerState.RUNNING) {
                enter(ControllerState.WAITING_FOR_LEADERSHIP, null, "Workers stopped, leadership was lost");
            }
        }
    }

    private void open() {
        ClientJavaController clientJava = registration.clientJava();
        if (clientJava != null && !clientJava.rehosted()) {
            openForeign(clientJava);
            return;
        }
        Controller current = controller;
        if (current == null) {
            return;
        }
        working = true;
        current.startWorkers();
        enter(ControllerState.RUNNING, null, "Workers started");
        Runnable requeue = requeueAll;
        if (interruptedByLoss && requeue != null) {
            // Another leader may have acted meanwhile, on events that this process saw as well or did not.
            interruptedByLoss = false;
            HostRun.daemon("controller-manager-requeue-" + name(), requeue).start();
        }
    }

    private void openForeign(ClientJavaController clientJava) {
        if (foreign != null) {
            return;
        }
        working = true;
        Thread thread = HostRun.daemon("controller-manager-run-" + name(), () -> {
            try {
                clientJava.run();
            } catch (RuntimeException | Error e) {
                log.atError().addKeyValue("controller", name()).setCause(e).log("Controller ended by an error");
            }
            synchronized (this) {
                if (!stopping) {
                    state = ControllerState.FAILED;
                    detail = "has ended and cannot be run again in this process";
                    notReady = detail;
                }
            }
        });
        foreign = thread;
        thread.start();
        enter(ControllerState.RUNNING, null, "Controller with its own workers started");
    }

    private void interruptWorkers() {
        working = false;
        Controller current = controller;
        Thread ownThread = foreign;
        try {
            if (ownThread != null && registration.clientJava() != null) {
                state = ControllerState.FAILED;
                detail = "was shut down because leadership was lost, and cannot be run again in this process";
                notReady = detail;
                registration.clientJava().shutdown();
            } else if (current != null) {
                current.stopWorkers(Duration.ZERO);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether this is a controller that has run and cannot be run again. */
    synchronized boolean ended() {
        return foreign != null && !working;
    }

    void retryNow() {
        Controller current;
        synchronized (this) {
            current = controller;
        }
        if (current != null) {
            current.retryNow();
        }
    }

    /** Begins nothing any more and waits for what runs, at most for the limit. */
    void stop(Duration limit) {
        Controller current;
        Thread bringingUp;
        Thread ownThread;
        boolean shutDown;
        synchronized (this) {
            stopping = true;
            current = controller;
            bringingUp = starter;
            ownThread = foreign;
            shutDown = working;
        }
        settled.complete(null);
        try {
            if (bringingUp != null) {
                bringingUp.interrupt();
            }
            ClientJavaController clientJava = registration.clientJava();
            if (ownThread != null && clientJava != null) {
                if (shutDown) {
                    clientJava.shutdown();
                }
                ownThread.join(Math.max(1, limit.toMillis()));
                ownThread.interrupt();
            } else if (current != null && !current.stopWorkers(limit)) {
                log.atWarn()
                        .addKeyValue("controller", name())
                        .addKeyValue("shutdownTimeout", limit)
                        .log("Reconciles were interrupted at the shutdown timeout");
            }
            if (bringingUp != null) {
                bringingUp.join(Math.max(1, limit.toMillis()));
            }
        } catch (InterruptedException e) {
            // The host's own limit has passed.
        }
    }

    /** Gives up queue, subscriptions and meters. */
    void close() {
        unsubscribe();
        Controller current;
        synchronized (this) {
            stopping = true;
            current = controller;
            if (enabled()) {
                state = ControllerState.STOPPED;
                detail = null;
            }
        }
        if (current != null) {
            current.close();
        }
    }

    private void unsubscribe() {
        KeyPump running;
        synchronized (this) {
            running = pump;
            pump = null;
        }
        if (running != null) {
            running.close();
        }
        subscriptions.forEach(Subscription::close);
    }

    private void enter(ControllerState next, @Nullable String nextDetail, String message) {
        boolean news = state != next || !Objects.equals(detail, nextDetail);
        state = next;
        detail = nextDetail;
        if (!news) {
            return;
        }
        var event = log.atInfo().addKeyValue("controller", name()).addKeyValue("state", next);
        if (nextDetail != null) {
            event = event.addKeyValue("detail", nextDetail);
        }
        event.log(message);
    }

    /** Why this controller is not ready, null if it is. */
    synchronized @Nullable String notReadyBecause() {
        return enabled() ? notReady : null;
    }

    /** Why only a new process would help, null if there is no such reason. */
    @Nullable
    String restartReason() {
        Controller current;
        synchronized (this) {
            current = stopping ? null : controller;
        }
        return current == null ? null : current.snapshot().restartReason();
    }

    ControllerStatus status() {
        Controller current;
        ControllerState currentState;
        String currentDetail;
        synchronized (this) {
            current = controller;
            currentState = state;
            currentDetail = detail;
        }
        ControllerOptions options = registration.options();
        List<String> watches = registration.descriptor().types().stream()
                .map(ResourceType::toString)
                .toList();
        if (current == null) {
            return new ControllerStatus(
                    name(), currentState, currentDetail, watches, options.workers(), 0, 0, 0, 0, 0, 0, null);
        }
        ControllerSnapshot work = current.snapshot();
        ControllerSnapshot.Failure failure = work.lastFailure();
        return new ControllerStatus(
                name(),
                currentState,
                currentDetail,
                watches,
                work.workers(),
                work.activeWorkers(),
                work.queueDepth(),
                work.delayed(),
                work.failing(),
                work.reconciles(),
                work.errors(),
                failure == null ? null : new ReconcileFailure(failure.key(), failure.message(), failure.at()));
    }

    private static String describe(ApiException e) {
        Throwable cause = e.getCause();
        if (e.getCode() == 0 && cause != null) {
            return cause.toString();
        }
        return e.getCode() == 0 ? String.valueOf(e.getMessage()) : "HTTP " + e.getCode();
    }
}
