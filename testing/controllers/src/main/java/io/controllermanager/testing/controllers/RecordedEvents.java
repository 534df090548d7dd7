package io.controllermanager.testing.controllers;

import io.controllermanager.recorder.EventRecorder;
import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Keeps Events instead of writing them.
 *
 * @param lines each as {@code type reason note}
 */
public record RecordedEvents(List<String> lines) implements EventRecorder {

    /** With none yet. */
    public RecordedEvents() {
        this(new CopyOnWriteArrayList<>());
    }

    @Override
    public void normal(KubernetesObject regarding, String reason, String note) {
        lines.add("Normal " + reason + " " + note);
    }

    @Override
    public void warning(KubernetesObject regarding, String reason, String note) {
        lines.add("Warning " + reason + " " + note);
    }
}
