package io.controllermanager.informer.internal.reflector;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.json.BytesJsonReader;
import io.controllermanager.client.internal.request.GarbledStreamException;
import io.kubernetes.client.openapi.models.V1Status;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import okhttp3.Call;
import okhttp3.Protocol;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * The events of a watch over HTTP, one per line, as the API server writes them.
 *
 * @param <T> the object's class
 */
final class WatchLines<T> implements WatchStream<T> {

    /** On HTTP/2 pings find a dead connection, and this is a last resort. */
    private static final Duration IDLE_WITH_PINGS = Duration.ofMinutes(3);

    /** On HTTP/1.1 nothing tells a quiet watch from a dead one; bookmarks come only about once a minute. */
    private static final Duration IDLE_WITHOUT_PINGS = Duration.ofSeconds(25);

    /** As {@code metav1.InitialEventsAnnotationKey}. */
    private static final String INITIAL_STATE_ENDS = "k8s.io/initial-events-end";

    private final Call call;
    private final Response response;
    private final BufferedSource source;
    private final ObjectReader<T> objects;

    WatchLines(Call call, Response response, ObjectReader<T> objects) {
        this.call = call;
        this.response = response;
        this.objects = objects;
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
        if (!reader.nextName().equals("object") || type.equals("ERROR") || type.equals("BOOKMARK")) {
            return readTolerantly(line);
        }
        T object = objects.read(reader);
        // What follows must be there, or the line has been cut off.
        reader.endObject();
        if (object == null || reader.peek() != JsonToken.END_DOCUMENT) {
            return readTolerantly(line);
        }
        return WatchEvent.of(type, object);
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
            case "ERROR" -> WatchEvent.Failed.of(ApiJson.adapter(V1Status.class).fromJsonTree(object));
            case "BOOKMARK" -> bookmark(object);
            default -> {
                T fitting = objects.fit(object);
                yield fitting == null
                        ? new WatchEvent.Unreadable<>(ObjectReader.metadata(object, "resourceVersion"))
                        : WatchEvent.of(type.getAsString(), fitting);
            }
        };
    }

    private WatchEvent<T> bookmark(JsonElement object) {
        return new WatchEvent.Bookmark<>(ObjectReader.metadata(object, "resourceVersion"), endsInitialState(object));
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
