package io.controllermanager.app.rights;

import org.awaitility.core.ThrowingRunnable;

/**
 * That a right is needed: what asks for it, and what somebody who looks from outside sees when it is missing. Several whose
 * rights are missing at the same time do not hide each other: each waits for a refusal of its own and looks at something
 * that nobody else's work changes.
 *
 * @param right what is missing
 * @param refused what the audit log shows as refused; the right itself as a rule
 * @param group with which others it is shown at once
 * @param position among these: those with a lower one come first
 * @param prepared what has to be there before, while everything is allowed
 * @param cause has something happen that needs the right
 * @param failure what does not work, in words
 * @param seen fails where nobody would notice; tried until it does not
 * @param healed that it works with the right; tried until it does not fail
 */
record Proof(
        Right right,
        Right refused,
        Group group,
        int position,
        ThrowingRunnable prepared,
        ThrowingRunnable cause,
        String failure,
        ThrowingRunnable seen,
        ThrowingRunnable healed) {

    private static final ThrowingRunnable NOTHING = () -> {};

    /** Rights that can be missing together, in the order in which they are. */
    enum Group {
        /** What is asked for by a controller whose copies are complete. */
        WRITES,
        /** What is asked for when a Lease is lost, before it is made again. */
        LEASE,
        /** What needs the status to be written, and then how copies are made, which stops controllers. */
        LISTS,
        /** What is asked for when a copy is behind. */
        BEHIND,
        /** What a leader needs who is to stay one: without, nothing is reconciled. */
        ELECTION,
        /** What tells of changes: after these nothing may have to be noticed any more. */
        WATCHES
    }

    /** Where the right itself is refused, and nothing has to be prepared. */
    static Proof of(
            Right right,
            Group group,
            ThrowingRunnable cause,
            String failure,
            ThrowingRunnable seen,
            ThrowingRunnable healed) {
        return new Proof(right, right, group, 0, NOTHING, cause, failure, seen, healed);
    }

    Proof prepared(ThrowingRunnable before) {
        return new Proof(right, refused, group, position, before, cause, failure, seen, healed);
    }

    Proof refused(Right instead) {
        return new Proof(right, instead, group, position, prepared, cause, failure, seen, healed);
    }

    Proof position(int among) {
        return new Proof(right, refused, group, among, prepared, cause, failure, seen, healed);
    }

    /** For the list that a controller begins with: the pod is unready, and says what is missing. */
    static Proof ofList(Stage stage, String controller, Right right) {
        return of(
                        right,
                        Group.LISTS,
                        () -> stage.restart(controller),
                        "the pod is not ready, and its metrics name the right",
                        () -> stage.expectMissing(right),
                        stage::expectNothingMissing)
                .position(1);
    }

    /** For a watch: the pod is unready once it has been without for as long as it was told, and says what is missing. */
    static Proof ofWatch(Stage stage, Group group, Right right) {
        return of(
                        right,
                        group,
                        () -> stage.pod().cutConnections(),
                        "the pod is not ready, and its metrics name the right",
                        () -> stage.expectMissing(right),
                        stage::expectNothingMissing)
                .position(1);
    }
}
