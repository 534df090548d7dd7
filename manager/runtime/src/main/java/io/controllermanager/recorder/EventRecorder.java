package io.controllermanager.recorder;

import io.kubernetes.client.common.KubernetesObject;

/**
 * Records Events about objects. Returns at once: an Event is written in the background, and one that cannot be written
 * is dropped and counted, as in client-go. Safe for use by several threads.
 */
public interface EventRecorder {

    /**
     * Records that all is well.
     *
     * @param regarding the object that the Event is about; its apiVersion, kind, namespace, name and uid are read
     * @param reason why, as one UpperCamelCase word that machines can match
     * @param note the message for people, at most 1 kB
     */
    void normal(KubernetesObject regarding, String reason, String note);

    /** Records that something is wrong; parameters as for {@link #normal}. */
    void warning(KubernetesObject regarding, String reason, String note);
}
