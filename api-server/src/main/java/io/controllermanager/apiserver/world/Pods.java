package io.controllermanager.apiserver.world;

import static io.controllermanager.apiserver.world.Part.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Meta;
import java.util.List;

/** Pods and their claims: the scheduler, the kubelet, and a provisioner that has room for everything. */
final class Pods {

    private Pods() {}

    static void claim(Part claim) {
        ObjectNode spec = claim.spec();
        String wanted = spec.path("storageClassName").asText("standard");
        JsonNode size = spec.at("/resources/requests/storage");
        Part storage = claim.world.get("storageclasses.storage.k8s.io", "", wanted);
        if (storage == null) {
            return;
        }
        boolean bound = claim.isIn("Bound");
        boolean grows = storage.tree.path("allowVolumeExpansion").asBoolean();
        boolean differs = !size.equals(claim.status.at("/capacity/storage"));
        if ((bound ? grows && differs : !storage.text("/provisioner").endsWith("/no-provisioner"))
                && claim.comes(bound ? Step.RESIZED : Step.BOUND, size.asText())) {
            spec.put("storageClassName", wanted).put("volumeName", "pvc-" + claim.namespace() + "-" + claim.name());
            claim.status.put("phase", "Bound").set("accessModes", spec.path("accessModes"));
            claim.status.set("capacity", tree("storage", size));
        }
    }

    static void pod(Part pod) {
        boolean restarts = pod.tree.at("/status/containerStatuses/0/state").has("waiting");
        if (pod.stored.isBeingDeleted()) {
            if (pod.comes(Step.GONE, "")) {
                Meta.of(pod.tree).put("deletionGracePeriodSeconds", 0);
            }
        } else if (restarts || pod.isIn("", "Pending")) {
            boolean scheduled = pod.spec().path("volumes").findValuesAsText("claimName").stream()
                    .map(claim -> pod.world.get("persistentvolumeclaims", pod.namespace(), claim))
                    .allMatch(claim -> claim != null && claim.isIn("Bound"));
            boolean gated = !pod.spec().path("schedulingGates").isEmpty();
            String why = scheduled ? "" : "Unschedulable";
            pod.set("PodScheduled", scheduled && !gated, gated ? "SchedulingGated" : why);
            if (pod.has("PodScheduled")) {
                start(pod);
            }
        } else if (pod.isActive()
                && !pod.text("/spec/restartPolicy").equals("Always")
                && pod.comes(Step.COMPLETE, "")) {
            end(pod);
        }
        List<String> gates = pod.spec().path("readinessGates").findValuesAsText("conditionType");
        if (pod.has("ContainersReady") && !gates.isEmpty()) {
            boolean open = gates.stream().allMatch(pod::has);
            pod.set("Ready", open, open ? "" : "ReadinessGatesNotReady");
        }
    }

    private static void start(Part pod) {
        boolean ready = pod.comes(Step.READY, "");
        int failures = pod.world.rule(Step.READY, pod.stored).failures;
        pod.spec().put("nodeName", pod.spec().path("nodeName").asText("node"));
        pod.set("Initialized", true, "");
        pod.status.put("startTime", pod.status.path("startTime").asText(pod.stamp()));
        pod.status.put("phase", ready || failures > 0 ? "Running" : "Pending");
        if (ready) {
            pod.status.put("podIP", "127.0.0.1").putArray("podIPs").add(tree("ip", "127.0.0.1"));
        }
        ObjectNode state = ready
                ? tree("running", tree("startedAt", pod.stamp()))
                : tree("waiting", tree("reason", failures > 0 ? "CrashLoopBackOff" : "ContainerCreating"));
        containers(pod, state, failures, ready ? "" : "ContainersNotReady");
    }

    private static void end(Part pod) {
        Rule rule = pod.world.rule(Step.COMPLETE, pod.stored);
        boolean restarts = pod.text("/spec/restartPolicy").equals("OnFailure");
        if (restarts && pod.world.givesUp(pod, rule.failures)) {
            containers(pod, tree("running", tree("startedAt", pod.stamp())), rule.failures, "");
            return;
        }
        boolean fails = !restarts && rule.fails(pod.stored.uid());
        pod.status.put("phase", fails ? "Failed" : "Succeeded");
        ObjectNode state = tree("reason", fails ? "Error" : "Completed", "finishedAt", pod.stamp());
        ObjectNode terminated = tree("terminated", state.put("exitCode", fails ? 1 : 0));
        containers(pod, terminated, restarts ? rule.failures : 0, fails ? "PodFailed" : "PodCompleted");
    }

    /** Sets the state of all containers, and why they are not ready; that is empty if they are. */
    private static void containers(Part pod, ObjectNode state, int restarts, String unready) {
        pod.set("ContainersReady", unready.isEmpty(), unready);
        pod.set("Ready", unready.isEmpty(), unready);
        ArrayNode all = pod.status.putArray("containerStatuses");
        for (JsonNode container : pod.spec().path("containers")) {
            ObjectNode one = tree("name", container.path("name"), "image", container.path("image"), "state", state);
            one.put("ready", unready.isEmpty()).put("started", unready.isEmpty());
            all.add(one.put("restartCount", restarts).put("imageID", ""));
        }
    }
}
