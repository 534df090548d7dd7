package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.faults.RequestTarget;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.Response;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What a Pod's subresources do that a scheduler and people use (kubernetes, pkg/registry/core/pod). No container runs here. */
public record PodSubresources(Commits commits) {

    private static final Set<String> STREAMS = Set.of("pods/attach", "pods/exec", "pods/portforward");

    private StoredObject pod(String namespace, String name) {
        return commits.store().existing(new Key("pods", namespace, name), "pods");
    }

    /**
     * Puts a Pod on a node; gives what tells of it.
     *
     * @throws StatusException 404 or 409 for a Pod that is not there or cannot be put anywhere any more
     */
    ObjectNode bind(ResourceRequest request, ObjectNode binding) {
        String name = Meta.name(binding);
        if (!request.name().isEmpty() && !name.equals(request.name())) {
            throw StatusException.badRequest("name in URL does not match name in Binding object");
        }
        String node = binding.at("/target/name").asText("");
        if (node.isEmpty()) {
            throw StatusException.of(500, "", "target.name: Required value");
        }
        boolean dryRun = request.isDryRun();
        while (true) {
            StoredObject current = pod(request.namespace(), name);
            ObjectNode pod = current.tree();
            Placement.checkUid(request::conflict, binding, Meta.uid(pod));
            String why = wrong(pod, name);
            if (!why.isEmpty()) {
                throw StatusException.conflict("pods/binding", name, why);
            }
            Json.child(pod, "spec").put("nodeName", node);
            for (String map : List.of("labels", "annotations")) {
                if (Meta.of(binding).get(map) instanceof ObjectNode given) {
                    Json.child(Meta.of(pod), map).setAll(given);
                }
            }
            commits.condition(pod, "PodScheduled", true, "", "").putNull("lastProbeTime");
            if (dryRun || commits.replace(current, pod)) {
                return ResourceRequest.success().put("code", 201);
            }
        }
    }

    private static String wrong(ObjectNode pod, String name) {
        if (Meta.isBeingDeleted(pod)) {
            return "pod " + name + " is being deleted, cannot be assigned to a host";
        } else if (isBound(pod)) {
            return "pod " + name + " is already assigned to node " + pod.at("/spec/nodeName");
        }
        return pod.at("/spec/schedulingGates").isEmpty() ? "" : "pod " + name + " has non-empty .spec.schedulingGates";
    }

    /** What a container has said, which is nothing. */
    Response log(ResourceRequest request) {
        ObjectNode pod = pod(request.namespace(), request.name()).tree();
        checkContainer(pod, request.http());
        return Response.text(isBound(pod) ? 200 : 204, "");
    }

    /** Refuses a stream to or from a container as the real server does, for as long as that needs no node. */
    void checkStream(RequestTarget target, Request http) {
        if (STREAMS.contains(target.resource() + "/" + target.subresource())) {
            ObjectNode pod = pod(target.namespace(), target.name()).tree();
            if (!target.subresource().equals("portforward")) {
                checkContainer(pod, http);
            }
            if (!isBound(pod)) {
                throw StatusException.badRequest("pod " + target.name() + " does not have a host assigned");
            }
        }
    }

    private static boolean isBound(ObjectNode pod) {
        return !pod.at("/spec/nodeName").asText("").isEmpty();
    }

    private static void checkContainer(ObjectNode pod, Request http) {
        String container = http.parameter("container");
        List<String> all = new ArrayList<>();
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            pod.path("spec").path(list).forEach(one -> all.add(one.path("name").asText()));
        }
        if (container.isEmpty() && pod.at("/spec/containers").size() != 1) {
            throw StatusException.badRequest("a container name must be specified for pod " + Meta.name(pod)
                    + ", choose one of: [" + String.join(" ", all) + "]");
        } else if (!container.isEmpty() && !all.contains(container)) {
            throw StatusException.badRequest("container " + container + " is not valid for pod " + Meta.name(pod));
        }
    }

    /** Containers that were added for debugging stay as they are. */
    static void judgeDebugging(ObjectNode before, ObjectNode after, List<Cause> causes) {
        List<JsonNode> are = Json.list(after.at("/spec/ephemeralContainers"));
        for (JsonNode was : before.at("/spec/ephemeralContainers")) {
            if (!are.contains(was)) {
                boolean there = are.stream().anyMatch(is -> is.path("name").equals(was.path("name")));
                String why = "existing ephemeral containers " + was.path("name") + " may not be "
                        + (there ? "changed" : "removed") + "\n";
                causes.add(Cause.forbidden("spec.ephemeralContainers", why));
            }
        }
    }
}
