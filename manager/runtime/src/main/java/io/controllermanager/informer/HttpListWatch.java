package io.controllermanager.informer;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.ApiJson;
import io.controllermanager.client.ApiRequests;
import io.controllermanager.client.BytesJsonReader;
import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.RequestFailedException;
import io.controllermanager.client.ResourcePath;
import io.controllermanager.client.RetryAfter;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Status;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists and watches over HTTP. A list comes in pages (or whole, where the API server answers from its watch cache) and is
 * decoded as a stream, object by object; of a watch, the text of one event is held. An object that does not fit its class
 * is left out and reported; it does not keep the others from being read.
 *
 * <p>Lists are asked for compressed, as client-go does: of 50,000 ConfigMaps that took a third of the processor time from
 * a cold start, and a third from the API server, since both have far fewer bytes to encrypt and to send. Watches are
 * never compressed by the API server, and are not asked to be.
 *
 * @param <T> the object's class
 */
final class HttpListWatch<T> implements ListWatch<T> {

    private static final Logger log = LoggerFactory.getLogger(HttpListWatch.class);

    /** On HTTP/2 pings find a dead connection, and this is a last resort. */
    private static final Duration IDLE_WITH_PINGS = Duration.ofMinutes(3);

    /** On HTTP/1.1 nothing tells a quiet watch from a dead one; bookmarks come only about once a minute. */
    private static final Duration IDLE_WITHOUT_PINGS = Duration.ofSeconds(25);

    /** As {@code metav1.InitialEventsAnnotationKey}. */
    private static final String INITIAL_STATE_ENDS = "k8s.io/initial-events-end";

    private final ApiRequests requests;
    private final ApiDiscovery discovery;
    private final Template template;
    private final TypeAdapter<T> adapter;
    private final UnaryOperator<T> finish;
    private final String target;
    private final int pageSize;
    private final boolean watchListFirst;
    private volatile @Nullable Call current;
    private volatile @Nullable ResourcePath path;

    /** Makes the request that query parameters are then set on. */
    @FunctionalInterface
    interface Template {

        /** The request, as the client is configured now. */
        Request request(boolean watch, String resourceVersion) throws ApiException;

        /** The media type to ask for. */
        default String accept(boolean watch) {
            return "application/json";
        }
    }

    /**
     * Lists and watches.
     *
     * @param finish what is done to each object once decoded
     * @param target what is listed, for messages
     * @param watchListFirst whether the very first state is asked for by WatchList, too
     */
    HttpListWatch(
            ApiRequests requests,
            ApiDiscovery discovery,
            Template template,
            TypeAdapter<T> adapter,
            UnaryOperator<T> finish,
            String target,
            int pageSize,
            boolean watchListFirst) {
        this.requests = requests;
        this.discovery = discovery;
        this.template = template;
        this.adapter = adapter;
        this.finish = finish;
        this.target = target;
        this.pageSize = pageSize;
        this.watchListFirst = watchListFirst;
    }

    @Override
    public String target() {
        return target;
    }

    @Override
    public Permission permission(String verb) {
        ResourcePath known = path;
        return known == null
                ? new Permission(verb, target, null)
                : new Permission(verb, known.qualifiedName(), known.namespace());
    }

    @Override
    public Listing<T> list(String resourceVersion) throws ApiException {
        try {
            return list(resourceVersion, pageSize);
        } catch (RequestFailedException e) {
            if (e.getCode() != 410 || !isPaged(resourceVersion)) {
                throw e;
            }
            // The pages took longer than etcd keeps their state: one page then, as client-go's pager does.
            return list(resourceVersion, 0);
        }
    }

    private Listing<T> list(String resourceVersion, int limit) throws ApiException {
        List<T> items = new ArrayList<>();
        int unreadable = 0;
        String token = null;
        String version = "";
        do {
            HttpUrl.Builder url = template.request(false, resourceVersion).url().newBuilder();
            url.removeAllQueryParameters("watch");
            url.removeAllQueryParameters("timeoutSeconds");
            url.removeAllQueryParameters("resourceVersion");
            if (limit > 0 && isPaged(resourceVersion)) {
                url.setQueryParameter("limit", Integer.toString(limit));
            }
            if (token != null) {
                url.setQueryParameter("continue", token);
            } else if (!resourceVersion.isEmpty()) {
                url.setQueryParameter("resourceVersion", resourceVersion);
            }
            Page page = page(url.build(), resourceVersion, items);
            token = page.next;
            version = page.resourceVersion;
            unreadable += page.unreadable;
        } while (token != null);
        return new Listing<>(items, version, unreadable);
    }

