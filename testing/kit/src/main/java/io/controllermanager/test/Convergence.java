package io.controllermanager.test;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.writes.RecordedWrite;
import io.controllermanager.apiserver.writes.WriteRecording;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.controller.internal.ControllerSnapshot;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.informer.internal.delivery.HandlerStatus;
import io.controllermanager.informer.internal.reflector.ReflectorStatus;
import io.controllermanager.manager.internal.ControllerManager;
import io.controllermanager.manager.internal.ControllerState;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.workqueue.internal.QueueSnapshot;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says when controllers have converged: every cache has seen the server's newest write, every event has been delivered, no
 * key is queued, being reconciled, failing, or due within five seconds. It looks at states and counts writes; it does not
 * sleep. Not counted are writes of Events and Leases, those of the server itself, and requests that change nothing.
 */
public final class Convergence {

    /** A key that is due later has been put off, and is not waited for. */
    static final Duration SOON = Duration.ofSeconds(5);

    /** How often a key may fail or ask to be tried again, in a row. */
    private static final int RETRIES = 10;

    /** How often time may be moved without a write in between. */
    private static final int MOVES = 1_000;

    /** How far time goes at each look while a host starts. */
    private static final Duration START_STEP = Duration.ofMillis(50);

    /** Longer than the second that timestamps of Kubernetes are exact to. */
    private static final Duration BEFORE_RESYNC = Duration.ofMillis(1500);

    private final ControllerManager manager;
    private final ApiServer server;
    private final @Nullable VirtualTime time;
    private final Runnable checkpoint;

    /** When what an informer misses was refused first. */
    private final Map<String, Instant> refused = new HashMap<>();

    /**
     * Of one host.
     *
     * @param time what its queues run in, null for the machine's time
     * @param checkpoint called at each look; what it throws ends the wait
     */
    Convergence(ControllerManager manager, ApiServer server, @Nullable VirtualTime time, Runnable checkpoint) {
        this.manager = manager;
        this.server = server;
        this.time = time;
        this.checkpoint = checkpoint;
    }

    /**
     * Waits until the controllers have converged, has every object looked at once more, and demands that this causes no
     * write. For an application under {@code @SpringBootTest}, whose bean {@code ControllerManagerHost} has the manager;
     * nobody else is to write meanwhile.
     *
     * @throws AssertionError if they write on, with the writes, who made them and what they changed; if a controller has
     *     failed, or a key fails ten times in a row, with the error; at once if a controller is paused, or waits for a type
     *     that the server does not serve; at the second refusal if it waits for a right; if nothing changes for 35 seconds
     *     while no reconciler works; or if they are busy for three minutes, with what they do
     */
    public static void settles(ControllerManager manager, ApiServer server) {
        new Convergence(manager, server, null, () -> {}).settle();
    }

    /**
     * A reason to wait.
     *
     * @param due how far time has to go for it to pass; null where other threads see to it
     * @param starting whether the host is on its way, which pauses by its own time
     * @param worked whether a reconciler works
     */
    private record Busy(String reason, @Nullable Duration due, boolean starting, boolean worked) {

        static Busy of(String reason) {
            return new Busy(reason, null, false, false);
        }
    }

    void settle() {
        try (WriteRecording recording = server.recordWrites()) {
            converge(recording);
            int before = Writes.counted(recording).size();
            if (time != null) {
                time.advance(BEFORE_RESYNC);
            }
            manager.resync();
            converge(recording);
            List<RecordedWrite> writes = Writes.counted(recording);
            if (writes.size() > before) {
                throw new AssertionError("The controllers do not settle: they had converged, and a resync made "
                        + Writes.describe(writes.subList(before, writes.size()))
                        + Explanations.of(manager, writes.subList(before, writes.size())));
            }
        }
    }

    /** Waits until the controllers have converged. */
    void converge() {
        try (WriteRecording recording = server.recordWrites()) {
            converge(recording);
        }
    }

    private void converge(WriteRecording recording) {
        refused.clear();
        int[] moves = {0};
        int[] written = {0};
        Patience.until(() -> {
            List<RecordedWrite> writes = Writes.counted(recording);
            if (writes.size() > written[0]) {
                written[0] = writes.size();
                moves[0] = 0;
            }
            List<RecordedWrite> loop = Writes.loop(writes);
            if (!loop.isEmpty()) {
                throw new AssertionError(
                        "The controllers do not settle: they write the same object again and again, at last by "
                                + Writes.describe(loop)
                                + Explanations.of(manager, loop));
            }
            Busy busy = busy();
            while (busy != null && busy.due() != null && time != null) {
                if (++moves[0] > MOVES) {
                    throw new AssertionError("The controllers do not settle: " + busy.reason());
                }
                time.advance(busy.due());
                busy = busy();
            }
            if (busy != null && busy.starting() && time != null) {
                time.advance(START_STEP);
            }
            return busy == null ? null : new Patience.Reason(busy.reason(), busy.worked());
        });
    }

    /** Looks from the server towards the queues, the way that data goes, so that nothing slips through. */
    private @Nullable Busy busy() {
        // At each look, and so before each move of time: a process that is lost does not try on.
        checkpoint.run();
        Duration world = server.runWorld();
        long version = server.version();
        Busy caches = caches(version);
        if (caches != null) {
            server.sendBookmarks();
            return caches;
        }
        Busy queues = queues(
                world == null || world.compareTo(SOON) > 0
                        ? null
                        : new Busy("the world moves in " + world.toMillis() + " ms", world, false, false));
        if (queues != null) {
            return queues;
        }
        return server.version() == version ? null : Busy.of("something was just written");
    }

