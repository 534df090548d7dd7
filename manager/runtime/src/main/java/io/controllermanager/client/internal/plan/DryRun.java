package io.controllermanager.client.internal.plan;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.controllermanager.client.ApiStatus;
import io.controllermanager.client.internal.plan.PlannedWrite.Kind;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.client.internal.transport.ServerUrl;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Lets no request change anything. Each write goes out with {@code dryRun=All}, and its answer is what is planned of the object:
 * whoever writes or reads the object next finds it so. A write that cannot be a dry run is refused. Reads of collections tell
 * what is there; planned objects are shown by the caches.
 */
public final class DryRun implements Interceptor {

    private static final String ALL = "All";

    /** Of {@code generateName}: the API server cuts it there. */
    private static final int LONGEST_PREFIX = 58;

    /** What is created there is an answer, and nothing is stored. */
    private static final Set<String> REVIEWS = Set.of("authentication.k8s.io", "authorization.k8s.io");

    private static final Set<String> STREAMS = Set.of("exec", "attach", "portforward");

    private final ServerUrl server;
    private final Plan plan;

    /**
     * For a client.
     *
     * @param server where it leads
     * @param plan takes what comes of it
     */
    public DryRun(ServerUrl server, Plan plan) {
        this.server = server;
        this.plan = plan;
    }

    /** What comes of it. */
    public Plan plan() {
        return plan;
    }

    /** The last check, of what goes out on a connection: whoever has changed the request since, it changes nothing. */
    public Response check(Chain chain) throws IOException {
        Request request = chain.request();
        if (isRead(request) || isDryRun(request) || isReview(ResourcePath.of(request.url(), server.get()))) {
            return chain.proceed(request);
        }
        throw refused(request, "it has lost its dryRun=All");
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Request request = chain.request();
        ResourcePath path = ResourcePath.of(request.url(), server.get());
        if (opens(request, path)) {
            throw refused(request, "what it opens can change something");
        }
        if (isRead(request)) {
            PlannedObject planned = path == null || !isOfObject(path) ? null : plan.planned(path);
            return planned == null ? chain.proceed(request) : read(chain, planned);
        }
        if (isDryRun(request) || isReview(path)) {
            return chain.proceed(request);
        }
        if (path == null || (path.name() == null && request.method().equals("DELETE"))) {
            throw refused(request, path == null ? "it is of no object" : "it is of a whole collection");
        }
        if (!isOfObject(path)) {
            throw refused(request, "of the subresource " + path.subresource() + " nothing can be planned");
        }
        JsonObject body = body(request);
        Request named = path.name() == null ? named(request, body) : request;
        String name = path.name() != null ? path.name() : PlannedObject.text(body, "name");
        // Without a name the API server refuses it.
        return name.isEmpty() ? chain.proceed(dry(request)) : write(chain, named, path, name, body);
    }

    /** Gives an object the name that the API server would make. */
    private static Request named(Request request, JsonObject body) {
        String prefix = PlannedObject.text(body, "generateName");
        if (prefix.isEmpty() || !PlannedObject.text(body, "name").isEmpty()) {
            return request;
        }
        String cut = prefix.substring(0, Math.min(prefix.length(), LONGEST_PREFIX));
        PlannedObject.metadata(body)
                .addProperty("name", cut + UUID.randomUUID().toString().substring(0, 5));
        return request.newBuilder().post(json(body, request)).build();
    }

    private static Response read(Chain chain, PlannedObject object) throws IOException {
        synchronized (object) {
            if (!object.isPlanned()) {
                return chain.proceed(chain.request());
            }
            JsonObject now = object.now;
            return now == null
                    ? PlannedAnswers.refusal(chain.request(), object.path, 404)
                    : PlannedAnswers.answer(chain.request(), 200, now);
        }
    }

