package io.controllermanager.manager;

import io.controllermanager.client.FailureMessage;
import io.controllermanager.leaderelection.LeaderElector;
import io.controllermanager.leaderelection.LeadershipListener;
import java.time.Duration;
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
    private final boolean single;

    /** Held by whoever stops the elector; taken before this object's monitor. */
    private final Object giving = new Object();

    /** Whether leadership goes because this process wants it to. */
    private volatile boolean leaving;

    // Guarded by this object's monitor.
    private final Map<String, HostedController> controllers = new LinkedHashMap<>();
    private boolean competing;
    private boolean leading;
    private boolean stopping;

    /** How many are at giving the Lease up. */
    private int withdrawals;

    private boolean handingOver;

    /** Tells a hand-over from the ones before, whose threads may be late. */
    private long handOvers;

    /**
     * Without controllers.
     *
     * @param elector competes for the Lease; null for those who always may work
     * @param single whether this is for one controller, without which the Lease is no use
     */
    Electorate(@Nullable LeaderElector elector, ControllerManager.Parts parts, boolean single) {
        this.elector = elector;
        this.parts = parts;
        this.single = single;
    }

    /** Adds a controller, or puts it in the place of the one that had its name. */
    synchronized void add(HostedController controller) {
        controllers.put(controller.name(), controller);
        standAside(false);
        controller.leadership(leading, Map.of());
    }

    /** Called under the monitor. */
    private void standAside(boolean now) {
        if (single && elector != null) {
            elector.standAside(now);
        }
    }

    /** Pauses a controller. One that has the Lease to itself leaves it to others as long as this process does not hold it. */
    synchronized void pause(HostedController controller) {
        controller.pause();
        standAside(true);
    }

    synchronized void resume(HostedController controller) {
        controller.resume();
        standAside(false);
    }

    synchronized List<HostedController> controllers() {
        return List.copyOf(controllers.values());
    }

    /**
     * Competes for the Lease from now on; does nothing if it does already, or is being stopped. While the Lease is being
     * given up that is put off until then. Somebody's who could not work is not competed for.
     */
    synchronized void compete() {
        if (stopping
                || competing
                || withdrawals > 0
                || (single && controllers.values().stream().noneMatch(HostedController::couldWork))) {
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
        synchronized (this) {
            withdrawals++;
        }
        endWithdrawal(false);
    }

    /** Not under the monitor: the elector waits until the listener knows of the loss. */
    private void endWithdrawal(boolean last) {
        try {
            synchronized (giving) {
                // Who comes after the last could end what the host has begun anew.
                if (elector != null && (last || !stopping())) {
                    leaving = true;
                    elector.stop();
                }
            }
        } finally {
            synchronized (this) {
                withdrawals--;
                if (withdrawals == 0) {
                    competing = false;
                    if (single) {
                        // Another may have taken the controller's place meanwhile.
                        compete();
                    }
                }
            }
        }
    }

    /** Ends what is left of the work of a controller that has failed, and leaves it to other processes. */
    void leave(HostedController failed) {
        synchronized (this) {
            if (!single || stopping || !competing || controllers.get(failed.name()) != failed) {
                return;
            }
            withdrawals++;
        }
        try {
            failed.drain(parts.shutdownTimeout());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            endWithdrawal(false);
        }
    }

    /** Ends the controllers' work and then gives up the Lease, for good. */
    void stop() {
        synchronized (this) {
            stopping = true;
            withdrawals++;
        }
        try {
            drain();
        } finally {
            endWithdrawal(true);
        }
    }

    @Override
    public void onAcquired() {
        leaving = false;
        leads(true, elector == null ? Map.of() : elector.notesOfLastLeader());
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
        // Before it is told: one that cannot work again gives the Lease up as soon as it knows.
        boolean meant = leaving;
        leaving = false;
        leads(false, Map.of());
        record("stopped leading");
        if (meant || stopping()) {
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

    @Override
    public boolean hasEnded() {
        return controllers().stream().allMatch(HostedController::hasEnded);
    }

    /** How far this process has written, for the next leader to read before it acts. */
    @Override
    public Map<String, String> handOverNotes() {
        return parts.cluster().writtenVersions();
    }

    @Override
    public boolean onAsked() {
        synchronized (this) {
            if (!leading
                    || stopping
                    || withdrawals > 0
                    || handingOver
                    || !controllers.values().stream().allMatch(HostedController::mayMove)) {
                return false;
            }
            handingOver = true;
            long current = ++handOvers;
            boolean begun = false;
            try {
                controllers.values().forEach(HostedController::beginHandOver);
                String name = elector == null ? "" : elector.config().leaseName();
                HostRun.daemon("controller-manager-hand-over-" + name, () -> handOver(current))
                        .start();
                begun = true;
            } finally {
                if (!begun) {
                    goOn(current);
                }
            }
        }
        return true;
    }

    private void handOver(long current) {
        boolean resigned = false;
        try {
            try {
                for (HostedController controller : controllers()) {
                    controller.handOver(parts.shutdownTimeout());
                }
            } catch (InterruptedException e) {
                // Nobody interrupts this thread; whoever does is in a hurry.
                Thread.currentThread().interrupt();
            }
            // Otherwise the Lease would be kept, and taken again by its holder.
            resigned = hasEnded() && resign(current);
        } catch (RuntimeException | Error e) {
            log.atError()
                    .setCause(e)
                    .log("Controllers {}: the hand-over to another replica failed: {}", names(), FailureMessage.of(e));
        } finally {
            if (!resigned) {
                goOn(current);
            }
        }
    }

    /** Whether the Lease goes to another; not if it was lost meanwhile, or is given up for everybody. */
    private synchronized boolean resign(long current) {
        if (!handingOver || handOvers != current || stopping || withdrawals > 0 || elector == null) {
            return false;
        }
        leaving = true;
        boolean resigned = elector.resign();
        if (!resigned) {
            // Lost already, which is still to be told.
            leaving = false;
        }
        return resigned;
    }

    /** Nothing came of a hand-over; a later one's thread, if there is one, sees to the rest. */
    private synchronized void goOn(long current) {
        if (elector == null || (handingOver && handOvers != current)) {
            return;
        }
        elector.keep();
        // Otherwise the loss is still to be told, which has them stand by.
        if (!stopping && withdrawals == 0 && elector.isLeading()) {
            handingOver = false;
            controllers.values().forEach(HostedController::goOn);
        }
    }

    private List<String> names() {
        return controllers().stream().map(HostedController::name).toList();
    }

    private void drain() {
        List<HostedController> enabled =
                controllers().stream().filter(HostedController::enabled).toList();
        CountDownLatch ended = new CountDownLatch(enabled.size());
        Map<String, Thread> threads = new LinkedHashMap<>();
        for (HostedController controller : enabled) {
            Thread thread = HostRun.daemon("controller-manager-stop-" + controller.name(), () -> {
                try {
                    controller.stop(parts.shutdownTimeout());
                } finally {
                    ended.countDown();
                }
            });
            threads.put(controller.name(), thread);
            thread.start();
        }
        try {
            long limit = parts.shutdownTimeout().plus(GRACE).toNanos();
            if (!ended.await(limit, TimeUnit.NANOSECONDS)) {
                log.atWarn()
                        .addKeyValue("shutdownTimeout", parts.shutdownTimeout())
                        .log(
                                "Controllers {}: reconciles that do not end are left behind; their writes are refused from now on",
                                threads.entrySet().stream()
                                        .filter(one -> one.getValue().isAlive())
                                        .map(Map.Entry::getKey)
                                        .toList());
            }
        } catch (InterruptedException e) {
            // In a hurry: whoever still runs is told so, and the rest of the stop goes on.
            Thread.currentThread().interrupt();
        }
        threads.values().forEach(Thread::interrupt);
    }
}
