package io.controllermanager.leaderelection.internal;

import io.controllermanager.leaderelection.internal.ElectionState.Phase;
import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * A sequence of requests for the Lease. Each answer decides on the next request; a task that sends none has ended. The request
 * thread does one task at a time.
 */
sealed interface ElectionTask {

    /** The Lease to write, null for a read; what was known when it was decided; its place in the task, from 0. */
    record Request(ElectionTask task, @Nullable V1Lease lease, KnownLease known, int number) {}

    /** The request thread is at this task. */
    void turn(ElectionStep step);

    /** How the Lease is; null if there is none. The step knows of it. */
    void read(ElectionStep step, Request request, @Nullable V1Lease lease);

    /** The Lease was stored as given, by a request that was sent just after the given monotonic time. The step knows of it. */
    void stored(ElectionStep step, V1Lease lease, long sentAt);

    /** A write was refused: the Lease has changed, is gone, or was made meanwhile. */
    default void refused(ElectionStep step, Request request) {}

    /** A request failed, or its answer was lost; with the cause if nobody expected it. */
    default void failed(ElectionStep step, Request request, String message, @Nullable Throwable unexpected) {}

    /**
     * An attempt to acquire or renew the Lease. The order of its steps is that of {@code tryAcquireOrRenew} in client-go's
     * {@code leaderelection.go}: a leader renews without a read, everybody else reads first. A Lease that the watch has told
     * to be free is taken without a read too: the API server refuses the second of two writers.
     */
    record Attempt() implements ElectionTask {

        @Override
        public void turn(ElectionStep step) {
            step.considerWish();
            if (!step.beginAttempt()) {
                return;
            }
            boolean present = step.known.present() != null;
            boolean renews = present && step.leads() && step.isOurs();
            boolean takes = present && !step.leads() && step.known.isFree() && step.mayTake();
            step.send(this, renews || takes ? ours(step) : null, 0);
        }

        @Override
        public void read(ElectionStep step, Request request, @Nullable V1Lease found) {
            KnownLease known = step.known;
            boolean ended = false;
            if (found != null) {
                step.loseUnlessOurs();
                ended = !known.doubtful() && PodIdentity.isEarlierProcess(known.holder(), step.config.identity());
            }
            boolean held = !step.leads() && known.isHeld(step.config, step.now.nanos()) && !ended;
            boolean outdated = found != null && known.missing();
            if (step.phase != Phase.COMPETING || outdated || held || !step.mayTake()) {
                step.endAttempt();
            } else {
                step.send(this, ours(step), request.number() + 1);
            }
        }

        /** The Lease as this process has it from now on. */
        private static V1Lease ours(ElectionStep step) {
            V1Lease last = step.known.lease();
            Instant now = step.now.wall();
            boolean leads = step.leads() && step.isOurs();
            if (last == null || step.known.missing()) {
                return last != null && leads
                        ? Leases.remade(last, step.config, now)
                        : Leases.made(last, step.config, now);
            }
            if (leads) {
                V1Lease renewed = Leases.renewed(last, step.config, now);
                return step.refused ? Leases.preferring(renewed, null) : renewed;
            }
            // An identity that was given by hand may be that of an earlier process.
            return step.isOurs() ? Leases.resumed(last, step.config, now) : Leases.taken(last, step.config, now);
        }

        @Override
        public void stored(ElectionStep step, V1Lease lease, long sentAt) {
            if (step.isOurs()) {
                step.held(sentAt);
            }
            // Otherwise somebody has edited it since, and the watch was quicker to tell than the answer came.
            step.endAttempt();
        }

        @Override
        public void refused(ElectionStep step, Request request) {
            if (request.number() == 0 && step.phase == Phase.COMPETING) {
                // Changed or gone: it is read, and then decided anew.
                step.send(this, null, 1);
            } else {
                step.endBeatenAttempt();
            }
        }

        @Override
        public void failed(ElectionStep step, Request request, String message, @Nullable Throwable unexpected) {
            step.endFailedAttempt(message, unexpected);
        }
    }

