package io.controllermanager.apiserver.world;

import static io.controllermanager.apiserver.world.Part.count;
import static io.controllermanager.apiserver.world.Part.total;
import static io.controllermanager.apiserver.world.Part.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntConsumer;

/** What keeps Pods running: the controllers of Deployments, ReplicaSets, StatefulSets and DaemonSets. */
final class Workloads {

    private static final String HASH = "controller-revision-hash";

    private Workloads() {}

    /** All new Pods come at once, and as many of the old ones go as new ones are ready. */
    static void deployment(Part deployment) {
        String name = deployment.name() + "-" + deployment.hash();
        int wanted = deployment.number("/spec/replicas");
        List<Part> sets = deployment.children("replicasets.apps");
        List<Part> updated =
                sets.stream().filter(set -> set.name().equals(name)).toList();
        if (updated.isEmpty()) {
            deployment.world.create(replicaSet(deployment, name));
        }
        int left = wanted - total(updated, "/status/readyReplicas");
        for (Part set : sets) {
            int size = updated.contains(set) ? wanted : Math.max(0, Math.min(left, set.number("/spec/replicas")));
            left -= updated.contains(set) ? 0 : size;
            set.spec().put("replicas", size);
            set.world.save(set);
        }
        int ready = total(sets, "/status/readyReplicas");
        int replicas = total(sets, "/status/replicas");
        deployment.count("replicas", replicas);
        int fresh = total(updated, "/status/replicas");
        deployment.count("updatedReplicas", fresh);
        deployment.count("readyReplicas", ready);
        deployment.count("availableReplicas", ready);
        deployment.count("unavailableReplicas", Math.max(0, replicas - ready));
        boolean enough = ready >= wanted;
        deployment.set("Available", enough, enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable");
        boolean done = enough && replicas == wanted && fresh == wanted;
        String before = deployment.reason("Progressing");
        Instant begun = before.equals("ReplicaSetUpdated") ? deployment.since("Progressing") : deployment.world.now();
        Instant end = begun.plusSeconds(deployment.number("/spec/progressDeadlineSeconds"));
        boolean late = !done && (before.equals("ProgressDeadlineExceeded") || deployment.isPast(end));
        String now = late ? "ProgressDeadlineExceeded" : "ReplicaSetUpdated";
        deployment.set("Progressing", !late, done ? "NewReplicaSetAvailable" : now);
    }

    private static ObjectNode replicaSet(Part deployment, String name) {
        ObjectNode hash = tree("pod-template-hash", deployment.hash());
        ObjectNode spec = deployment.spec().deepCopy().retain("replicas", "selector", "template");
        Json.child(Json.child(spec, "selector"), "matchLabels").setAll(hash);
        ObjectNode labels =
                Json.child(Meta.of(Json.child(spec, "template")), "labels").setAll(hash);
        ObjectNode template = tree("metadata", tree("labels", labels), "spec", spec);
        return deployment.child("apps/v1", "ReplicaSet", name, template);
    }

    static void replicaSet(Part set) {
        List<Part> pods = set.children("pods").stream().filter(Part::isActive).toList();
        set.scale(pods, set.number("/spec/replicas"));
        report(set, pods);
    }

    private static void report(Part set, List<Part> pods) {
        set.status.put("replicas", pods.size());
        int ready = count(pods, Part::isReady);
        set.count("readyReplicas", ready);
        set.count("availableReplicas", ready);
    }

    static void daemonSet(Part set) {
        List<Part> pods = set.children("pods");
        List<String> nodes = set.world.commits.store().objects("nodes", "").stream()
                .map(node -> node.key().name())
                .toList();
        NavigableMap<Integer, Part> places = new TreeMap<>();
        // What is on no node that is there is behind them all.
        pods.forEach(
                pod -> places.put(Math.floorMod(nodes.indexOf(pod.text("/spec/nodeName")), Integer.MAX_VALUE), pod));
        settle(set, places, nodes.size(), false, node -> {
            ObjectNode pod = pod(set, set.name() + "-");
            Json.child(pod, "spec").put("nodeName", nodes.get(node));
            set.world.create(pod);
        });
        int ready = count(pods, Part::isReady);
        set.status.put("desiredNumberScheduled", nodes.size()).put("currentNumberScheduled", pods.size());
        set.status.put("numberMisscheduled", 0).put("numberReady", ready);
        set.count("updatedNumberScheduled", count(pods, pod -> isUpdated(set, pod)));
        set.count("numberAvailable", ready);
        set.count("numberUnavailable", nodes.size() - ready);
    }

    static void statefulSet(Part set) {
        List<Part> pods = set.children("pods");
        NavigableMap<Integer, Part> ordinals = new TreeMap<>();
        for (Part pod : pods) {
            String ordinal = pod.name().substring(pod.name().lastIndexOf('-') + 1);
            ordinals.put(ordinal.matches("\\d{1,9}") ? Integer.parseInt(ordinal) : Integer.MAX_VALUE, pod);
        }
        int size = set.number("/spec/replicas");
        boolean ordered = !set.text("/spec/podManagementPolicy").equals("Parallel");
        settle(set, ordinals, size, ordered, ordinal -> createWithClaims(set, set.name() + "-" + ordinal));
        report(set, pods);
        int updated = count(pods, pod -> isUpdated(set, pod));
        set.count("updatedReplicas", updated);
        set.status.put("updateRevision", revision(set));
        boolean complete = updated == size && count(pods, Part::isReady) == size;
        String current = set.status.path("currentRevision").asText(revision(set));
        set.status.put("currentRevision", complete ? revision(set) : current);
    }

    private static String revision(Part set) {
        return set.name() + "-" + set.hash();
    }

    private static boolean isUpdated(Part set, Part pod) {
        return revision(set).equals(pod.stored.labels().get(HASH));
    }

    /**
     * Makes what is missing, removes what is in no place, then replaces what is by a former template, from the last place
     * down, each when those behind it are ready.
     *
     * @param ordered whether Pods come and go one by one too, each when those before it are ready
     */
    private static void settle(
            Part set, NavigableMap<Integer, Part> pods, int size, boolean ordered, IntConsumer create) {
        for (int place = 0; place < size; place++) {
            Part pod = pods.get(place);
            if (pod == null) {
                create.accept(place);
            } else if (pod.isIn("Succeeded", "Failed")) {
                set.world.delete(pod);
            }
            if (ordered && (pod == null || !pod.isReady())) {
                return;
            }
        }
        for (Part pod : pods.tailMap(size, true).descendingMap().values()) {
            set.world.delete(pod);
            if (ordered) {
                return;
            }
        }
        boolean rolls =
                pods.size() == size && set.text("/spec/updateStrategy/type").equals("RollingUpdate");
        int partition = rolls ? set.number("/spec/updateStrategy/rollingUpdate/partition") : size;
        for (Part pod : pods.tailMap(partition, true).descendingMap().values()) {
            if (!isUpdated(set, pod)) {
                set.world.delete(pod);
            }
            if (!isUpdated(set, pod) || !pod.isReady()) {
                return;
            }
        }
    }

    private static ObjectNode pod(Part set, String name) {
        ObjectNode pod = set.pod(name);
        Json.child(Meta.of(pod), "labels").put(HASH, revision(set));
        return pod;
    }

    /** Makes the Pod of an ordinal, and its claims unless they are there. */
    private static void createWithClaims(Part set, String name) {
        ObjectNode pod = pod(set, name);
        Json.child(Meta.of(pod), "labels").put("statefulset.kubernetes.io/pod-name", name);
        ObjectNode spec = Json.child(pod, "spec").put("hostname", name);
        spec.setAll(tree("subdomain", set.text("/spec/serviceName")));
        for (JsonNode template : set.tree.at("/spec/volumeClaimTemplates")) {
            String claimName = Meta.name(template) + "-" + name;
            ObjectNode claim = template.deepCopy();
            claim.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
            Meta.of(claim).put("name", claimName).put("namespace", set.namespace());
            set.world.create(claim);
            ObjectNode source = tree("claimName", claimName);
            spec.withArray("volumes").add(tree("name", Meta.name(template), "persistentVolumeClaim", source));
        }
        set.world.create(pod);
    }
}
