package io.controllermanager.manager.internal;

import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.manager.internal.ShardLife.Phase;
import org.jspecify.annotations.Nullable;

/** What operators see of one shard of a controller, as it is at each call. Nothing here changes its life; any thread may call. */
record ShardView(ShardWork work) {

    /** Where it is in its life, with why its caches are not filled at this moment. */
    ShardLife life() {
        ShardLife now = work.life();
        ControllerLife whole = work.controller().life();
        if (whole.isPaused()) {
            return now.paused();
        }
        if (whole.phase() == ControllerLife.Phase.FAILED) {
            return ShardLife.in(now.phase(), whole.detail());
        }
        String problem =
                now.filling() && now.detail() != null ? work.controller().view().withCause(now.detail()) : null;
        return problem == null || problem.equals(now.detail())
                ? now
                : ShardLife.filling(problem, now.notReady() == null ? null : problem);
    }

    ShardState state() {
        LeaderElector elector = work.elector();
        boolean working = work.life().phase() == Phase.WORKING
                && !work.controller().life().isPaused();
        ShardState seen = state(
                working,
                elector.isLeading(),
                elector.liveHolder(),
                elector.config().identity());
        // Where others work by another number of shards, nobody is to have it.
        return seen == ShardState.FREE && !work.agreement().agrees() ? ShardState.ELSEWHERE : seen;
    }

    /** What operators are told, by what is done here and by who has the Lease. */
    static ShardState state(boolean working, boolean leading, @Nullable String holder, String me) {
        if (leading || me.equals(holder)) {
            return leading && working ? ShardState.WORKING : ShardState.WAITING;
        }
        return holder == null ? ShardState.FREE : ShardState.ELSEWHERE;
    }

    /** Whether what its caches hold is still to be queued. */
    boolean isRequeueing() {
        return work.life().phase() == Phase.WORKING
                && work.controller().runner().isRequeueing(work.number());
    }

    ShardStatus status() {
        LeadershipStatus lease = work.elector().status();
        ShardLife now = life();
        String detail = isRequeueing() ? ControllerView.REQUEUEING : now.detail();
        if (detail == null && now.phase() == Phase.STANDBY) {
            detail = work.agreement().disagreement();
        }
        return new ShardStatus(
                work.number(),
                lease.lease(),
                lease.holder(),
                lease.leading(),
                state(),
                detail,
                work.controller().sources().objects(work.number()),
                lease.acquiredAt(),
                work.moves(),
                lease.transitions());
    }
}
