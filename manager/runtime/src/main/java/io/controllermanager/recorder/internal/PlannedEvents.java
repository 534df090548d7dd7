package io.controllermanager.recorder.internal;

import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.recorder.EventRecorder;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectReference;

/**
 * Records Events in a dry run: in the plan.
 *
 * @param component who records
 */
public record PlannedEvents(String component, Plan plan) implements EventRecorder {

    @Override
    public void normal(KubernetesObject regarding, String reason, String note) {
        record("Normal", regarding, reason, note);
    }

    @Override
    public void warning(KubernetesObject regarding, String reason, String note) {
        record("Warning", regarding, reason, note);
    }

    private void record(String type, KubernetesObject regarding, String reason, String note) {
        V1ObjectReference object = EventBroadcaster.reference(regarding);
        plan.event(
                component,
                type,
                object.getKind() + " " + Keys.shown(object.getNamespace(), object.getName()),
                reason,
                RecordedEvent.shortened(note));
    }
}
