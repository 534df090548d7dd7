package io.controllermanager.webhook.internal.certificate;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done about certificates of our own: a pure function of what the Secret and the bundles have.
 *
 * <p>An authority changes in these steps, each of which is one write. Whoever ends between two of them leaves what another goes on
 * from.
 *
 * <ol>
 *   <li>{@link Action#ADD_NEXT}: the Secret has the next authority, which nothing is signed by.
 *   <li>{@link Action#WRITE_BUNDLES}: each bundle has both.
 *   <li>{@link Action#SIGN_BY_NEXT}: once all bundles have had both for a while, a leaf of the next is served.
 * </ol>
 *
 * <p>The old authority stays in the bundles, since each change of a CRD's bundle ends all watches of its type. It leaves with the
 * change that brings the one after, if it has run out by then, and with it all that it has signed.
 *
 * @param action what to do now
 * @param at when to look again if nothing is to be done now
 */
record RotationStep(Action action, Instant at) {

    /** What there is to do. */
    enum Action {
        /** Write what this process still has into a Secret that has nothing of use. */
        RESTORE,
        /** Make an authority and a leaf. */
        MAKE,
        /** Have the authority sign another leaf. */
        RENEW_LEAF,
        /** Have each bundle hold all authorities. */
        WRITE_BUNDLES,
        /** Make the next authority. */
        ADD_NEXT,
        /** Have the next authority sign a leaf, and become the one that signs. */
        SIGN_BY_NEXT,
        /** Nothing. */
        WAIT
    }

    /**
     * What is known.
     *
     * @param secret what the Secret has
     * @param remembers whether this process has a leaf that is valid, and its authority
     * @param makes from when on this process may make an authority where there is none: others may remember one
     * @param names what a leaf must be good for
     * @param completeSince since when all bundles have had all authorities; null if one lacks something
     * @param leads whether this process is the leader
     * @param now the time
     */
    record Situation(
            CertificateSecret secret,
            boolean remembers,
            Instant makes,
            Set<String> names,
            @Nullable Instant completeSince,
            boolean leads,
            Instant now) {

        private boolean isDue(Instant at, CertificateTimes times) {
            return !now.isBefore(turn(at, times));
        }

        /** When it is this process's turn to do what is due at a time. */
        private Instant turn(Instant at, CertificateTimes times) {
            return leads ? at : at.plus(times.patience());
        }
    }

    /** Decides. */
    static RotationStep next(Situation situation, CertificateTimes times) {
        Instant now = situation.now;
        KeyedCertificate leaf = situation.secret.leaf();
        KeyedCertificate signer = situation.secret.signer();
        KeyedCertificate next = situation.secret.next();
        Instant authorityEnd = signer == null ? Instant.MIN : signer.end();
        boolean signs = now.isBefore(authorityEnd);
        if (leaf == null || !now.isBefore(leaf.end())) {
            if (signs || situation.remembers) {
                return now(signs ? Action.RENEW_LEAF : Action.RESTORE, now);
            }
            return now.isBefore(situation.makes)
                    ? new RotationStep(Action.WAIT, situation.makes)
                    : now(Action.MAKE, now);
        }
        Instant renewal = leaf.end().minus(times.leafAhead());
        if (signs && !leaf.names().containsAll(situation.names)) {
            return now(Action.RENEW_LEAF, now);
        }
        // Where its authority ends as soon, another leaf would not last longer.
        boolean lasts = signs && times.leafEnd(now, authorityEnd).isAfter(leaf.end());
        if (lasts && situation.isDue(renewal, times)) {
            return now(Action.RENEW_LEAF, now);
        }
        if (situation.completeSince == null) {
            return now(Action.WRITE_BUNDLES, now);
        }
        Instant change;
        if (next != null && situation.secret.authorities().contains(next.certificate())) {
            change = situation.completeSince.plus(times.settle());
            if (situation.isDue(change, times)) {
                return now(Action.SIGN_BY_NEXT, now);
            }
        } else {
            change = signer == null ? renewal : signer.end().minus(times.authorityAhead());
            // Without its key, an authority changes as soon as there is somebody to do it.
            if (situation.isDue(signer == null && situation.leads ? now : change, times)) {
                return now(Action.ADD_NEXT, now);
            }
        }
        Instant later = situation.turn(change, times);
        Instant leafTurn = situation.turn(renewal, times);
        return new RotationStep(Action.WAIT, leafTurn.isAfter(now) && leafTurn.isBefore(later) ? leafTurn : later);
    }

    private static RotationStep now(Action action, Instant now) {
        return new RotationStep(action, now);
    }
}