    /**
     * Releases the Lease if this process holds it. Failures are tried again at once, since the process may be about to end.
     *
     * @param stop whether the election ends afterwards; otherwise this process competes again
     * @param workEnded whether the work has ended that the Lease guards
     * @param notes the hand-over notes
     * @param failure what went wrong last, null if nothing did
     */
    record Release(
            boolean stop,
            boolean workEnded,
            Map<String, String> notes,
            @Nullable String failure) implements ElectionTask {

        /** The number of the last request: three updates, and a read after each. */
        private static final int LAST = 5;

        @Override
        public void turn(ElectionStep step) {
            boolean wanted = !stop || step.config.releaseOnStop();
            if (wanted && step.isOurs() && !workEnded) {
                step.log(Level.WARN, "not released, since not all work has ended; others take it once it has expired");
            } else if (wanted && release(step, 0)) {
                return;
            }
            step.endRelease(stop);
        }

        private boolean release(ElectionStep step, int number) {
            V1Lease lease = step.known.present();
            if (lease == null || !step.isOurs() || number > LAST) {
                return false;
            }
            step.send(this, Leases.released(lease, notes, step.now.wall()), number);
            return true;
        }

        @Override
        public void read(ElectionStep step, Request request, @Nullable V1Lease lease) {
            releaseOrEnd(step, request);
        }

        private void releaseOrEnd(ElectionStep step, Request request) {
            if (!release(step, request.number() + 1)) {
                end(step);
            }
        }

        @Override
        public void stored(ElectionStep step, V1Lease lease, long sentAt) {
            end(step);
        }

        @Override
        public void refused(ElectionStep step, Request request) {
            step.send(this, null, request.number() + 1);
        }

        @Override
        public void failed(ElectionStep step, Request request, String message, @Nullable Throwable unexpected) {
            Release next = new Release(stop, workEnded, notes, message);
            if (request.lease() == null) {
                next.releaseOrEnd(step, request);
            } else {
                // It may have been released without an answer.
                next.refused(step, request);
            }
        }

        private void end(ElectionStep step) {
            if (step.known.present() != null && step.isOurs()) {
                String why = failure == null ? "it is still held" : failure;
                step.log(Level.WARN, "could not be released; others take it once it has expired: " + why);
            } else if (!step.known.isOthers(step.config.identity())) {
                step.log(Level.INFO, "released");
            }
            step.endRelease(stop);
        }
    }

    /**
     * Asks the process that holds the Lease for it, or takes that wish back. Nothing comes of an error: a process that still
     * wishes asks again, and the holder removes a wish in time.
     *
     * @param ask whether to ask; otherwise the wish is taken back
     */
    record Ask(boolean ask) implements ElectionTask {

        boolean isWanted(ElectionStep step) {
            if (step.leads()) {
                return false;
            }
            return ask
                    ? step.phase != Phase.STOPPING && !step.now.aside()
                    : step.known.present() != null
                            && !step.isOurs()
                            && step.config.identity().equals(step.known.asker());
        }

        @Override
        public void turn(ElectionStep step) {
            if (isWanted(step)) {
                step.send(this, null, 0);
            }
        }

        @Override
        public void read(ElectionStep step, Request request, @Nullable V1Lease lease) {
            String me = step.config.identity();
            // A write would hide from others that the Lease has gone back to an older state.
            boolean hides = step.known.doubtful();
            if (lease == null || hides || Leases.holder(lease).equals(me) || !isWanted(step)) {
                return;
            }
            String asker = Leases.preferredHolder(lease);
            if (ask ? asker == null && !Leases.holder(lease).isEmpty() : me.equals(asker)) {
                step.send(this, Leases.preferring(lease, ask ? me : null), 1);
            }
        }

        @Override
        public void stored(ElectionStep step, V1Lease lease, long sentAt) {
            if (ask) {
                step.log(Level.INFO, "asked " + Leases.holder(lease) + " for it, which has more to do");
            }
        }
    }
}