    /** With a request that is the chain's own, unless its object was given a name. */
    private Response write(Chain chain, Request request, ResourcePath path, String name, JsonObject body)
            throws IOException {
        PlannedObject object = plan.object(
                new ResourcePath(path.group(), path.version(), path.plural(), path.namespace(), name, null));
        synchronized (object) {
            String obstacle = plan.enter(object);
            if (obstacle != null) {
                throw new IOException(obstacle);
            }
            HttpUrl collection = collection(request.url(), path);
            // There is none yet of a name that was just made, and who may create need not be allowed to read.
            boolean made = request != chain.request();
            if (!object.local && !made) {
                Response unreadable = refresh(chain, request, collection, object);
                if (unreadable != null) {
                    return unreadable;
                }
            }
            object.local |= object.base == null && object.now == null && plan.plansNamespace(path.namespace());
            String type =
                    request.body() == null ? "" : String.valueOf(request.body().contentType());
            PlannedWrite write = new PlannedWrite(
                    object,
                    Kind.of(request.method(), type),
                    path.subresource() != null,
                    Objects.requireNonNullElse(request.url().queryParameter("fieldManager"), ""),
                    body);
            int refusal = write.refusal();
            return refusal == 0
                    ? write(chain, request, collection, write)
                    : PlannedAnswers.refusal(request, object.path, refusal);
        }
    }

    private Response write(Chain chain, Request request, HttpUrl collection, PlannedWrite write) throws IOException {
        PlannedObject object = write.object();
        JsonObject told = null;
        if (write.sending() != PlannedWrite.Sending.NOT) {
            Response answer = chain.proceed(toSend(request, collection, write));
            if (!answer.isSuccessful()) {
                return failed(request, answer);
            }
            told = json(answer);
        } else if (write.kind() == Kind.OTHER_PATCH) {
            throw refused(request, "a patch of this kind of what is only planned");
        } else {
            object.unchecked |= write.kind() != Kind.DELETE;
        }
        JsonObject before = object.now;
        JsonObject result = write.result(told);
        if (object.become(result, plan.nextVersion())) {
            plan.changed(object, before);
        }
        JsonObject now = object.now == null ? result : object.now;
        if (now == null) {
            return PlannedAnswers.deletion(request, object.path, Objects.requireNonNull(before));
        }
        // An update that has ended a deletion is answered by what it wrote.
        return PlannedAnswers.answer(request, before == null ? 201 : 200, now);
    }

    private static Request toSend(Request request, HttpUrl collection, PlannedWrite write) throws IOException {
        return switch (write.sending()) {
            case MERGED ->
                dry(request.newBuilder()
                        .method(request.method(), json(write.merged(), request))
                        .build());
            case AS_CREATION ->
                dry(request.newBuilder()
                        .url(collection
                                .newBuilder()
                                .query(request.url().query())
                                .build())
                        .post(RequestBody.create(write.creation().toString(), MediaType.get(ApiRequests.JSON)))
                        .build());
            default -> dry(request);
        };
    }

    /** Where an object is among its like. */
    private static HttpUrl collection(HttpUrl url, ResourcePath path) {
        HttpUrl.Builder collection = url.newBuilder().query(null);
        int last = url.pathSize() - (path.name() == null ? 0 : 1) - (path.subresource() == null ? 0 : 1);
        for (int i = url.pathSize() - 1; i >= last; i--) {
            collection.removePathSegment(i);
        }
        return collection.build();
    }

    private static RequestBody json(JsonObject body, Request request) {
        RequestBody old = request.body();
        // Without a character set, which some patch types forbid.
        return RequestBody.create(
                body.toString().getBytes(StandardCharsets.UTF_8),
                old == null ? MediaType.get(ApiRequests.JSON) : old.contentType());
    }

    /** Learns how the API server has the object at this moment; returns its answer if it does not tell. */
    private static @Nullable Response refresh(Chain chain, Request request, HttpUrl collection, PlannedObject object)
            throws IOException {
        String name = Objects.requireNonNull(object.path.name());
        Response answer = chain.proceed(
                get(request, collection.newBuilder().addPathSegment(name).build()));
        if (answer.code() == 403) {
            answer.close();
            // A controller that watches them may list them at least.
            Response list = chain.proceed(get(
                    request,
                    collection
                            .newBuilder()
                            .addQueryParameter("fieldSelector", "metadata.name=" + name)
                            .build()));
            if (list.isSuccessful()) {
                object.refresh(only(json(list)));
            }
            return list.isSuccessful() ? null : list;
        }
        if (!answer.isSuccessful() && answer.code() != 404) {
            return answer;
        }
        try (answer) {
            object.refresh(answer.isSuccessful() ? json(answer) : null);
        }
        return null;
    }

