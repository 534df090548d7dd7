package io.controllermanager.leaderelection.internal;

import org.jspecify.annotations.Nullable;

/**
 * Identities that tell in which pod a process runs: {@code host:pod-uid_random}.
 *
 * <p>A kubelet starts a pod's container again only after the one before has ended, with all of its processes. So a process
 * that finds its own pod's uid in a Lease knows that the holder has ended, and need not wait. It knows so without asking
 * anybody: that another pod is reported to have failed, or is gone, does not prove it, since a node that is cut off may run
 * on pods that were failed or deleted in its absence. A host name alone proves nothing either, since pods on the host's
 * network share it.
 */
final class PodIdentity {

    private static final char BEFORE_POD = ':';
    private static final char AFTER_POD = '_';

    private PodIdentity() {}

    /** An identity; one that names no pod if there is none. */
    static String of(String host, @Nullable String podUid, String random) {
        return podUid == null ? host + AFTER_POD + random : host + BEFORE_POD + podUid + AFTER_POD + random;
    }

    /** Whether a holder was another process of the same pod as the one who asks. */
    static boolean isEarlierProcess(String holder, String identity) {
        int end = identity.lastIndexOf(AFTER_POD) + 1;
        int begin = identity.lastIndexOf(BEFORE_POD, end);
        return begin >= 0
                && begin < end - 2
                && holder.startsWith(identity.substring(0, end))
                && holder.indexOf(AFTER_POD, end) < 0
                && !holder.equals(identity);
    }
}
