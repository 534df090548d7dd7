package io.controllermanager.leaderelection.internal;

import io.controllermanager.leaderelection.internal.ElectionState.Moment;
import io.controllermanager.leaderelection.internal.ElectionState.Next;
import io.controllermanager.leaderelection.internal.ElectionState.Term;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The election, with something done wrong on purpose. */
enum ElectionMutant {
    NONE,

    TERM_COUNTED_FROM_THE_ANSWER {
        @Override
        Next next(ElectionState before, ElectionEvent event, Moment now) {
            return event instanceof ElectionEvent.Stored it
                    ? before.next(new ElectionEvent.Stored(it.request(), it.lease(), now.nanos()), now)
                    : before.next(event, now);
        }
    },

    TAKEN_AT_THE_RENEW_DEADLINE {
        @Override
        Next next(ElectionState before, ElectionEvent event, Moment now) {
            V1Lease lease = event instanceof ElectionEvent.Read read ? read.lease() : null;
            return lease == null
                    ? before.next(event, now)
                    : before.next(
                            new ElectionEvent.Read(((ElectionEvent.Read) event).request(), shortened(lease, before)),
                            now);
        }
    },

    LOSS_NOT_TOLD {
        @Override
        Next next(ElectionState before, ElectionEvent event, Moment now) {
            Next next = before.next(event, now);
            List<ElectionCommand> told = next.commands().stream()
                    .filter(command -> command != ElectionCommand.Simple.TELL_LOST)
                    .toList();
            return new Next(next.state(), told);
        }
    },

    DEADLINE_NOT_CHECKED {
        @Override
        Next next(ElectionState before, ElectionEvent event, Moment now) {
            Next next = before.next(event, now);
            Term term = next.state().term();
            if (term == null) {
                return next;
            }
            long never = now.nanos() + Duration.ofHours(1).toNanos();
            Term endless = new Term(term.acquiredAt(), term.notes(), never);
            return new Next(changed(next.state(), next.state().known(), endless), next.commands());
        }
    },

    DURATION_OF_A_PATCH_COUNTS {
        @Override
        Next next(ElectionState before, ElectionEvent event, Moment now) {
            KnownLease it = before.known();
            Duration said = it.lease() == null ? it.lasts() : Leases.duration(it.lease(), it.lasts());
            KnownLease known = new KnownLease(
                    it.lease(), it.missing(), it.since(), said, it.renewedFor(), it.doubtful(), it.overdue());
            return changed(before, known, before.term()).next(event, now);
        }
    },

    OLDER_STATE_BELIEVED {
        @Override
        Next next(ElectionState before, ElectionEvent event, Moment now) {
            KnownLease known = before.known();
            if (event instanceof ElectionEvent.Read read
                    && read.lease() != null
                    && known.lease() != null
                    && Leases.isNewer(known.lease(), read.lease())) {
                return changed(before, KnownLease.NOTHING, before.term()).next(event, now);
            }
            return before.next(event, now);
        }
    },

    /** Done by the world, which gives the notices. */
    RELEASED_BEFORE_THE_LOSS_WAS_TOLD,

    DELETED_LEASE_MADE_AT_ONCE {
        @Override
        Next next(ElectionState before, ElectionEvent event, Moment now) {
            boolean missing = event instanceof ElectionEvent.Read read && read.lease() == null;
            return (missing ? changed(before, KnownLease.NOTHING, before.term()) : before).next(event, now);
        }
    };

    Next next(ElectionState before, ElectionEvent event, Moment now) {
        return before.next(event, now);
    }

    private static V1Lease shortened(V1Lease lease, ElectionState state) {
        V1LeaseSpec spec = Objects.requireNonNull(lease.getSpec());
        return new V1Lease()
                .metadata(lease.getMetadata())
                .spec(new V1LeaseSpec()
                        .holderIdentity(spec.getHolderIdentity())
                        .leaseDurationSeconds(
                                (int) state.config().renewDeadline().toSeconds())
                        .acquireTime(spec.getAcquireTime())
                        .renewTime(spec.getRenewTime())
                        .leaseTransitions(spec.getLeaseTransitions()));
    }

    private static ElectionState changed(ElectionState it, KnownLease known, @Nullable Term term) {
        return new ElectionState(
                it.config(),
                it.phase(),
                known,
                it.notes(),
                term,
                it.renewedAt(),
                it.attempting(),
                it.again(),
                it.attemptAt(),
                it.lastError(),
                it.watchError(),
                it.wish());
    }
}
