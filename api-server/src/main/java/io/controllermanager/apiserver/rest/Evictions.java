package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.selector.LabelSelector;
import io.controllermanager.apiserver.storage.StoredObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Deletes a Pod where its PodDisruptionBudget allows it (kubernetes, pkg/registry/core/pod/storage/eviction.go). */
public record Evictions(Commits commits, Deleter deleter) {

    private static final String NEEDS = "The disruption budget %s needs %d healthy pods and has %d currently";

    /**
     * Evicts a Pod; gives what tells of it.
     *
     * @throws StatusException 404 for a Pod that is not there, and 429 where it may not go
     */
    ObjectNode evict(ResourceRequest request, ObjectNode eviction) {
        String name = request.name();
        if (!Meta.name(eviction).equals(name)) {
            throw StatusException.badRequest("name in URL does not match name in Eviction object");
        }
        ObjectNode options = Json.child(eviction, "deleteOptions");
        if (options.path("dryRun").isEmpty() && request.isDryRun()) {
            options.putArray("dryRun").add("All");
        }
        boolean dryRun = request.isDryRun(options.path("dryRun"));
        StoredObject current = request.existing(commits.store());
        Deleter.check(request.type(), current, options.path("preconditions"));
        ObjectNode pod = current.tree();
        boolean counts = Json.fits(pod, "status/phase!=Pending|Succeeded|Failed") && !Meta.isBeingDeleted(pod);
        StoredObject budget = counts ? budget(current, pod) : null;
        if (budget != null) {
            spend(budget, name, dryRun);
        }
        if (!dryRun) {
            String why = "EvictionByEvictionAPI";
            commits.edit(
                    current.key(),
                    now -> commits.condition(now, "DisruptionTarget", true, why, "Eviction API: evicting")
                            .putNull("lastProbeTime"));
        }
        // The version is another one now.
        Json.child(options, "preconditions").put("uid", current.uid()).remove("resourceVersion");
        deleter.delete(request, options);
        return ResourceRequest.success().put("code", 201);
    }

    /** The budget that a Pod's end is taken from; null if there is none, or the Pod is not healthy and others are. */
    private @Nullable StoredObject budget(StoredObject pod, ObjectNode tree) {
        String namespace = pod.key().namespace();
        List<StoredObject> budgets = commits.store().objects("poddisruptionbudgets.policy", namespace).stream()
                .filter(budget ->
                        LabelSelector.of(budget.tree().at("/spec/selector")).matches(pod.labels()))
                .toList();
        if (budgets.size() > 1) {
            String why =
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
            throw StatusException.of(500, "", why);
        } else if (budgets.isEmpty()) {
            return null;
        }
        boolean healthy = Json.anyFits(tree.at("/status/conditions"), "type=Ready?status=True");
        ObjectNode budget = budgets.get(0).tree();
        JsonNode status = budget.path("status");
        int desired = status.path("desiredHealthy").asInt();
        boolean enough = desired > 0 && status.path("currentHealthy").asInt() >= desired;
        boolean free = enough || Json.fits(budget, "spec/unhealthyPodEvictionPolicy=AlwaysAllow");
        return !healthy && free ? null : budgets.get(0);
    }

    private void spend(StoredObject budget, String pod, boolean dryRun) {
        commits.edit(budget.key(), object -> {
            ObjectNode status = Json.child(object, "status");
            String name = Meta.name(object);
            int allowed = status.path("disruptionsAllowed").asInt();
            int desired = status.path("desiredHealthy").asInt();
            int healthy = status.path("currentHealthy").asInt();
            if (status.path("observedGeneration").asLong()
                    < object.at("/metadata/generation").asLong()) {
                String why = "The disruption budget " + name + " is still being processed by the server.";
                throw StatusException.disrupts(why).retryAfter(10);
            } else if (allowed <= 0) {
                throw StatusException.disrupts(
                        healthy <= desired
                                ? NEEDS.formatted(name, desired, healthy)
                                : "The disruption budget " + name + " does not allow evicting pods currently");
            } else if (!dryRun) {
                status.put("disruptionsAllowed", allowed - 1);
                Json.child(status, "disruptedPods").put(pod, commits.now());
            }
        });
    }
}
