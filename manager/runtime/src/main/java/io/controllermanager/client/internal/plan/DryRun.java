package io.controllermanager.client.internal.plan;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.controllermanager.client.internal.plan.PlannedWrite.Kind;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.client.internal.transport.ServerUrl;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
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
        String name = path.name() != null ? path.name() : PlannedObject.text(body, "name");
        if (name.isEmpty()) {
            // The API server makes one.
            Response answer = chain.proceed(dry(request));
            JsonObject made = answer.isSuccessful() ? json(answer) : null;
            return made == null
                    ? failed(request, answer)
                    : write(chain, path, PlannedObject.text(made, "name"), new JsonObject(), made);
        }
        return write(chain, path, name, body, null);
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

    /** With what the API server has made already, if that is known. */
    private Response write(Chain chain, ResourcePath path, String name, JsonObject body, @Nullable JsonObject made)
            throws IOException {
        Request request = chain.request();
        PlannedObject object = plan.object(
                new ResourcePath(path.group(), path.version(), path.plural(), path.namespace(), name, null));
        synchronized (object) {
            String obstacle = plan.enter(object);
            if (obstacle != null) {
                throw new IOException(obstacle);
            }
            if (made == null && !object.local) {
                Response unreadable = refresh(chain, object);
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
                    "status".equals(path.subresource()),
                    Objects.requireNonNullElse(request.url().queryParameter("fieldManager"), ""),
                    body);
            int refusal = write.refusal();
            return refusal != 0 ? PlannedAnswers.refusal(request, object.path, refusal) : write(chain, write, made);
        }
    }

    private Response write(Chain chain, PlannedWrite write, @Nullable JsonObject made) throws IOException {
        Request request = chain.request();
        PlannedObject object = write.object();
        JsonObject told = made;
        switch (made == null ? write.sending() : PlannedWrite.Sending.NOT) {
            case NOT -> {
                if (made == null && write.kind() == Kind.OTHER_PATCH) {
                    throw refused(request, "a patch of this kind of what is only planned");
                }
                object.unchecked |= made == null && write.kind() != Kind.DELETE;
            }
            default -> {
                Response answer = chain.proceed(toSend(request, write));
                if (!answer.isSuccessful()) {
                    return failed(request, answer);
                }
                told = json(answer);
            }
        }
        JsonObject before = object.now;
        JsonObject result = write.result(told);
        boolean changed = object.become(result, plan.nextVersion());
        if (changed) {
            plan.changed(object, before);
        }
        JsonObject now = object.now;
        if (now != null) {
            return PlannedAnswers.answer(request, before == null ? 201 : 200, now);
        }
        // As the API server answers a deletion, or an update that has ended one.
        return write.kind() == Kind.DELETE || result == null
                ? PlannedAnswers.answer(
                        request, 200, PlannedAnswers.deletion(object.path, Objects.requireNonNull(before)))
                : PlannedAnswers.answer(request, 200, result);
    }

    private Request toSend(Request request, PlannedWrite write) throws IOException {
        return switch (write.sending()) {
            case MERGED ->
                dry(request.newBuilder()
                        .method(request.method(), json(write.merged(), request))
                        .build());
            case AS_CREATION -> {
                HttpUrl url = request.url();
                HttpUrl collection =
                        url.newBuilder().removePathSegment(url.pathSize() - 1).build();
                yield dry(request.newBuilder()
                        .url(collection)
                        .post(RequestBody.create(write.creation().toString(), MediaType.get(ApiRequests.JSON)))
                        .build());
            }
            default -> dry(request);
        };
    }

    private static RequestBody json(JsonObject body, Request request) {
        RequestBody old = request.body();
        // Without a character set, which some patch types forbid.
        return RequestBody.create(
                body.toString().getBytes(StandardCharsets.UTF_8),
                old == null ? MediaType.get(ApiRequests.JSON) : old.contentType());
    }

    /** Learns how the API server has the object at this moment; returns its answer if it does not tell. */
    private static @Nullable Response refresh(Chain chain, PlannedObject object) throws IOException {
        Request request = chain.request();
        HttpUrl.Builder url = request.url().newBuilder().query(null);
        int segments = request.url().pathSize();
        ResourcePath path = object.path;
        boolean creation = request.method().equals("POST");
        if (creation) {
            url.addPathSegment(Objects.requireNonNull(path.name()));
        } else if (request.url().pathSegments().get(segments - 1).equals("status")) {
            url.removePathSegment(segments - 1);
        }
        Response answer = chain.proceed(get(request, url.build()));
        if (answer.code() == 404) {
            answer.close();
            object.refresh(null);
            return null;
        }
        if (answer.code() == 403) {
            // A controller that watches them may list them at least.
            HttpUrl one = url.build();
            Response list = chain.proceed(get(
                    request,
                    one.newBuilder()
                            .removePathSegment(one.pathSize() - 1)
                            .addQueryParameter("fieldSelector", "metadata.name=" + path.name())
                            .build()));
            JsonObject found = list.isSuccessful() ? json(list) : null;
            list.close();
            if (found != null && found.get("items") instanceof JsonArray items) {
                answer.close();
                object.refresh(items.isEmpty() ? null : item(found, items.get(0)));
                return null;
            }
        }
        JsonObject fresh = answer.isSuccessful() ? json(answer) : null;
        if (fresh == null) {
            return answer;
        }
        object.refresh(fresh);
        return null;
    }

    /** Of a list, whose elements need not say what they are. */
    private static JsonObject item(JsonObject list, JsonElement item) {
        JsonObject object = item.getAsJsonObject();
        object.add("apiVersion", list.get("apiVersion"));
        object.addProperty("kind", list.get("kind").getAsString().replaceFirst("List$", ""));
        return object;
    }

    private static Request get(Request request, HttpUrl url) {
        return request.newBuilder()
                .url(url)
                .get()
                .header("Accept", ApiRequests.JSON)
                .build();
    }

    private Response failed(Request request, Response answer) throws IOException {
        String text = answer.peekBody(1 << 16).string();
        if (text.contains("does not support dry run")) {
            plan.unknown(what(request) + ": " + message(text));
        }
        return answer;
    }

    private static String message(String answer) {
        try {
            return JsonParser.parseString(answer)
                    .getAsJsonObject()
                    .get("message")
                    .getAsString();
        } catch (RuntimeException e) {
            return answer;
        }
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

    private static @Nullable JsonObject json(Response answer) throws IOException {
        try (answer) {
            return JsonParser.parseString(answer.body().string()) instanceof JsonObject object ? object : null;
        } catch (JsonParseException e) {
            throw new IOException("a dry run reads JSON only, and not the answer to " + what(answer.request()), e);
        }
    }
}
