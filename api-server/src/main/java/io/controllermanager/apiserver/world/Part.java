package io.controllermanager.apiserver.world;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.hash.HashCode;
import com.google.common.hash.Hashing;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.storage.StoredObject;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** A part of the world: an object as a decision sees it, and what the decision does with it. */
final class Part {

    /** To be changed; the world stores that of the object that it decides about, others are {@linkplain World#save saved}. */
    final ObjectNode tree;

    final ObjectNode status;
    final World world;
    final StoredObject stored;

    Part(World world, StoredObject stored) {
        this.world = world;
        this.stored = stored;
        tree = stored.tree();
        status = Json.child(tree, "status");
    }

    /** An object of names and values, which are texts or trees. Empty texts and what is missing are left out. */
    static ObjectNode tree(Object... fields) {
        ObjectNode tree = Json.object();
        for (int i = 0; i < fields.length; i += 2) {
            JsonNode value = fields[i + 1] instanceof JsonNode node ? node : Json.text(fields[i + 1].toString());
            if (!value.isMissingNode() && !(value.isTextual() && value.asText().isEmpty())) {
                tree.set((String) fields[i], value.deepCopy());
            }
        }
        return tree;
    }

    static int count(List<Part> parts, Predicate<Part> which) {
        return (int) parts.stream().filter(which).count();
    }

    static int total(List<Part> parts, String pointer) {
        return parts.stream().mapToInt(part -> part.number(pointer)).sum();
    }

    String name() {
        return stored.key().name();
    }

    String namespace() {
        return stored.key().namespace();
    }

    String text(String pointer) {
        return tree.at(pointer).asText("");
    }

    int number(String pointer) {
        return tree.at(pointer).asInt();
    }

    Instant time(String pointer, Instant otherwise) {
        return text(pointer).isEmpty() ? otherwise : Instant.parse(text(pointer));
    }

    ObjectNode spec() {
        return Json.child(tree, "spec");
    }

    /** A name for the object's template, the same for equal ones. */
    String hash() {
        HashCode hash = Hashing.sha256().hashBytes(Json.writeSorted(tree.at("/spec/template")));
        return Integer.toUnsignedString(hash.asInt(), Character.MAX_RADIX);
    }

    /** Now, as objects have it. */
    String stamp() {
        return world.commits.now();
    }

    /** Where a condition is. */
    private String pointer(String condition) {
        return "/status/conditions/"
                + status.path("conditions").findValuesAsText("type").indexOf(condition);
    }

    boolean has(String condition) {
        return text(pointer(condition) + "/status").equals("True");
    }

    String reason(String condition) {
        return text(pointer(condition) + "/reason");
    }

    /** Since when a condition is as it is. */
    Instant since(String condition) {
        return time(pointer(condition) + "/lastTransitionTime", world.now());
    }

    void set(String condition, boolean value, String reason) {
        JsonNode present = tree.at(pointer(condition));
        if (present.isMissingNode()
                || has(condition) != value
                || !reason(condition).equals(reason)) {
            ObjectNode changed = present instanceof ObjectNode here
                    ? here
                    : status.withArray("conditions").addObject();
            changed.removeAll().put("type", condition).put("status", value ? "True" : "False");
            changed.put("lastTransitionTime", stamp()).setAll(tree("reason", reason));
        }
    }

    /** Puts a count into the status, which is left out where it is 0. */
    void count(String field, int count) {
        status.remove(field);
        if (count != 0) {
            status.put(field, count);
        }
    }

    boolean isReady() {
        return has("Ready") && isActive();
    }

    /** Whether the phase is one of these. */
    boolean isIn(String... phases) {
        return List.of(phases).contains(text("/status/phase"));
    }

    /** Whether a Pod is to run on. */
    boolean isActive() {
        return !isIn("Succeeded", "Failed") && !stored.isBeingDeleted();
    }

    /** Those of a resource that the object owns, oldest first. */
    List<Part> children(String resource) {
        return world.commits.store().dependentsOf(stored.uid()).stream()
                .filter(child -> child.key().resource().equals(resource))
                .map(child -> new Part(world, child))
                .sorted(Comparator.comparing((Part child) -> child.text("/metadata/creationTimestamp"))
                        .thenComparing(Part::name))
                .toList();
    }

    ObjectNode reference() {
        ObjectNode reference = tree("apiVersion", tree.path("apiVersion"), "kind", tree.path("kind"));
        reference.put("name", name()).put("uid", stored.uid());
        return reference.put("controller", true).put("blockOwnerDeletion", true);
    }

    /** An object that this one controls, by a template. A name that ends with a dash gets a suffix. */
    ObjectNode child(String apiVersion, String kind, String name, JsonNode template) {
        JsonNode given = template.path("metadata");
        ObjectNode metadata = tree("labels", given.path("labels"), "annotations", given.path("annotations"));
        metadata.put(name.endsWith("-") ? "generateName" : "name", name).put("namespace", namespace());
        metadata.putArray("ownerReferences").add(reference());
        return tree("apiVersion", apiVersion, "kind", kind, "metadata", metadata, "spec", template.path("spec"));
    }

    ObjectNode pod(String name) {
        return child("v1", "Pod", name, tree.at("/spec/template"));
    }

    /** Makes the Pods that are missing, or deletes those that are too many: first what is not ready, then the youngest. */
    void scale(List<Part> pods, int wanted) {
        for (int i = pods.size(); i < wanted; i++) {
            world.create(pod(name() + "-"));
        }
        pods.stream()
                .sorted(Comparator.comparing(Part::isReady).thenComparing(pods::indexOf, Comparator.reverseOrder()))
                .limit(Math.max(0, pods.size() - wanted))
                .forEach(world::delete);
    }

    /**
     * Whether a step of the object comes now. If it comes later, the object is decided about again then.
     *
     * @param which tells one from the next where it comes more than once
     */
    boolean comes(Step step, String which) {
        return isPast(world.rule(step, stored).due(stored.uid() + which, world.now()));
    }

    /** Whether a time has come. If not, the object is decided about again then. */
    boolean isPast(Instant time) {
        return world.isPast(stored.key(), time);
    }
}
