package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.leaderelection.internal.LeadershipListener;
import io.controllermanager.manager.internal.ShardLife.Phase;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;

/** Until when caches hold the objects of a shard that is not worked on here. Used by the loop's thread. */
final class ShardCaches {

    /** How long caches stay filled for a shard, from when it is asked for. */
    static final Duration KEPT_FILLED = Duration.ofMinutes(1);

    /** When it is tried again to drop what is still read. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final ShardWork work;
    private final ControllerSources sources;
    private final HostLoop loop;
    private Registration filling = () -> {};
    private Timer.Cancellable keeping = () -> {};

    ShardCaches(ShardWork work, HostLoop loop) {
        this.work = work;
        this.sources = work.controller().sources();
        this.loop = loop;
    }

    /** Fills them for a shard that another process works on now, and asks for its Lease then; or gives up. */
    void fill(LeadershipListener.Asking asking) {
        if (!work.mayBeAskedFor()) {
            asking.giveUp();
            return;
        }
        filling.close();
        sources.hold(work.number());
        keep(work.controller().registration().options().cacheSyncTimeout());
        Registration reading = sources.whenFilled(
                work.number(),
                () -> loop.post(() -> {
                    if (work.mayBeAskedFor()) {
                        keep(KEPT_FILLED);
                        asking.ask();
                    } else {
                        asking.giveUp();
                    }
                }));
        filling = () -> {
            reading.close();
            asking.giveUp();
        };
    }

    private void keep(Duration longest) {
        keeping.cancel();
        keeping = loop.later(longest, this::letGo);
    }

    /**
     * Drops what they hold unless the shard is worked on again, once nothing reads it any more: a reconcile that still runs
     * would take what vanishes for deleted. One that has failed keeps its Lease until its reconciles have ended. While
     * nobody holds the Lease, as while the API server is away, this process may be the next, and keeps what it has.
     */
    void letGo() {
        keeping.cancel();
        Phase phase = work.life().phase();
        Candidacy.Phase lease = work.candidacy().phase();
        boolean standsBy = phase == Phase.STANDBY;
        if (!sources.holds(work.number()) || (standsBy ? lease.leads() : phase != Phase.ENDED)) {
            return;
        }
        boolean mayComeBack = standsBy && work.controller().view().stateOf(work) != ShardState.ELSEWHERE;
        boolean failed = work.controller().life().phase() == ControllerLife.Phase.FAILED;
        boolean withdrawn = !failed || lease == Candidacy.Phase.IDLE;
        if (withdrawn && work.isIdle() && !mayComeBack) {
            filling.close();
            sources.drop(work.number());
        } else {
            keep(AGAIN);
        }
    }
}
