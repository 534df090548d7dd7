package io.controllermanager.reconciler;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.json.ApiJson;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a controller wants of a child, ready to be applied.
 *
 * @param namespace null for a type whose objects live in none
 * @param name the child's name
 * @param json the fields, sorted by name: maps in Java have another order in each process
 * @param hash of the fields, and among them as an annotation
 */
record DesiredState(@Nullable String namespace, String name, JsonObject json, String hash) {

    /** As many digits of the hash as tell states of one object apart. */
    private static final int HASH_BYTES = 8;

    /** What the API server sets, or is written by other requests. */
    private static final List<String> NOT_APPLIED = List.of(
            "managedFields",
            "resourceVersion",
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "generation",
            "selfLink");

    /**
     * Fills in what an author leaves out.
     *
     * @param owner what the child is made for
     * @throws IllegalArgumentException if the child has no name but a prefix for one, another value for one of the labels, no
     *     namespace, or one that the owner cannot have children in
     */
    static DesiredState of(KubernetesObject child, ChildRules<?> rules, KubernetesObject owner, ChildLink link) {
        JsonObject canonical = sorted(fields(child, rules, owner, link)).getAsJsonObject();
        return marked(canonical, hash(canonical.toString()), child, rules, owner, link);
    }

    /** The same for a child that is created and then left alone. It refuses what the other refuses. */
    static DesiredState created(KubernetesObject child, ChildRules<?> rules, KubernetesObject owner, ChildLink link) {
        JsonObject fields = fields(child, rules, owner, link);
        String name = nameOf(child, owner);
        return rules.adopts() == null && !rules.linked(link.ownerType())
                ? new DesiredState(namespaceOf(child, name, rules, owner), name, fields, ChildLink.CREATED)
                : marked(fields, ChildLink.CREATED, child, rules, owner, link);
    }

    private static DesiredState marked(
            JsonObject json,
            String hash,
            KubernetesObject child,
            ChildRules<?> rules,
            KubernetesObject owner,
            ChildLink link) {
        String name = nameOf(child, owner);
        String namespace = namespaceOf(child, name, rules, owner);
        part(part(json, "metadata"), "annotations")
                .addProperty(link.annotation(), link.value(hash, owner, namespace, name, rules.end()));
        return new DesiredState(namespace, name, json, hash);
    }

    /** The fields alone, without the annotation, which a copy of another child may bring. */
    private static JsonObject fields(
            KubernetesObject child, ChildRules<?> rules, KubernetesObject owner, ChildLink link) {
        ResourceType<?> type = rules.type();
        JsonObject json = ApiJson.tree(child).getAsJsonObject();
        json.addProperty("apiVersion", type.apiVersion());
        json.addProperty("kind", type.kind());
        json.remove("status");
        JsonObject metadata = part(json, "metadata");
        NOT_APPLIED.forEach(metadata::remove);
        if (metadata.get("annotations") instanceof JsonObject annotations
                && annotations.remove(link.annotation()) != null
                && annotations.isEmpty()) {
            metadata.remove("annotations");
        }
        if (metadata.has("generateName")) {
            throw new IllegalArgumentException(
                    "metadata.generateName of a " + type.kind() + " cannot be applied: give metadata.name");
        }
        String name = nameOf(child, owner);
        metadata.addProperty("name", name);
        Map<String, String> labels = link.labelsOf(owner, rules);
        if (!labels.isEmpty()) {
            label(part(metadata, "labels"), labels, type.kind() + " " + name);
        }
        String namespace = namespaceOf(child, name, rules, owner);
        if (namespace != null) {
            metadata.addProperty("namespace", namespace);
        }
        JsonArray owners = OwnerLink.owners(metadata.get("ownerReferences"), owner, rules, link.ownerType());
        metadata.remove("ownerReferences");
        if (!owners.isEmpty()) {
            metadata.add("ownerReferences", owners);
        }
        if (type.qualifiedName().equals(ResourceTypes.SECRET.qualifiedName())) {
            encodeStringData(json);
        }
        return json;
    }

