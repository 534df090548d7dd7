package io.controllermanager.leaderelection;

import io.controllermanager.leaderelection.ElectionState.Phase;
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
        V1Lease lease = step.known().present();
        if (lease != null && step.leads() && step.isOurs()) {
            step.considerWish();
            step.send(this, renewed(step, lease), 0);
        } else if (lease != null && !step.leads() && step.known().isFree() && step.mayTake()) {
            step.send(this, Leases.taken(lease, step.config, step.now.wall()), 0);
        } else {
            step.send(this, null, 0);
        }
    }

    @Override
    public void found(ElectionStep step, ElectionRequest request, V1Lease lease) {
        step.observe(lease, request);
        step.loseUnlessOurs();
        boolean held = step.isOthers()
                && !step.expired()
                && !PodIdentity.isEarlierProcess(step.known().holder(), step.config.identity());
        V1Lease current = step.known().present();
        if (step.phase() != Phase.COMPETING || current == null || held || !step.mayTake()) {
            step.endAttempt(null, null);
        } else if (step.isOurs()) {
            step.send(this, renewed(step, current), request.number() + 1);
        } else {
            step.send(this, Leases.taken(current, step.config, step.now.wall()), request.number() + 1);
        }
    }

    @Override
    public void missing(ElectionStep step, ElectionRequest request) {
        step.observeMissing();
        V1Lease last = step.known().lease();
        boolean held = step.isOthers() && !step.expired();
        if (step.phase() != Phase.COMPETING || held || !step.mayTake()) {
            step.endAttempt(null, null);
        } else if (last != null && step.isOurs() && step.leads()) {
            step.send(this, Leases.remade(last, step.config, step.now.wall()), request.number() + 1);
        } else {
            step.send(this, Leases.made(step.config, step.now.wall()), request.number() + 1);
        }
    }

    @Override
    public void stored(ElectionStep step, ElectionRequest request, V1Lease lease, long sentAt) {
        step.observe(lease, request);
        if (step.isOurs()) {
            step.held(sentAt);
        }
        // Otherwise somebody has edited it since, and the watch was quicker to tell than the answer came.
        step.endAttempt(null, null);
    }

    @Override
    public void refused(ElectionStep step, ElectionRequest request) {
        if (request.number() == 0 && step.phase() == Phase.COMPETING) {
            // Changed or gone: it is read, and then decided anew.
            step.send(this, null, 1);
        } else {
            step.endBeatenAttempt();
        }
    }

    @Override
    public void failed(ElectionStep step, ElectionRequest request, String message, @Nullable Throwable unexpected) {
        step.endAttempt(message, unexpected);
    }

    private static V1Lease renewed(ElectionStep step, V1Lease lease) {
        return step.withoutRefusedWish(Leases.renewed(lease, step.config, step.now.wall()));
    }
}
