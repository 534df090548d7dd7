package io.controllermanager.leaderelection.internal;

import io.controllermanager.leaderelection.internal.ElectionState.Phase;
import io.controllermanager.leaderelection.internal.ElectionState.Wish.Stage;
import io.kubernetes.client.openapi.models.V1Lease;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to acquire or renew the Lease. The order of its steps is that of {@code tryAcquireOrRenew} in client-go's
 * {@code leaderelection.go}: a leader renews without a read, everybody else reads first. A Lease that the watch has told to
 * be free is taken without a read too: the API server refuses the second of two writers.
 */
record AttemptTask() implements ElectionTask {

    @Override
    public void turn(ElectionStep step) {
        if (!step.beginAttempt()) {
            return;
        }
        V1Lease lease = step.known.present();
        if (lease != null && step.leads() && step.isOurs()) {
            step.considerWish();
            step.send(this, renewed(step, lease), 0);
        } else if (lease != null && !step.leads() && step.known.isFree() && step.mayTake()) {
            step.send(this, Leases.taken(lease, step.config, step.now.wall()), 0);
        } else {
            step.send(this, null, 0);
        }
    }

    @Override
    public void read(ElectionStep step, Request request, @Nullable V1Lease found) {
        step.observe(found, request);
        boolean ended = false;
        if (found != null) {
            step.loseUnlessOurs();
            ended = !step.known.doubtful() && PodIdentity.isEarlierProcess(step.known.holder(), step.config.identity());
        }
        boolean held = !step.leads() && step.known.isHeld(step.config, step.now.nanos()) && !ended;
        boolean outdated = found != null && step.known.missing();
        if (step.phase != Phase.COMPETING || outdated || held || !step.mayTake()) {
            step.endAttempt();
        } else {
            step.send(this, ours(step), request.number() + 1);
        }
    }

    /** The Lease as this process has it from now on. */
    private static V1Lease ours(ElectionStep step) {
        V1Lease last = step.known.lease();
        if (last != null && !step.known.missing()) {
            if (!step.isOurs()) {
                return Leases.taken(last, step.config, step.now.wall());
            }
            // An identity that was given by hand may be that of an earlier process.
            return step.leads() ? renewed(step, last) : Leases.resumed(last, step.config, step.now.wall());
        }
        return last != null && step.isOurs() && step.leads()
                ? Leases.remade(last, step.config, step.now.wall())
                : Leases.made(last, step.config, step.now.wall());
    }

    @Override
    public void stored(ElectionStep step, ElectionEvent.Stored stored) {
        if (step.isOurs()) {
            step.held(stored.sentAt());
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
    public void failed(ElectionStep step, ElectionEvent.Failed failed) {
        step.endFailedAttempt(failed.message(), failed.unexpected());
    }

    private static V1Lease renewed(ElectionStep step, V1Lease lease) {
        V1Lease own = Leases.renewed(lease, step.config, step.now.wall());
        return step.isWish(Stage.REFUSED) ? Leases.preferring(own, null) : own;
    }
}
