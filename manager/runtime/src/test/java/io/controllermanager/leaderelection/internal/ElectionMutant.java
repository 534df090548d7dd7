package io.controllermanager.leaderelection.internal;

import io.controllermanager.leaderelection.internal.ElectionState.Moment;
import io.controllermanager.leaderelection.internal.ElectionState.Term;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The election, with something done wrong on purpose. */
enum ElectionMutant {
    NONE,

    TERM_COUNTED_FROM_THE_ANSWER {
        @Override
        void stored(ElectionStep step, ElectionTask.Request request, V1Lease lease, long sentAt) {
            super.stored(step, request, lease, step.now.nanos());
        }
    },

    TAKEN_AT_THE_RENEW_DEADLINE {
        @Override
        void read(ElectionStep step, ElectionTask.Request request, @Nullable V1Lease lease) {
            super.read(step, request, lease == null ? null : shortened(lease, step.config));
        }
    },

    LOSS_NOT_TOLD {
        @Override
        ElectionStep next(ElectionState before, ElectionStep.Event event, Moment now) {
            ElectionStep next = super.next(before, event, now);
            next.commands.remove(ElectionCommand.Simple.TELL_LOST);
            return next;
        }
    },

    DEADLINE_NOT_CHECKED {
        @Override
        ElectionStep next(ElectionState before, ElectionStep.Event event, Moment now) {
            ElectionStep next = super.next(before, event, now);
            Term term = next.term;
            if (term != null) {
                long never = now.nanos() + Duration.ofHours(1).toNanos();
                next.term = new Term(term.acquiredAt(), term.notes(), never);
            }
            return next;
        }
    },

    DURATION_OF_A_PATCH_COUNTS {
        @Override
        ElectionStep next(ElectionState before, ElectionStep.Event event, Moment now) {
            KnownLease it = before.known;
            Duration said = it.lease() == null ? it.lasts() : Leases.duration(it.lease(), it.lasts());
            before.known = new KnownLease(
                    it.lease(), it.missing(), it.since(), said, it.renewedFor(), it.doubtful(), it.overdue());
            return super.next(before, event, now);
        }
    },

    OLDER_STATE_BELIEVED {
        @Override
        void read(ElectionStep step, ElectionTask.Request request, @Nullable V1Lease lease) {
            if (lease != null && step.known.isNewerThan(lease)) {
                step.known = KnownLease.NOTHING;
            }
            super.read(step, request, lease);
        }
    },

    /** Done by the world, which gives the notices. */
    RELEASED_BEFORE_THE_LOSS_WAS_TOLD,

    DELETED_LEASE_MADE_AT_ONCE {
        @Override
        void read(ElectionStep step, ElectionTask.Request request, @Nullable V1Lease lease) {
            if (lease == null) {
                step.known = KnownLease.NOTHING;
            }
            super.read(step, request, lease);
        }
    };

    /** What follows from an event. */
    ElectionStep next(ElectionState before, ElectionStep.Event event, Moment now) {
        return before.next(event, now);
    }

    /** A read is answered. */
    void read(ElectionStep step, ElectionTask.Request request, @Nullable V1Lease lease) {
        step.read(request, lease);
    }

    /** A write is answered. */
    void stored(ElectionStep step, ElectionTask.Request request, V1Lease lease, long sentAt) {
        step.stored(request, lease, sentAt);
    }

    private static V1Lease shortened(V1Lease lease, LeaderElectionConfig config) {
        V1LeaseSpec spec = Objects.requireNonNull(lease.getSpec());
        return new V1Lease()
                .metadata(lease.getMetadata())
                .spec(new V1LeaseSpec()
                        .holderIdentity(spec.getHolderIdentity())
                        .leaseDurationSeconds((int) config.renewDeadline().toSeconds())
                        .acquireTime(spec.getAcquireTime())
                        .renewTime(spec.getRenewTime())
                        .leaseTransitions(spec.getLeaseTransitions()));
    }
}
