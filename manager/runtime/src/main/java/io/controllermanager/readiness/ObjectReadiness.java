package io.controllermanager.readiness;

import com.google.gson.JsonObject;
import io.controllermanager.client.internal.json.ApiJson;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whether an object is ready, by its type, its status and what it asks for. The rules are those of kstatus ({@code
 * pkg/kstatus/status}), save these:
 *
 * <ul>
 *   <li>A Job is ready when it is complete, and failed when it has failed.
 *   <li>A claim that no Pod uses yet is ready, since a volume may be bound to it only then. The reason says so.
 *   <li>A container that crashes again and again does not make a Pod fail for good: a change of what it needs may mend it.
 * </ul>
 *
 * <p>A status that is about an older generation does not count. A type without a status or conditions is ready once it exists.
 */
public final class ObjectReadiness {

    /** The kinds whose readiness is more than their conditions say, by kind and group. */
    private static final Map<String, Function<ObjectState, Readiness>> KINDS = Map.ofEntries(
            Map.entry("Deployment.apps", Workloads::deployment),
            Map.entry("ReplicaSet.apps", Workloads::replicaSet),
            Map.entry("ReplicationController", Workloads::replicaSet),
            Map.entry("StatefulSet.apps", Workloads::statefulSet),
            Map.entry("DaemonSet.apps", Workloads::daemonSet),
            Map.entry("Pod", Workloads::pod),
            Map.entry("Job.batch", Workloads::job),
            Map.entry("PersistentVolumeClaim", ObjectReadiness::claim),
            Map.entry("Service", ObjectReadiness::service),
            Map.entry("PodDisruptionBudget.policy", ObjectReadiness::budget),
            Map.entry("CustomResourceDefinition.apiextensions.k8s.io", ObjectReadiness::definition));

    /** Those that say which generation their status is about as soon as they have one. */
    private static final Set<String> OBSERVING = Set.of(
            "Deployment.apps", "ReplicaSet.apps", "StatefulSet.apps", "DaemonSet.apps", "PodDisruptionBudget.policy");

    private ObjectReadiness() {}

    /**
     * Whether an object is ready.
     *
     * @param kind with the group, such as {@code Deployment.apps}, or {@code Pod}; objects from a list do not say it themselves
     * @param object as the API server has it; null if it is not there
     */
    public static Readiness of(String kind, @Nullable KubernetesObject object) {
        String word = kind.contains(".") ? kind.substring(0, kind.indexOf('.')) : kind;
        if (object == null) {
            return Readiness.progressing(word + "Missing", "the " + word + " is not there yet");
        }
        return of(kind, ApiJson.tree(object).getAsJsonObject());
    }

    /** As {@link #of(String, KubernetesObject)}, of its JSON. */
    static Readiness of(String kind, JsonObject json) {
        ObjectState object = new ObjectState(kind, json);
        if (object.has("metadata", "deletionTimestamp")) {
            return object.progressing("Terminating", "is being deleted");
        }
        long generation = object.number(0, "metadata", "generation");
        long observed = object.number(OBSERVING.contains(kind) ? 0 : generation, "status", "observedGeneration");
        if (observed < generation) {
            return object.progressing("NotObserved", "has a change that its controller has not seen yet");
        }
        return Objects.requireNonNullElse(
                byConditions(object),
                KINDS.getOrDefault(kind, ObjectReadiness::other).apply(object));
    }

    /** By the conditions that kstatus asks types to have; null if they do not decide. */
    private static @Nullable Readiness byConditions(ObjectState object) {
        if (object.is("Stalled")) {
            return object.failed("Stalled", object.message("Stalled", "is stalled"));
        }
        return object.is("Reconciling")
                ? object.progressing("Reconciling", object.message("Reconciling", "is being reconciled"))
                : null;
    }

    private static Readiness other(ObjectState object) {
        if (object.status("Ready") == null || object.is("Ready")) {
            return object.ready();
        }
        return object.progressing("NotReady", object.message("Ready", "is not ready"));
    }

    private static Readiness claim(ObjectState claim) {
        String phase = claim.text("Pending", "status", "phase");
        return switch (phase) {
            case "Bound" -> claim.ready();
            case "Lost" -> claim.failed("Lost", "has lost its volume");
            default ->
                claim.has("metadata", "annotations", "volume.kubernetes.io/selected-node")
                                || claim.has("spec", "volumeName")
                        ? claim.progressing("Pending", "is not bound to a volume yet")
                        : Readiness.ready("WaitForFirstConsumer", "the claim may wait for a Pod that uses it");
        };
    }

    private static Readiness service(ObjectState service) {
        return service.text("", "spec", "type").equals("LoadBalancer") && !service.has("spec", "clusterIP")
                ? service.progressing("NoAddress", "has no address yet")
                : service.ready();
    }

    private static Readiness budget(ObjectState budget) {
        long healthy = budget.number(0, "status", "currentHealthy");
        long desired = budget.number(0, "status", "desiredHealthy");
        return healthy < desired
                ? budget.progressing("BudgetNotMet", "has %d of %d Pods healthy".formatted(healthy, desired))
                : budget.ready();
    }

    private static Readiness definition(ObjectState definition) {
        if ("False".equals(definition.status("NamesAccepted"))) {
            return definition.failed("NamesRefused", definition.message("NamesAccepted", "has names that are taken"));
        }
        return definition.is("Established")
                ? definition.ready()
                : definition.progressing("NotEstablished", definition.message("Established", "is not served yet"));
    }
}
