package io.controllermanager.client.internal.connection;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.controllermanager.client.internal.json.FieldPaths;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.client.internal.transport.ServerUrl;
import io.kubernetes.client.common.KubernetesObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * What is written, and what fails, through the host's client by one thread while it does one thing. It notes paths of fields, and
 * keeps no object. For one thread.
 */
public final class RequestTrail {

    /** Of each kind; others are counted. */
    public static final int MOST = 8;

    @SuppressWarnings("ThreadLocalUsage") // of all controllers: a thread does one thing at a time
    private static final ThreadLocal<@Nullable RequestTrail> CURRENT = new ThreadLocal<>();

    private final Function<ResourcePath, @Nullable KubernetesObject> cached;
    private final Predicate<String> values;
    private final List<Write> writes = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private int moreWrites;
    private int moreFailures;
    private boolean eventful;
    private @Nullable Version made;

    /** What a write has done. */
    public enum Effect {
        CREATED,
        CHANGED,
        DELETED,
        /** The object was as it was to be. */
        NONE
    }

    /**
     * A write that the API server has taken.
     *
     * @param verb as in the API server's audit log
     * @param type the type's plural and group, and the subresource
     * @param key the object's {@code namespace/name}; empty for a whole collection
     * @param paths of the fields that it has changed, where the object before is cached
     */
    public record Write(String verb, String type, String key, Effect effect, List<String> paths) {}

    /** One version of an object, which is at the path or, where a collection is, below it. */
    public record Version(ResourcePath path, String key, String resourceVersion) {}

    /**
     * Notes nothing yet.
     *
     * @param cached the object that a cache has at a path, null if none has it
     * @param values whether values are shown of a type, such as {@code deployments.apps}
     */
    public RequestTrail(Function<ResourcePath, @Nullable KubernetesObject> cached, Predicate<String> values) {
        this.cached = cached;
        this.values = values;
    }

    /** Has what is done on this thread meanwhile noted here. */
    public <T extends @Nullable Object> T during(Supplier<T> work) {
        CURRENT.set(this);
        try {
            return work.get();
        } finally {
            CURRENT.remove();
        }
    }

    /** What the last request of this thread has made, null if it has created and changed nothing. */
    public static @Nullable Version made() {
        RequestTrail trail = CURRENT.get();
        return trail == null ? null : trail.made;
    }

    /** What was written, in order, the first {@value #MOST}. */
    public List<Write> writes() {
        return writes;
    }

    /** How many writes there were besides. */
    public int moreWrites() {
        return moreWrites;
    }

    /** What failed, each with the answer's code or the error, the first {@value #MOST}. */
    public List<String> failures() {
        return failures;
    }

    /** How many requests failed besides. */
    public int moreFailures() {
        return moreFailures;
    }

    /** Whether it is to be told: something was changed, or failed. */
    public boolean isEventful() {
        return eventful;
    }

    /** Shows each request to the trail of its thread. */
    record Notes(ServerUrl server) implements HostInterceptor {

        @Override
        public Response intercept(Interceptor.Chain chain) throws IOException {
            RequestTrail trail = CURRENT.get();
            return trail == null ? chain.proceed(chain.request()) : trail.note(chain, server);
        }
    }

    /** A read that succeeds is of no interest, so that its path is not looked at. */
    private Response note(Interceptor.Chain chain, ServerUrl server) throws IOException {
        made = null;
        Request request = chain.request();
        ResourcePath path = HostInterceptor.mutates(request) ? ResourcePath.of(request.url(), server.get()) : null;
        ResourcePath written = path != null && !path.isProxied() ? path : null;
        KubernetesObject before = written == null ? null : cached.apply(written);
        try {
            Response response = chain.proceed(request);
            if (!response.isSuccessful()
                    && !(response.code() == 404 && request.method().equals("GET"))) {
                failed(request, ResourcePath.of(request.url(), server.get()), "HTTP " + response.code());
            } else if (written != null && response.isSuccessful()) {
                written(response, written, before);
            }
            return response;
        } catch (IOException e) {
            failed(
                    request,
                    ResourcePath.of(request.url(), server.get()),
                    e.getClass().getSimpleName());
            throw e;
        }
    }

    private void failed(Request request, @Nullable ResourcePath path, String how) {
        eventful = true;
        if (failures.size() == MOST) {
            moreFailures++;
            return;
        }
        String what = path == null ? " " + request.url().encodedPath() : " " + key(path, null);
        failures.add(summary(request, path) + what + ": " + how);
    }

    /** What a request does to objects of which type, such as {@code patch deployments.apps/status}. */
    public static String summary(Request request, @Nullable ResourcePath path) {
        return verb(request, path) + (path == null ? "" : " " + type(path));
    }

    private void written(Response response, ResourcePath path, @Nullable KubernetesObject before) {
        Request request = response.request();
        JsonObject answer = request.tag(JsonObject.class);
        JsonObject metadata = answer == null || !(answer.get("metadata") instanceof JsonObject found) ? null : found;
        String key = key(path, text(metadata, "name"));
        String version = text(metadata, "resourceVersion");
        Effect effect = effect(request, response.code(), before, version);
        eventful |= effect != Effect.NONE;
        if (version != null && (effect == Effect.CREATED || effect == Effect.CHANGED)) {
            made = new Version(path, key, version);
        }
        if (writes.size() == MOST) {
            moreWrites++;
            return;
        }
        KubernetesObject after = effect == Effect.CHANGED && before != null ? cached.apply(path) : null;
        writes.add(new Write(
                verb(request, path),
                type(path),
                key,
                effect,
                after == null
                        ? List.of()
                        : FieldPaths.between(Objects.requireNonNull(before), after, values.test(plain(path)))));
    }

    private static Effect effect(
            Request request, int code, @Nullable KubernetesObject before, @Nullable String version) {
        if (request.method().equals("DELETE")) {
            return Effect.DELETED;
        }
        if (code == 201) {
            return Effect.CREATED;
        }
        boolean same = version != null
                && before != null
                && version.equals(before.getMetadata().getResourceVersion());
        return same ? Effect.NONE : Effect.CHANGED;
    }

    private static String verb(Request request, @Nullable ResourcePath path) {
        return switch (request.method()) {
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> path != null && path.name() == null ? "deletecollection" : "delete";
            default -> path != null && path.name() == null ? "list" : "get";
        };
    }

    private static String plain(ResourcePath path) {
        return path.plural() + (path.group().isEmpty() ? "" : "." + path.group());
    }

    private static String type(ResourcePath path) {
        return plain(path) + (path.subresource() == null ? "" : "/" + path.subresource());
    }

    private static String key(ResourcePath path, @Nullable String created) {
        String name = path.name() == null ? created : path.name();
        return name == null ? Objects.requireNonNullElse(path.namespace(), "") : Keys.shown(path.namespace(), name);
    }

    private static @Nullable String text(@Nullable JsonObject object, String field) {
        return object != null && object.get(field) instanceof JsonPrimitive text ? text.getAsString() : null;
    }
}