    /** With any version given but 0, a limit would keep the API server from using its watch cache. */
    private static boolean isPaged(String resourceVersion) {
        return resourceVersion.isEmpty() || resourceVersion.equals("0");
    }

    private Page page(HttpUrl url, String resourceVersion, List<T> items) throws ApiException {
        int before = items.size();
        try {
            return readPage(url, resourceVersion, items, adapter);
        } catch (RequestFailedException e) {
            if (!(e.getCause() instanceof JsonParseException)) {
                throw e;
            }
            // Some object does not fit its class. Again, in the slow way that can leave out one object.
            items.subList(before, items.size()).clear();
            return readPage(url, resourceVersion, items, new TolerantAdapter());
        }
    }

    private Page readPage(HttpUrl url, String resourceVersion, List<T> items, TypeAdapter<T> reading)
            throws ApiException {
        Request request = template.request(false, resourceVersion)
                .newBuilder()
                .url(url)
                .header("Accept", template.accept(false))
                .build();
        Call call = begin(request);
        String what = "list " + target;
        try (Response response = call.execute()) {
            if (!response.isSuccessful()) {
                throw ApiRequests.failure(what, response);
            }
            try (JsonReader reader = BytesJsonReader.of(response.body().byteStream())) {
                return read(reader, items, reading);
            }
        } catch (IOException e) {
            throw ApiRequests.failure(what, e);
        } catch (JsonParseException | IllegalStateException e) {
            throw ApiRequests.failure(
                    what, e instanceof JsonParseException ? e : new JsonParseException(e.getMessage(), e));
        } finally {
            current = null;
        }
    }

    private Page read(JsonReader reader, List<T> items, TypeAdapter<T> reading) throws IOException {
        Page page = new Page();
        reader.beginObject();
        while (reader.hasNext()) {
            String name = reader.nextName();
            if (name.equals("metadata") && reader.peek() == JsonToken.BEGIN_OBJECT) {
                page.readMetadata(reader);
            } else if (name.equals("items") && reader.peek() == JsonToken.BEGIN_ARRAY) {
                reader.beginArray();
                while (reader.hasNext()) {
                    T item = decode(reader, reading);
                    if (item == null) {
                        page.unreadable++;
                    } else {
                        items.add(finish.apply(item));
                    }
                }
                reader.endArray();
            } else {
                reader.skipValue();
            }
        }
        reader.endObject();
        if (page.resourceVersion.isEmpty()) {
            throw new IOException("the list has no resourceVersion");
        }
        return page;
    }

    /**
     * Reads an object.
     *
     * @throws JsonParseException if it does not fit its class, whatever the adapters of its fields throw then
     */
    private @Nullable T decode(JsonReader reader, TypeAdapter<T> reading) throws IOException {
        try {
            return reading.read(reader);
        } catch (JsonParseException e) {
            throw e;
        } catch (EOFException e) {
            if (((BytesJsonReader) reader).ended()) {
                throw e;
            }
            // An adapter that reads from trees only.
            throw new JsonParseException(e);
        } catch (RuntimeException e) {
            // Such as a quantity or bytes that are none.
            throw new JsonParseException(e.getMessage() == null ? e.toString() : e.getMessage(), e);
        }
    }

    @Override
    public boolean triesWatchList(boolean first) {
        return !first || watchListFirst;
    }

    @Override
    public WatchStream<T> watchList(String resourceVersion, int timeoutSeconds) throws ApiException {
        return open(resourceVersion, timeoutSeconds, true);
    }

    @Override
    public WatchStream<T> watch(String resourceVersion, int timeoutSeconds) throws ApiException {
        return open(resourceVersion, timeoutSeconds, false);
    }