    private @Nullable Busy caches(long version) {
        for (InformerStatus informer : manager.informers()) {
            if (!informer.started()) {
                continue;
            }
            boolean behind = informer.reflectors().stream()
                    .anyMatch(reflector -> ResourceVersions.number(reflector.resourceVersion()) < version);
            if (!informer.synced() || behind || informer.ownWrites() > 0) {
                refuse(informer);
                return Busy.of("the cache of " + informer.resource() + " has not come as far as version " + version
                        + (informer.lastError() == null ? "" : " (last error: " + informer.lastError() + ")"));
            }
            for (HandlerStatus handler : informer.handlers()) {
                if (!handler.synced() || handler.backlog() > 0 || !handler.lag().isZero()) {
                    return Busy.of("events of " + informer.resource() + " wait for " + handler.name());
                }
            }
        }
        return null;
    }

    /** Does not wait for a right. One 403 may be a fault; a second one while it is waited for says that nobody grants it. */
    private void refuse(InformerStatus informer) {
        for (ReflectorStatus reflector : informer.reflectors()) {
            String missing = reflector.missingPermission();
            Instant at = reflector.lastErrorAt();
            Instant before = missing == null || at == null
                    ? null
                    : refused.putIfAbsent(informer.resource() + ": " + missing, at);
            if (before != null && !before.equals(at)) {
                throw new AssertionError("The cache of " + informer.resource() + " is not filled, and nobody grants the"
                        + " permission to " + missing + ": " + reflector.lastError());
            }
        }
    }

    private @Nullable Busy queues(@Nullable Busy world) {
        Busy next = world;
        for (ControllerStatus controller : manager.controllers()) {
            Busy busy = controller.state() == ControllerState.DISABLED ? null : queue(controller);
            if (busy == null) {
                continue;
            }
            Duration due = busy.due();
            if (due == null) {
                return busy; // Time stands still while anybody works.
            }
            if (next == null || due.compareTo(Objects.requireNonNull(next.due())) < 0) {
                next = busy;
            }
        }
        return next;
    }

    private @Nullable Busy queue(ControllerStatus controller) {
        String name = "controller " + controller.name();
        if (controller.state() != ControllerState.RUNNING || controller.detail() != null) {
            String state = name + " is " + controller.state()
                    + (controller.detail() == null ? "" : " (" + controller.detail() + ")");
            refuse(controller, state);
            return new Busy(state, null, true, false);
        }
        QueueSnapshot<Request> queue = snapshot(controller.name());
        if (queue == null) {
            return null;
        }
        int ready = queue.depthByPriority().values().stream()
                .mapToInt(Integer::intValue)
                .sum();
        if (ready + queue.processingKeys() > 0) {
            return new Busy(
                    name + " is reconciling " + queue.processingKeys() + " keys, and " + ready + " are queued",
                    null,
                    false,
                    true);
        }
        return delayed(controller, queue);
    }

    /** Does not wait for what nothing but a person or another program can bring. */
    private void refuse(ControllerStatus controller, String state) {
        switch (controller.state()) {
            case FAILED -> throw new AssertionError(state);
            case PAUSED -> throw new AssertionError(state + ", until somebody resumes it");
            case WAITING_FOR_TYPE -> {
                List<String> missing = controller.watches().stream()
                        .filter(type -> !server.serves(type))
                        .toList();
                if (!missing.isEmpty()) {
                    throw new AssertionError(state + ", and nobody brings " + String.join(", ", missing)
                            + ": apply the CRD before, such as by the manifests of the embedded API server");
                }
            }
            default -> {}
        }
    }

    /** What the queue holds at one moment; null for a controller that brings its own. */
    private @Nullable QueueSnapshot<Request> snapshot(String controller) {
        try {
            return manager.queue(controller);
        } catch (IllegalStateException e) {
            return null;
        }
    }

    private static @Nullable Busy delayed(ControllerStatus controller, QueueSnapshot<Request> queue) {
        for (Map.Entry<Request, Integer> retried : queue.retries().entrySet()) {
            if (retried.getValue() >= RETRIES) {
                throw new AssertionError("Controller " + controller.name() + " does not get " + key(retried.getKey())
                        + " done: tried " + retried.getValue() + " times in a row" + error(controller));
            }
        }
        for (Map.Entry<Request, Duration> delayed : queue.delayed().entrySet()) {
            boolean retried = queue.retries().containsKey(delayed.getKey());
            if (retried || delayed.getValue().compareTo(SOON) <= 0) {
                return new Busy(
                        "controller " + controller.name() + " is to reconcile " + key(delayed.getKey()) + " in "
                                + delayed.getValue().toMillis() + " ms" + (retried ? ", again" : ""),
                        delayed.getValue(),
                        false,
                        true);
            }
        }
        return null;
    }

    private static String error(ControllerStatus controller) {
        ControllerSnapshot.Failure failure = controller.lastError();
        return failure == null ? "" : "; the last error is " + failure.message();
    }

    private static String key(Request key) {
        return key.getNamespace() == null ? key.getName() : key.getNamespace() + "/" + key.getName();
    }
}
