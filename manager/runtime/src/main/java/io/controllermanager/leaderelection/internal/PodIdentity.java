package io.controllermanager.leaderelection.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Identities of processes: {@code host_random}, or {@code host:pod-uid_random} where one tells in which pod it runs.
 *
 * <p>A kubelet starts a pod's container again only after the one before has ended, with all of its processes. So a process
 * that finds its own pod's uid in a Lease knows that the holder has ended, and need not wait. It knows so without asking
 * anybody: that another pod is reported to have failed, or is gone, does not prove it, since a node that is cut off may run
 * on pods that were failed or deleted in its absence. A host name alone proves nothing either, since pods on the host's
 * network share it.
 */
public final class PodIdentity {

    private static final char BEFORE_POD = ':';
    private static final char AFTER_POD = '_';
    private static final Pattern POD_UID = Pattern.compile("[0-9A-Za-z-]{8,63}");

    private PodIdentity() {}

    /** The host's name, an underscore and a new random uuid: different at each call, as kube-controller-manager's. */
    public static String ofHost() {
        return hostName() + AFTER_POD + UUID.randomUUID();
    }

    /**
     * As {@link #ofHost()}, with the uid of the pod that this process runs in. A later process of the same pod takes the Lease
     * of this one at once. To be used only where one container of the pod competes, with one process.
     *
     * @throws IllegalArgumentException if the uid is no uid; the message names the value
     */
    public static String ofPod(String podUid) {
        if (!isPodUid(podUid)) {
            throw new IllegalArgumentException(
                    "podUid must be the uid of a pod (letters, digits and dashes), but is \"" + podUid + "\"");
        }
        return hostName() + BEFORE_POD + podUid + AFTER_POD + UUID.randomUUID();
    }

    /** Whether a text can be the uid of a pod. */
    public static boolean isPodUid(String text) {
        return POD_UID.matcher(text).matches();
    }

    private static String hostName() {
        // A pod's HOSTNAME is its name; asking the resolver may take seconds where DNS does not answer.
        String fromEnvironment = System.getenv("HOSTNAME");
        if (fromEnvironment != null && !fromEnvironment.isBlank()) {
            return fromEnvironment;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
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
