package io.controllermanager.informer.internal.store;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.TypeAdapter;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the answers to this process's writes into objects as an informer stores them. Each informer makes its own of an
 * answer, since the write's author may change the one that they were given.
 *
 * @param <T> the objects' class
 * @param group the informer's API group
 * @param version its version
 * @param plural its type's name
 * @param kind the kind, null if it is not known
 * @param namespaces the namespaces, empty for all
 * @param selected which objects the informer holds
 * @param adapter reads an object
 * @param finish what is done to each object once decoded
 */
public record WriteAnswers<T extends KubernetesObject>(
        String group,
        String version,
        String plural,
        @Nullable String kind,
        Set<String> namespaces,
        SelectedObjects selected,
        TypeAdapter<T> adapter,
        UnaryOperator<T> finish) {

    /** What an answer says. */
    public sealed interface Answer<T> {

        /** The key of the object. */
        String key();

        /** The object's namespace, null if it lives in none. */
        @Nullable
        String namespace();

        /** The object's version, negative if the API server told none. */
        long version();

        /**
         * An object is stored.
         *
         * @param object the object, null if the informer does not hold objects such as this
         * @param version its version
         */
        record Stored<T>(
                String key,
                @Nullable String namespace,
                @Nullable T object,
                long version) implements Answer<T> {}

        /**
         * An object is gone.
         *
         * @param uid its uid
         * @param version that the API server answered with, negative if none
         */
        record Deleted<T>(String key, @Nullable String namespace, String uid, long version) implements Answer<T> {}
    }

    /** Whether a write to this path may concern the informer. */
    public boolean concerns(ResourcePath path) {
        return !path.isProxied()
                && group.equals(path.group())
                && version.equals(path.version())
                && plural.equals(path.plural())
                && (namespaces.isEmpty() || path.namespace() == null || namespaces.contains(path.namespace()));
    }

    /** Reads an answer; null if it says nothing about an object of this type. */
    @Nullable
    public Answer<T> read(ResourcePath path, String method, JsonObject object) {
        boolean deletion = method.equals("DELETE") && path.subresource() == null;
        if (deletion && path.name() != null && "Status".equals(text(object, "kind"))) {
            return deleted(path, path.name(), object.get("details"), -1);
        }
        if (!isOurs(object, path) || !(object.get("metadata") instanceof JsonObject metadata)) {
            return null;
        }
        String name = text(metadata, "name");
        long resourceVersion = ResourceVersions.number(text(metadata, "resourceVersion"));
        if (name == null) {
            return null;
        }
        if (deletion ? !isStillThere(object, metadata) : hasGoneByThis(object, metadata)) {
            return deleted(path, name, metadata, resourceVersion);
        }
        T read = selected.contains(object) ? finish.apply(ApiJson.read(object, adapter)) : null;
        return new Answer.Stored<>(key(path, name), path.namespace(), read, resourceVersion);
    }

    private static <T> @Nullable Answer<T> deleted(
            ResourcePath path, String name, @Nullable JsonElement holdsUid, long version) {
        String uid = holdsUid instanceof JsonObject holder ? text(holder, "uid") : null;
        return uid == null ? null : new Answer.Deleted<>(key(path, name), path.namespace(), uid, version);
    }

    /** A Scale, a Binding or a TokenRequest is answered for a subresource as well as the object itself. */
    private boolean isOurs(JsonObject object, ResourcePath path) {
        if (!apiVersion().equals(text(object, "apiVersion"))) {
            return false;
        }
        return kind == null
                ? !"Status".equals(text(object, "kind")) && isOfObject(path)
                : kind.equals(text(object, "kind"));
    }

    private static boolean isOfObject(ResourcePath path) {
        return path.subresource() == null || path.subresource().equals("status");
    }

    private String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /**
     * Whether an object is there after a deletion: finalizers, or containers that are given time to end, keep it. Of a
     * namespace nothing says how much time it is given; it goes when its controller has emptied it.
     */
    private static boolean isStillThere(JsonObject object, JsonObject metadata) {
        return metadata.has("deletionTimestamp") && !(hasNoTimeLeft(metadata) && hasNoFinalizers(object, metadata));
    }

    /**
     * Whether an update has taken away the last finalizer of an object that was being deleted. The API server then deletes
     * it and answers with what it was sent (apiserver's {@code registry/generic/registry/store.go}), under the version that
     * the object had before. A namespace, which is not told how much time it has, goes like one that has none.
     */
    private static boolean hasGoneByThis(JsonObject object, JsonObject metadata) {
        return metadata.has("deletionTimestamp")
                && (!metadata.has("deletionGracePeriodSeconds") || hasNoTimeLeft(metadata))
                && hasNoFinalizers(object, metadata);
    }

    private static boolean hasNoTimeLeft(JsonObject metadata) {
        return metadata.get("deletionGracePeriodSeconds") instanceof JsonPrimitive seconds && seconds.getAsLong() == 0;
    }

    private static boolean hasNoFinalizers(JsonObject object, JsonObject metadata) {
        return isEmpty(metadata.get("finalizers"))
                && !(object.get("spec") instanceof JsonObject spec && !isEmpty(spec.get("finalizers")));
    }

    private static boolean isEmpty(@Nullable JsonElement list) {
        return !(list instanceof JsonArray array) || array.isEmpty();
    }

    private static String key(ResourcePath path, String name) {
        return Keys.shown(path.namespace(), name);
    }

    private static @Nullable String text(JsonObject object, String field) {
        return object.get(field) instanceof JsonPrimitive value && !Objects.equals(value.getAsString(), "")
                ? value.getAsString()
                : null;
    }
}