    private WatchStream<T> open(String resourceVersion, int timeoutSeconds, boolean initialState) throws ApiException {
        Request base = template.request(true, resourceVersion);
        HttpUrl.Builder url = base.url()
                .newBuilder()
                .setQueryParameter("watch", "true")
                .setQueryParameter("resourceVersion", resourceVersion)
                .setQueryParameter("allowWatchBookmarks", "true")
                .setQueryParameter("timeoutSeconds", Integer.toString(timeoutSeconds))
                .removeAllQueryParameters("limit");
        if (initialState) {
            url.setQueryParameter("sendInitialEvents", "true")
                    .setQueryParameter("resourceVersionMatch", "NotOlderThan");
            if (resourceVersion.isEmpty()) {
                url.removeAllQueryParameters("resourceVersion");
            }
        }
        Call call = begin(base.newBuilder()
                .url(url.build())
                .header("Accept", template.accept(true))
                .header("Accept-Encoding", "identity")
                .build());
        String what = "watch " + target;
        try {
            Response response = call.execute();
            if (!response.isSuccessful()) {
                throw ApiRequests.failure(what, response);
            }
            return new Lines(call, response);
        } catch (IOException e) {
            throw ApiRequests.failure(what, e);
        }
    }

    private Call begin(Request request) {
        path = requests.path(request.url());
        Call call = requests.call(RetryAfter.leftToCaller(request));
        current = call;
        return call;
    }

    @Override
    public boolean isKnownMissing() {
        ResourcePath known = path;
        try {
            return known != null && !discovery.isServedNow(known.group(), known.version(), known.plural());
        } catch (ApiException e) {
            // Whatever keeps the API server from saying so will show in a list, which has its own way to wait.
            return false;
        }
    }

    @Override
    public void cancel() {
        Call call = current;
        if (call != null) {
            call.cancel();
        }
    }

    private static final class Page {

        private String resourceVersion = "";
        private @Nullable String next;
        private int unreadable;

        void readMetadata(JsonReader reader) throws IOException {
            reader.beginObject();
            while (reader.hasNext()) {
                String name = reader.nextName();
                if (name.equals("resourceVersion") && reader.peek() != JsonToken.NULL) {
                    resourceVersion = reader.nextString();
                } else if (name.equals("continue") && reader.peek() != JsonToken.NULL) {
                    String token = reader.nextString();
                    next = token.isEmpty() ? null : token;
                } else {
                    reader.skipValue();
                }
            }
            reader.endObject();
        }
    }

    /** Reads by way of a tree; gives null for an object that does not fit its class. */
    private final class TolerantAdapter extends TypeAdapter<T> {

        @Override
        public @Nullable T read(JsonReader in) {
            return fit(JsonParser.parseReader(in));
        }

        @Override
        public void write(com.google.gson.stream.JsonWriter out, T value) {
            throw new UnsupportedOperationException("reads only");
        }
    }

    private @Nullable T fit(JsonElement tree) {
        try {
            return adapter.fromJsonTree(tree);
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("resource", target)
                    .addKeyValue("namespace", metadata(tree, "namespace"))
                    .addKeyValue("name", metadata(tree, "name"))
                    .log(
                            "Informer of {}: {} does not fit its class and is left out: {}",
                            target,
                            key(tree),
                            FailureMessage.of(e));
            return null;
        }
    }

    private static String key(JsonElement tree) {
        String namespace = metadata(tree, "namespace");
        return (namespace.isEmpty() ? "" : namespace + "/") + metadata(tree, "name");
    }

    private static String metadata(JsonElement tree, String field) {
        if (tree.isJsonObject()
                && tree.getAsJsonObject().get("metadata") instanceof JsonObject metadata
                && metadata.get(field) instanceof JsonPrimitive value) {
            return value.getAsString();
        }
        return "";
    }

    /** A watch's events, one per line, as the API server writes them. */
    private final class Lines implements WatchStream<T> {

        private final Call call;
        private final Response response;
        private final BufferedSource source;

        Lines(Call call, Response response) {
            this.call = call;
            this.response = response;
            this.source = response.body().source();
        }

        @Override
        public Duration idleLimit() {
            return response.protocol() == Protocol.HTTP_1_1 ? IDLE_WITHOUT_PINGS : IDLE_WITH_PINGS;
        }

