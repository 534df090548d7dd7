package io.controllermanager.manager.internal;

import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one controller up: waits until its types are served, has its reconciler made, and waits until its caches are synced.
 * What takes time is done on a thread of its own, which ends when interrupted; what it finds becomes events of the {@link
 * HostLoop}.
 */
final class ControllerStart implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(ControllerStart.class);

    /** How often an adapter is asked whether its controller may begin. */
    private static final Duration READY_POLL = Duration.ofMillis(50);

    private final HostedController controller;
    private final ControllerRegistration registration;
    private final HostParts parts;
    private final HostLoop loop;
    private volatile CountDownLatch waiting = new CountDownLatch(0);

    ControllerStart(HostedController controller, HostParts parts, HostLoop loop) {
        this.controller = controller;
        this.registration = controller.registration();
        this.parts = parts;
        this.loop = loop;
    }

    /** Begins on the loop's thread; returns the thread of its own. */
    Thread begin() {
        Thread thread = HostLoop.background("controller-manager-start-" + registration.name(), this);
        // Whatever takes long, an answer, the reconciler's factory or the caches: others wait no longer than this.
        loop.later(registration.options().cacheSyncTimeout(), controller::compete);
        return thread;
    }

    @Override
    public void run() {
        try {
            for (ResourceType<?> type : registration.descriptor().types()) {
                while (!served(type)) {
                    await(ApiDiscovery.WAITING_INTERVAL);
                }
            }
            loop.post(this::fillsCaches);
            controller.runner().prepare();
            while (!registration.adapter().ready()) {
                await(READY_POLL);
            }
            loop.post(this::made);
        } catch (Throwable e) {
            // Of any class: a factory in another language need not declare what it throws.
            if (e instanceof InterruptedException && controller.stopped()) {
                return;
            }
            try {
                controller.runner().close();
            } finally {
                loop.post(() -> controller.fail("could not be started: " + e, e));
            }
        }
    }

    private void await(Duration duration) throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        waiting = over;
        parts.timer().sleep(duration, over);
    }

    /** Tries at once what it waits for. Any thread may call. */
    void retryNow() {
        waiting.countDown();
    }

    private void fillsCaches() {
        waits(ControllerState.WAITING_FOR_CACHES, ControllerView.NOT_SYNCED, null, "fills its caches");
        loop.later(registration.options().cacheSyncTimeout(), this::reportLateCaches);
    }

    private void made() {
        if (controller.life().phase() == Phase.STARTING) {
            controller.become(controller.life().in(Phase.FILLING), "is made");
            controller.sources().whenSynced(() -> loop.post(this::synced));
            // It may take for ever: nobody waits for it.
            controller
                    .sources()
                    .informers()
                    .forEach(informer -> informer.when(
                            () -> !controller.life().phase().isStarting()
                                    || informer.obstacles().stream().anyMatch(Obstacle::isForbidden),
                            () -> loop.post(controller::compete)));
        }
    }

    private void synced() {
        if (controller.life().phase() == Phase.FILLING) {
            controller.become(controller.life().up(ControllerState.WAITING_FOR_LEADERSHIP, null), "caches are synced");
        }
    }

    private void reportLateCaches() {
        if (controller.life().phase().isStarting()) {
            String late = controller.view().late("caches");
            String now = controller.view().withCause(late);
            waits(ControllerState.WAITING_FOR_CACHES, late, late, now + "; still trying");
        }
    }

    private void waits(ControllerState waiting, @Nullable String because, @Nullable String detail, String what) {
        if (controller.life().phase().isStarting()) {
            controller.become(controller.life().starting(waiting, because, detail), what);
        }
    }

    private boolean served(ResourceType<?> type) {
        try {
            if (parts.cluster().serves(type)) {
                return true;
            }
            String problem = "the API server does not serve " + type;
            String because = registration.options().readyWithoutType() ? null : problem;
            waitsForType(because, problem, "; is its CRD installed?", true);
        } catch (ApiException e) {
            cannotAsk(type, FailureMessage.ofRequest(e), concernsOnlyItsGroup(type, e.getCode()));
        } catch (RuntimeException e) {
            // Credentials that cannot be read, an interceptor of the application's: not for ever, as far as we know.
            log.atDebug().setCause(e).log("Cannot ask for a type");
            cannotAsk(type, e.toString(), false);
        }
        return false;
    }

    private void cannotAsk(ResourceType<?> type, String why, boolean onlyItsGroup) {
        String problem = "the API server cannot be asked for " + type + ": " + why;
        waitsForType(problem, problem, "", onlyItsGroup);
    }

    /** It waits for a type; competes if others need not wait for the same. */
    private void waitsForType(@Nullable String because, String problem, String hint, boolean competes) {
        loop.post(() -> {
            waits(ControllerState.WAITING_FOR_TYPE, because, problem, "waits: " + problem + hint);
            if (competes) {
                controller.compete();
            }
        });
    }

    /**
     * Whether the API server answers, and only this type's group is out of reach: forbidden, or served by an aggregated
     * server that is away. That one's absence is a 503 as the API server's own is, which serves the core group itself.
     *
     * @param code the HTTP status code, 0 if there was no answer
     */
    private static boolean concernsOnlyItsGroup(ResourceType<?> type, int code) {
        if (code >= 500) {
            return !type.group().isEmpty();
        }
        return code != 0 && code != 401 && code != 408 && code != 429;
    }
}
