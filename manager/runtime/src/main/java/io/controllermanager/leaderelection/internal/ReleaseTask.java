package io.controllermanager.leaderelection.internal;

import io.kubernetes.client.openapi.models.V1Lease;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Releases the Lease if this process holds it. Failures are tried again at once, since the process may be about to end.
 *
 * @param stop whether the election ends afterwards; otherwise this process competes again
 * @param workEnded whether the work has ended that the Lease guards
 * @param notes the hand-over notes
 * @param failure what went wrong last, null if nothing did
 */
record ReleaseTask(
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
        step.observe(lease, request);
        releaseOrEnd(step, request);
    }

    @Override
    public void stored(ElectionStep step, ElectionEvent.Stored stored) {
        end(step);
    }

    @Override
    public void refused(ElectionStep step, Request request) {
        step.send(this, null, request.number() + 1);
    }

    @Override
    public void failed(ElectionStep step, ElectionEvent.Failed failed) {
        Request request = failed.request();
        ReleaseTask next = new ReleaseTask(stop, workEnded, notes, failed.message());
        if (request.lease() != null) {
            // It may have been released without an answer.
            step.send(next, null, request.number() + 1);
        } else {
            next.releaseOrEnd(step, request);
        }
    }

    private void releaseOrEnd(ElectionStep step, Request request) {
        if (!release(step, request.number() + 1)) {
            end(step);
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
