package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.storage.StoredObject;

/**
 * Plays the Deployment controller and everything behind it for demos: the status says at once that all wanted replicas
 * are there. No ReplicaSet and no Pod is made.
 */
public final class DeploymentStatus implements Commits.Follower {

    private final Commits commits;

    public DeploymentStatus(Commits commits) {
        this.commits = commits;
    }

    @Override
    public void follow(StoredObject object, boolean deleted) {
        if (!deleted && object.key().resource().equals("deployments.apps")) {
            commits.edit(object.key(), this::complete);
        }
    }

    private ObjectNode complete(ObjectNode deployment) {
        int replicas = deployment.path("spec").path("replicas").asInt(1);
        long generation = deployment.path("metadata").path("generation").asLong();
        ObjectNode status = Json.child(deployment, "status");
        boolean done = status.path("observedGeneration").asLong() == generation
                && status.path("availableReplicas").asInt() == replicas;
        if (done || Meta.isBeingDeleted(deployment)) {
            return deployment;
        }
        status.put("observedGeneration", generation);
        for (String count : new String[] {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}) {
            if (replicas == 0) {
                status.remove(count);
            } else {
                status.put(count, replicas);
            }
        }
        ArrayNode conditions = status.putArray("conditions");
        commits.condition(conditions, "Available", "MinimumReplicasAvailable", "Deployment has minimum availability.")
                .put("lastUpdateTime", commits.now());
        commits.condition(
                        conditions, "Progressing", "NewReplicaSetAvailable", "Deployment has successfully progressed.")
                .put("lastUpdateTime", commits.now());
        return deployment;
    }
}