    /** The one of a list, whose elements need not say what they are; null if it is empty. */
    private static @Nullable JsonObject only(JsonObject list) {
        for (JsonElement item : list.getAsJsonArray("items")) {
            JsonObject object = item.getAsJsonObject();
            object.add("apiVersion", list.get("apiVersion"));
            object.addProperty("kind", list.get("kind").getAsString().replaceFirst("List$", ""));
            return object;
        }
        return null;
    }

    private static Request get(Request request, HttpUrl url) {
        return request.newBuilder()
                .url(url)
                .get()
                .header("Accept", ApiRequests.JSON)
                .build();
    }

    private Response failed(Request request, Response answer) throws IOException {
        String message = ApiStatus.of(answer.peekBody(1 << 16).string()).message();
        if (message.contains("does not support dry run")) {
            plan.unknown(what(request) + ": " + message);
        }
        return answer;
    }

    private IOException refused(Request request, String why) {
        String sentence = what(request) + " was not sent: this is a dry run, and " + why;
        plan.unknown(sentence);
        return new IOException(sentence);
    }

    private static String what(Request request) {
        return request.method() + " " + request.url().encodedPath();
    }

    private static Request dry(Request request) throws IOException {
        Request.Builder dry = request.newBuilder()
                .url(request.url().newBuilder().addQueryParameter("dryRun", ALL).build());
        if (hasOptions(request)) {
            JsonArray stages = new JsonArray();
            stages.add(ALL);
            JsonObject options = body(request);
            options.add("dryRun", stages);
            dry.delete(json(options, request));
        }
        return dry.build();
    }

    private static boolean isDryRun(Request request) throws IOException {
        return hasOptions(request)
                ? body(request).get("dryRun") instanceof JsonArray stages && !stages.isEmpty()
                : ALL.equals(request.url().queryParameter("dryRun"));
    }

    /** Whether it is a deletion with options in its body: then those in the URL count for nothing. */
    private static boolean hasOptions(Request request) throws IOException {
        RequestBody body = request.body();
        return request.method().equals("DELETE") && body != null && body.contentLength() != 0;
    }

    private static boolean isRead(Request request) {
        return Set.of("GET", "HEAD", "OPTIONS").contains(request.method());
    }

    /** Whether it leads to a container, a pod or a service: also a GET does there whatever it likes. */
    private static boolean opens(Request request, @Nullable ResourcePath path) {
        return request.header("Upgrade") != null
                || (path != null
                        && path.subresource() != null
                        && (path.isProxied() || STREAMS.contains(path.subresource())));
    }

    private static boolean isReview(@Nullable ResourcePath path) {
        return path != null && REVIEWS.contains(path.group());
    }

    private static boolean isOfObject(ResourcePath path) {
        return path.subresource() == null || path.subresource().equals("status");
    }

    private static JsonObject body(Request request) throws IOException {
        RequestBody body = request.body();
        if (body == null || body.contentLength() == 0) {
            return new JsonObject();
        }
        Buffer text = new Buffer();
        body.writeTo(text);
        try {
            return JsonParser.parseString(text.readUtf8()) instanceof JsonObject object ? object : new JsonObject();
        } catch (JsonParseException e) {
            throw new IOException("a dry run reads JSON only, and not the body of " + what(request), e);
        }
    }

    private static JsonObject json(Response answer) throws IOException {
        try (answer) {
            return JsonParser.parseString(answer.body().string()).getAsJsonObject();
        } catch (JsonParseException | IllegalStateException e) {
            throw new IOException("a dry run reads JSON only, and not the answer to " + what(answer.request()), e);
        }
    }
}
