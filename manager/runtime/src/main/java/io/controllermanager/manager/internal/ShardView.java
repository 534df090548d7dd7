package io.controllermanager.manager.internal;

import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.leaderelection.internal.ShardAgreement;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import org.jspecify.annotations.Nullable;

/**
 * What operators see of one shard of a controller, as it is at each call. Nothing here changes its life; any thread may call.
 *
 * @param elector competes for its Lease
 * @param agreement whether others divide the controller alike
 */
record ShardView(ShardWork work, LeaderElector elector, ShardAgreement agreement) {

    /** How the number of shards here is not that of the others, null if it is. */
    @Nullable
    String disagreement() {
        return agreement.disagreement();
    }

    ShardState state() {
        ShardState seen = state(
                work.life().phase(),
                elector.isLeading(),
                elector.liveHolder(),
                elector.config().identity());
        // Where others work by another number of shards, nobody is to have it.
        return seen == ShardState.FREE && !agreement.agrees() ? ShardState.ELSEWHERE : seen;
    }

    /** What operators are told, by what is done here and by who has the Lease. */
    static ShardState state(Phase phase, boolean leading, @Nullable String holder, String me) {
        if (leading || me.equals(holder)) {
            return leading && phase == Phase.WORKING ? ShardState.WORKING : ShardState.WAITING;
        }
        return holder == null ? ShardState.FREE : ShardState.ELSEWHERE;
    }

    ShardStatus status() {
        LeadershipStatus lease = elector.status();
        ControllerLife now = work.shownLife();
        String detail = work.isRequeueing() ? ControllerView.REQUEUEING : now.detail();
        if (detail == null && now.phase() == Phase.STANDBY) {
            detail = disagreement();
        }
        return new ShardStatus(
                work.shard(),
                lease.lease(),
                lease.holder(),
                lease.leading(),
                state(),
                detail,
                work.objects(),
                lease.acquiredAt(),
                work.moves(),
                lease.transitions());
    }
}
