package io.controllermanager.manager;

import io.controllermanager.leaderelection.LeaderElector;
import io.controllermanager.leaderelection.LeadershipListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controllers that work by one Lease: all of the host's, or one. Its methods may be called by any thread; its monitor is
 * taken before those of the controllers.
 */
final class Electorate implements LeadershipListener {

    private static final Logger log = LoggerFactory.getLogger(Electorate.class);

    /** How much longer than the shutdown timeout a stop waits for those who were interrupted at its end. */
    static final Duration GRACE = Duration.ofSeconds(2);

    private final @Nullable LeaderElector elector;
    private final ControllerManager.Parts parts;

    /** Whether leadership goes because this process wants it to. */
    private volatile boolean leaving;

    // Guarded by this object's monitor.
    private final Map<String, HostedController> controllers = new LinkedHashMap<>();
    private boolean competing;
    private boolean leading;
    private boolean handingOver;
    private boolean stopping;

    /**
     * Without controllers.
     *
     * @param elector competes for the Lease; null for those who always may work
     */
    Electorate(@Nullable LeaderElector elector, ControllerManager.Parts parts) {
        this.elector = elector;
        this.parts = parts;
    }

    /** Adds a controller, or puts it in the place of the one that had its name. */
    synchronized void add(HostedController controller) {
        controllers.put(controller.name(), controller);
        controller.leadership(leading, Map.of());
    }

    synchronized List<HostedController> controllers() {
        return List.copyOf(controllers.values());
    }

    /** Competes for the Lease from now on; does nothing if it does already, or is being stopped. */
    synchronized void compete() {
        if (stopping || competing) {
            return;
        }
        competing = true;
        leaving = false;
        if (elector == null) {
            onAcquired();
        } else {
            elector.start(this);
        }
    }

    /** Gives up the Lease and no longer competes for it, until told to; what it guards must have ended. */
    void withdraw() {
        leaving = true;
        if (elector != null) {
            elector.stop();
        }
        synchronized (this) {
            competing = false;
        }
    }

    /** Ends the controllers' work and then gives up the Lease, for good. */
    void stop() {
        synchronized (this) {
            stopping = true;
        }
        drain();
        withdraw();
    }

    @Override
    public void onAcquired() {
        leaving = false;
        leads(true, elector == null ? Map.of() : elector.inherited());
        record("became leader");
    }

    /** One at a time, so that a controller which is started meanwhile learns of it as well; none keeps it from the rest. */
    private synchronized void leads(boolean now, Map<String, String> lastWritten) {
        leading = now;
        handingOver = false;
        controllers.values().forEach(controller -> controller.leadership(now, lastWritten));
    }

    /** As client-go's elector tells of its changes. */
    private void record(String what) {
        if (elector != null && elector.config().enabled()) {
            parts.recorders()
                    .apply(elector.config().leaseName())
                    .normal(
                            elector.reference(),
                            "LeaderElection",
                            elector.config().identity() + " " + what);
        }
    }

    @Override
    public void onLost() {
        leads(false, Map.of());
        record("stopped leading");
        if (leaving || stopping()) {
            leaving = false;
            return;
        }
        boolean unrestartable = controllers().stream().anyMatch(HostedController::spent);
        Runnable reaction =
                unrestartable && parts.onUnrestartable() != null ? parts.onUnrestartable() : parts.onLeadershipLost();
        if (reaction != null) {
            // Not on this thread: whoever ends the process here waits for the elector, which waits for this call.
            HostRun.daemon("controller-manager-leadership-lost", reaction).start();
        }
    }

    private synchronized boolean stopping() {
        return stopping;
    }

    /** How far this process has written, for the next leader to read before it acts. */
    @Override
    public Map<String, String> legacy() {
        return parts.cluster().writtenVersions();
    }

    @Override
    public boolean onAsked() {
        synchronized (this) {
            if (!leading
                    || stopping
                    || handingOver
                    || !controllers.values().stream().allMatch(HostedController::mayMove)) {
                return false;
            }
            handingOver = true;
        }
        String name = elector == null ? "" : elector.config().leaseName();
        HostRun.daemon("controller-manager-hand-over-" + name, this::handOver).start();
        return true;
    }

    private void handOver() {
        try {
            for (HostedController controller : controllers()) {
                controller.handOver(parts.shutdownTimeout());
            }
        } catch (InterruptedException e) {
            // Nobody interrupts this thread; whoever does is in a hurry.
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            if (!handingOver || stopping) {
                // It was lost meanwhile, or is given up for everybody.
                return;
            }
        }
        leaving = true;
        if (elector != null) {
            elector.resign();
        }
    }

    private void drain() {
        List<HostedController> enabled =
                controllers().stream().filter(HostedController::enabled).toList();
        CountDownLatch ended = new CountDownLatch(enabled.size());
        List<Thread> threads = new ArrayList<>();
        for (HostedController controller : enabled) {
            Thread thread = HostRun.daemon("controller-manager-stop-" + controller.name(), () -> {
                try {
                    controller.stop(parts.shutdownTimeout());
                } finally {
                    ended.countDown();
                }
            });
            threads.add(thread);
            thread.start();
        }
        try {
            long limit = parts.shutdownTimeout().plus(GRACE).toNanos();
            if (!ended.await(limit, TimeUnit.NANOSECONDS)) {
                log.atWarn()
                        .addKeyValue("shutdownTimeout", parts.shutdownTimeout())
                        .log("Reconciles that do not end are left behind; their writes are refused from now on");
            }
        } catch (InterruptedException e) {
            // In a hurry: whoever still runs is told so, and the rest of the stop goes on.
            Thread.currentThread().interrupt();
        }
        threads.forEach(Thread::interrupt);
    }
}
