package io.controllermanager.client;

import com.google.gson.JsonObject;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.json.BytesJsonReader;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.client.internal.request.RequestFailedException;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import io.kubernetes.client.openapi.models.V1DeleteOptions;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Preconditions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes objects of one type at the API server. Each call is one request; errors come as {@link
 * RequestFailedException}, whose one-line message says what was tried and what the API server had to say, with the HTTP
 * code (0 if no answer came). Safe for use by several threads.
 *
 * @param <T> the object's class
 */
public final class ResourceClient<T extends KubernetesObject> {

    private final ApiRequests requests;
    private final ResourceType<T> type;
    private final TypeAdapter<T> adapter;

    /** Reads and writes through the client. */
    public ResourceClient(ApiClient client, ResourceType<T> type) {
        this.requests = new ApiRequests(client);
        this.type = type;
        this.adapter = ApiJson.adapter(type.objectClass());
    }

    /** The type. */
    public ResourceType<T> type() {
        return type;
    }

    /** The object, null if there is none. */
    public @Nullable T get(@Nullable String namespace, String name) throws ApiException {
        try {
            return send("get", "GET", namespace, name, "", List.of(), ApiRequests.JSON, null);
        } catch (RequestFailedException e) {
            if (ApiStatus.isObjectNotFound(e)) {
                return null;
            }
            throw e;
        }
    }

    /** All objects in the namespace, null for all namespaces, in one request. */
    public List<T> list(@Nullable String namespace) throws ApiException {
        return requests.send(
                "list " + target(namespace, null),
                requests.request("GET", type.path(namespace), List.of(), null, null),
                response -> readItems(response));
    }

    /** Creates the object in the namespace of its metadata and returns it as stored. */
    public T create(T object) throws ApiException {
        V1ObjectMeta metadata = object.getMetadata();
        String name = metadata.getName();
        return requests.send(
                "create " + target(metadata.getNamespace(), name == null ? metadata.getGenerateName() + "*" : name),
                requests.request(
                        "POST", type.path(metadata.getNamespace()), List.of(), ApiRequests.JSON, ApiJson.write(object)),
                this::readObject);
    }

    /** Replaces the object; with a resourceVersion in its metadata only if nobody has changed it since (else 409). */
    public T update(T object) throws ApiException {
        return update("update", object, "");
    }

    /** Replaces the object's status through the status subresource; nothing else of it is written. */
    public T updateStatus(T object) throws ApiException {
        return update("update status of", object, "/status");
    }

    private T update(String verb, T object, String subresource) throws ApiException {
        V1ObjectMeta metadata = object.getMetadata();
        String name = metadata.getName();
        if (name == null) {
            throw new IllegalArgumentException("an object of " + type + " has no name");
        }
        byte[] body = ApiJson.write(object);
        return send(verb, "PUT", metadata.getNamespace(), name, subresource, List.of(), ApiRequests.JSON, body);
    }

    /** Patches the object. */
    public T patch(@Nullable String namespace, String name, Patch patch) throws ApiException {
        return patch("patch", namespace, name, "", patch);
    }

    /** Patches the object's status through the status subresource. */
    public T patchStatus(@Nullable String namespace, String name, Patch patch) throws ApiException {
        return patch("patch status of", namespace, name, "/status", patch);
    }

    /**
     * Deletes the object, and its dependents in the background. (Without that policy the API server would leave the Pods of a Job.)
     *
     * @return whether it was there
     */
    public boolean delete(@Nullable String namespace, String name) throws ApiException {
        return delete(namespace, name, null);
    }

    /**
     * Deletes the object only if it is the one with the given uid, and its dependents in the background.
     *
     * @param uid the uid, null for whichever object bears the name
     * @return whether it was there; with another uid the API server answers 409
     */
    public boolean delete(@Nullable String namespace, String name, @Nullable String uid) throws ApiException {
        return delete(namespace, name, uid, Propagation.BACKGROUND);
    }

    /** As {@link #delete(String, String, String)}; says what becomes of the object's dependents. */
    public boolean delete(@Nullable String namespace, String name, @Nullable String uid, Propagation propagation)
            throws ApiException {
        V1DeleteOptions wanted = new V1DeleteOptions().propagationPolicy(propagation.policy());
        byte[] options = ApiJson.write(uid == null ? wanted : wanted.preconditions(new V1Preconditions().uid(uid)));
        try {
            // What comes back is the object or a Status, depending on finalizers: of no use to a caller.
            requests.send(
                    "delete " + target(namespace, name),
                    requests.request("DELETE", type.path(namespace) + "/" + name, List.of(), ApiRequests.JSON, options),
                    ApiRequests::drop);
            return true;
        } catch (RequestFailedException e) {
            if (ApiStatus.isObjectNotFound(e)) {
                return false;
            }
            throw e;
        }
    }

    /** A deep copy of an object, for changing one that comes from an informer. */
    public T copy(T object) {
        return ApiJson.copy(object, type.objectClass());
    }

    private T patch(String verb, @Nullable String namespace, String name, String subresource, Patch patch)
            throws ApiException {
        List<Pair> query = new ArrayList<>();
        if (patch instanceof Patch.Apply apply) {
            query.add(new Pair("fieldManager", apply.fieldManager()));
            query.add(new Pair("force", Boolean.toString(apply.force())));
        }
        byte[] body = patch.json().getBytes(StandardCharsets.UTF_8);
        return send(verb, "PATCH", namespace, name, subresource, query, contentType(patch), body);
    }

    private static String contentType(Patch patch) {
        if (patch instanceof Patch.Json) {
            return "application/json-patch+json";
        }
        if (patch instanceof Patch.Merge) {
            return "application/merge-patch+json";
        }
        // JSON is YAML; the API server knows no other content type for it in all its supported versions.
        return patch instanceof Patch.StrategicMerge
                ? "application/strategic-merge-patch+json"
                : "application/apply-patch+yaml";
    }

    private T send(
            String verb,
            String method,
            @Nullable String namespace,
            String name,
            String subresource,
            List<Pair> query,
            String contentType,
            byte @Nullable [] body)
            throws ApiException {
        return requests.send(
                verb + " " + target(namespace, name),
                requests.request(method, type.path(namespace) + "/" + name + subresource, query, contentType, body),
                this::readObject);
    }

    /** From the tree that observers of writes were shown, if there is one. */
    private T readObject(Response response) throws IOException {
        JsonObject parsed = response.request().tag(JsonObject.class);
        return parsed == null ? ApiJson.read(response.body().bytes(), adapter) : ApiJson.read(parsed, adapter);
    }

    private List<T> readItems(Response response) throws IOException {
        List<T> items = new ArrayList<>();
        try (JsonReader reader = BytesJsonReader.of(response.body().byteStream())) {
            reader.beginObject();
            while (reader.hasNext()) {
                if ("items".equals(reader.nextName())
                        && reader.peek() == com.google.gson.stream.JsonToken.BEGIN_ARRAY) {
                    reader.beginArray();
                    while (reader.hasNext()) {
                        items.add(adapter.read(reader));
                    }
                    reader.endArray();
                } else {
                    reader.skipValue();
                }
            }
            reader.endObject();
        }
        return items;
    }

    private String target(@Nullable String namespace, @Nullable String name) {
        String object = name == null ? namespace == null ? "" : " in " + namespace : " " + Keys.shown(namespace, name);
        return type.qualifiedName() + object;
    }
}
