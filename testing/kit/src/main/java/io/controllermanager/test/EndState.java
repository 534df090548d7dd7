package io.controllermanager.test;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.controllermanager.apiserver.ApiServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * What a scenario has come to: every object but Events, Leases and what workloads own, without what differs from one run to
 * the next.
 *
 * @param objects by kind, namespace and name
 * @param outside what else is compared
 */
record EndState(Map<String, JsonNode> objects, Object outside) {

    private static final Set<String> NOT_COMPARED =
            Set.of("v1 Event", "events.k8s.io/v1 Event", "coordination.k8s.io/v1 Lease");

    private static final Pattern TIME =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)");

    private static final String OWNER = "uid";

    /** Where {@code Applier} keeps the hash of what it has applied, in which the owner's uid goes. */
    private static final String APPLIED = "applied.controller-manager/";

    /** Where a controller records what it has outside, with ids that the system gave and times. */
    private static final String OUTSIDE = "external.controller-manager/";

    /** What is on a server now. */
    static EndState of(ApiServer server, Consumer<ObjectNode> normalise, Object outside) {
        List<ObjectNode> present = server.objects().stream()
                .filter(object -> !NOT_COMPARED.contains(object.path("apiVersion")
                                .asText() + " " + object.path("kind").asText()))
                .filter(object -> !isOfAWorkload(object))
                .toList();
        Map<String, String> owners = new HashMap<>();
        present.forEach(object -> owners.put(object.at("/metadata/uid").asText(), label(object)));
        Map<String, JsonNode> objects = new TreeMap<>();
        for (ObjectNode object : present) {
            objects.put(label(object), plain(object, owners, normalise));
        }
        return new EndState(objects, outside);
    }

    /** Whether it is a Pod, a ReplicaSet or the like that a workload controls. Their names differ from run to run. */
    private static boolean isOfAWorkload(JsonNode object) {
        for (JsonNode owner : object.at("/metadata/ownerReferences")) {
            if (owner.path("controller").asBoolean()
                    && owner.path("apiVersion").asText().matches("(apps|batch)/v1")) {
                return true;
            }
        }
        return false;
    }

    /** Such as {@code Deployment default/web}. */
    static String label(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        String namespace = metadata.path("namespace").asText("");
        return object.path("kind").asText() + " " + (namespace.isEmpty() ? "" : namespace + "/")
                + metadata.path("name").asText();
    }

    private static JsonNode plain(ObjectNode object, Map<String, String> owners, Consumer<ObjectNode> normalise) {
        ObjectNode metadata = (ObjectNode) object.path("metadata");
        for (JsonNode owner : metadata.path("ownerReferences")) {
            String uid = owner.path(OWNER).asText();
            ((ObjectNode) owner).put(OWNER, owners.getOrDefault(uid, "of no object that is there"));
        }
        tellObserved(object.path("status"), metadata.path("generation"));
        if (metadata.path("annotations") instanceof ObjectNode annotations) {
            annotations.properties().stream()
                    .filter(annotation -> annotation.getKey().startsWith(APPLIED))
                    .forEach(annotation -> annotation.setValue(TextNode.valueOf("some hash")));
            annotations.properties().stream()
                    .filter(annotation -> annotation.getKey().startsWith(OUTSIDE))
                    .forEach(annotation -> annotation.setValue(TextNode.valueOf(
                            annotation.getValue().asText().replaceAll("\"(id|at)\":\"[^\"]*\"", "\"$1\":\"any\""))));
            if (annotations.remove(OvertakenWrites.ANNOTATION) != null && annotations.isEmpty()) {
                metadata.remove("annotations");
            }
        }
        metadata.remove(List.of("resourceVersion", "uid", "generation", "managedFields"));
        normalise.accept(object);
        return timeless(object, owners);
    }

    /** How far a status is behind says more than the number itself. */
    private static void tellObserved(JsonNode node, JsonNode generation) {
        if (node instanceof ObjectNode object && object.has("observedGeneration")) {
            boolean current = object.path("observedGeneration").asLong() == generation.asLong();
            object.put("observedGeneration", current ? "the current one" : "not the current one");
        }
        node.forEach(child -> tellObserved(child, generation));
    }

    /** Leaves out times, and which uids objects have that are there. */
    private static JsonNode timeless(JsonNode node, Map<String, String> owners) {
        if (node.isTextual()) {
            String text = node.asText();
            return TextNode.valueOf(TIME.matcher(text).matches() ? "some time" : owners.getOrDefault(text, text));
        }
        if (node instanceof ObjectNode object) {
            object.properties().forEach(field -> field.setValue(timeless(field.getValue(), owners)));
        } else if (node instanceof ArrayNode array) {
            for (int index = 0; index < array.size(); index++) {
                array.set(index, timeless(array.get(index), owners));
            }
        }
        return node;
    }

    /** A line for each object or field that another state has otherwise; empty if they are alike. */
    List<String> differences(EndState other) {
        List<String> lines = new ArrayList<>();
        Set<String> labels = new TreeSet<>(objects.keySet());
        labels.addAll(other.objects.keySet());
        for (String label : labels) {
            JsonNode mine = objects.get(label);
            JsonNode others = other.objects.get(label);
            if (others == null) {
                lines.add(label + " is missing");
            } else if (mine == null) {
                lines.add(label + " is there, and should not be");
            } else {
                Differences.between(mine, others).forEach(line -> lines.add(label + ": " + line));
            }
        }
        if (!outside.equals(other.outside)) {
            lines.add("outside: " + outside + " → " + other.outside);
        }
        return lines;
    }
}