    /** The same for the object with the uid alone: if another has the name by now, the API server answers 409. */
    DesiredState of(@Nullable String uid) {
        JsonObject withUid = json.deepCopy();
        withUid.getAsJsonObject("metadata").addProperty("uid", uid);
        return new DesiredState(namespace, name, withUid, hash);
    }

    /** The child's name, which is its owner's unless the author gives one. */
    static String nameOf(KubernetesObject child, KubernetesObject owner) {
        V1ObjectMeta metadata = child.getMetadata();
        String given = metadata == null ? null : metadata.getName();
        return given == null || given.isEmpty()
                ? Objects.requireNonNull(owner.getMetadata().getName())
                : given;
    }

    /** The namespace that the author gives, null if none. */
    static @Nullable String givenNamespace(KubernetesObject child) {
        V1ObjectMeta metadata = child.getMetadata();
        return metadata == null ? null : metadata.getNamespace();
    }

    /** A child without these labels would not be in the cache that its controller reads. */
    private static void label(JsonObject present, Map<String, String> labels, String child) {
        labels.forEach((key, value) -> {
            JsonElement given = present.get(key);
            if (given != null && !given.getAsString().equals(value)) {
                throw new IllegalArgumentException("metadata.labels[" + key + "] of " + child + " must be " + value
                        + ", which all children have, but is " + given.getAsString());
            }
            present.addProperty(key, value);
        });
    }

    /**
     * The child's namespace, which is its owner's unless the author gives one; null if it lives in none.
     *
     * @throws IllegalArgumentException if it has none, or one in which it may not live
     */
    static @Nullable String namespaceOf(
            KubernetesObject child, String name, ChildRules<?> rules, KubernetesObject owner) {
        String kind = rules.type().kind();
        String given = givenNamespace(child);
        String owners = owner.getMetadata().getNamespace();
        if (rules.type().scope() == ResourceType.Scope.CLUSTER) {
            return null;
        }
        if (given == null && owners == null) {
            throw new IllegalArgumentException(
                    "metadata.namespace of " + kind + " " + name + " is missing: its owner lives in none");
        }
        if (given == null || owners == null || given.equals(owners)) {
            return given == null ? owners : given;
        }
        Set<String> others = rules.namespaces();
        if (others == null || !(others.isEmpty() || others.contains(given))) {
            throw new IllegalArgumentException("metadata.namespace of " + kind + " " + name + " must be its owner's, "
                    + owners + (others == null ? "" : ", or one of " + new TreeSet<>(others)) + ", but is " + given
                    + (others == null ? ": say owns(...).in(...) in the description to have it elsewhere" : ""));
        }
        return given;
    }

    /** A Secret's text becomes data: the API server does so and keeps no stringData, which a comparison would miss. */
    private static void encodeStringData(JsonObject secret) {
        if (secret.remove("stringData") instanceof JsonObject texts) {
            JsonObject data = part(secret, "data");
            texts.entrySet()
                    .forEach(entry -> data.addProperty(
                            entry.getKey(),
                            Base64.getEncoder()
                                    .encodeToString(
                                            entry.getValue().getAsString().getBytes(StandardCharsets.UTF_8))));
        }
    }

    private static JsonObject part(JsonObject parent, String name) {
        if (!(parent.get(name) instanceof JsonObject)) {
            parent.add(name, new JsonObject());
        }
        return parent.getAsJsonObject(name);
    }

    /** The same with the fields of each object in the order of their names. */
    private static JsonElement sorted(JsonElement element) {
        if (element instanceof JsonObject object) {
            Map<String, JsonElement> fields = new TreeMap<>();
            object.entrySet().forEach(entry -> fields.put(entry.getKey(), sorted(entry.getValue())));
            JsonObject copy = new JsonObject();
            fields.forEach(copy::add);
            return copy;
        }
        if (element instanceof JsonArray list) {
            JsonArray copy = new JsonArray();
            list.forEach(entry -> copy.add(sorted(entry)));
            return copy;
        }
        return element;
    }

    /** The first digits of a text's SHA-256. */
    static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