        @Override
        public @Nullable WatchEvent<T> next() throws IOException {
            byte[] line = line();
            while (line != null && isBlank(line)) {
                line = line();
            }
            if (line == null) {
                return null;
            }
            try (JsonReader reader = BytesJsonReader.of(line)) {
                return read(line, reader);
            } catch (JsonParseException | IllegalStateException | MalformedJsonException | EOFException e) {
                return readTolerantly(line);
            }
        }

        /** Null at the end. */
        private byte @Nullable [] line() throws IOException {
            long length = source.indexOf((byte) '\n');
            if (length < 0) {
                return source.exhausted() ? null : source.readByteArray();
            }
            byte[] line = source.readByteArray(length);
            source.skip(1);
            return line;
        }

        private static boolean isBlank(byte[] line) {
            return line.length == 0 || (line.length == 1 && line[0] == '\r');
        }

        /** In one pass if the type comes first, as the API server writes it. */
        private WatchEvent<T> read(byte[] line, JsonReader reader) throws IOException {
            reader.beginObject();
            if (!reader.nextName().equals("type")) {
                return readTolerantly(line);
            }
            String type = reader.nextString();
            if (!reader.nextName().equals("object")) {
                return readTolerantly(line);
            }
            if (type.equals("ERROR")) {
                return WatchEvent.Failed.of(ApiJson.adapter(V1Status.class).read(reader));
            }
            if (type.equals("BOOKMARK")) {
                return bookmark(JsonParser.parseReader(reader));
            }
            T object = decode(reader, adapter);
            // What follows must be there, or the line has been cut off.
            reader.endObject();
            if (object == null || reader.peek() != JsonToken.END_DOCUMENT) {
                return readTolerantly(line);
            }
            return event(type, object);
        }

        private WatchEvent<T> readTolerantly(byte[] line) throws IOException {
            JsonElement tree;
            try (JsonReader reader = BytesJsonReader.of(line)) {
                tree = JsonParser.parseReader(reader);
                if (reader.peek() != JsonToken.END_DOCUMENT) {
                    throw new GarbledStreamException("the watch sends more than an event in a line", null);
                }
            } catch (JsonParseException | MalformedJsonException e) {
                throw new GarbledStreamException("the watch sends no valid JSON: " + e.getMessage(), e);
            }
            if (!tree.isJsonObject()
                    || !(tree.getAsJsonObject().get("type") instanceof JsonPrimitive type)
                    || !(tree.getAsJsonObject().get("object") instanceof JsonObject object)) {
                throw new GarbledStreamException("the watch sends something that is no event", null);
            }
            return switch (type.getAsString()) {
                case "ERROR" ->
                    WatchEvent.Failed.of(ApiJson.adapter(V1Status.class).fromJsonTree(object));
                case "BOOKMARK" -> bookmark(object);
                default -> {
                    T fitting = fit(object);
                    yield fitting == null
                            ? new WatchEvent.Unreadable<>(metadata(object, "resourceVersion"))
                            : event(type.getAsString(), fitting);
                }
            };
        }

        private WatchEvent<T> event(String type, T object) throws IOException {
            return switch (type) {
                case "ADDED" -> new WatchEvent.Changed<>(finish.apply(object), true);
                case "MODIFIED" -> new WatchEvent.Changed<>(finish.apply(object), false);
                case "DELETED" -> new WatchEvent.Removed<>(finish.apply(object));
                default -> throw new GarbledStreamException("the watch sends an event of unknown type " + type, null);
            };
        }

        private WatchEvent<T> bookmark(JsonElement object) {
            return new WatchEvent.Bookmark<>(metadata(object, "resourceVersion"), endsInitialState(object));
        }

        private static boolean endsInitialState(JsonElement bookmark) {
            return bookmark.isJsonObject()
                    && bookmark.getAsJsonObject().get("metadata") instanceof JsonObject metadata
                    && metadata.get("annotations") instanceof JsonObject annotations
                    && annotations.get(INITIAL_STATE_ENDS) instanceof JsonPrimitive value
                    && value.getAsString().equals("true");
        }

        @Override
        public void close() {
            call.cancel();
            response.close();
        }
    }
}
