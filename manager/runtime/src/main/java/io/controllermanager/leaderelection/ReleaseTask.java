package io.controllermanager.leaderelection;

import io.kubernetes.client.openapi.models.V1Lease;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Releases the Lease if this process holds it. Failures are tried again at once, since the process may be about to end.
 *
 * @param stop whether the election ends afterwards; otherwise this process competes again
 * @param workEnded whether the work has ended that the Lease guards
 * @param notes what is left for the next leader
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
        V1Lease lease = step.known().present();
        if (lease == null || !step.isOurs() || number > LAST) {
            return false;
        }
        step.send(this, Leases.released(lease, notes, step.now.wall()), number);
        return true;
    }

    @Override
    public void stored(ElectionStep step, ElectionRequest request, V1Lease lease, long sentAt) {
        step.observe(lease, request);
        end(step);
    }

    @Override
    public void refused(ElectionStep step, ElectionRequest request) {
        step.send(this, null, request.number() + 1);
    }

    @Override
    public void failed(ElectionStep step, ElectionRequest request, String message, @Nullable Throwable unexpected) {
        ReleaseTask failed = new ReleaseTask(stop, workEnded, notes, message);
        if (request.lease() != null) {
            // It may have been released without an answer.
            step.send(failed, null, request.number() + 1);
        } else if (!failed.release(step, request.number() + 1)) {
            failed.end(step);
        }
    }

    @Override
    public void found(ElectionStep step, ElectionRequest request, V1Lease lease) {
        step.observe(lease, request);
        if (!release(step, request.number() + 1)) {
            end(step);
        }
    }

    @Override
    public void missing(ElectionStep step, ElectionRequest request) {
        step.observeMissing();
        end(step);
    }

    private void end(ElectionStep step) {
        if (step.known().present() != null && step.isOurs()) {
            String why = failure == null ? "it is still held" : failure;
            step.log(Level.WARN, "could not be released; others take it once it has expired: " + why);
        } else if (!step.isOthers()) {
            step.log(Level.INFO, "released");
        }
        step.endRelease(stop);
    }
}
