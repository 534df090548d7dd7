package io.controllermanager.apiserver.storage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One state of one object. It is kept as text, which is what lists and watches send and takes a quarter of a tree's
 * memory; labels and owners are kept beside it, since they are asked for most. It begins with kind and version, so that a
 * list can leave them out.
 *
 * @param json the object as JSON text, not to be changed
 * @param owners the uids of the objects that own this one
 * @param reading what the last reader saw of it
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by identity alone.
public record StoredObject(
        Key key,
        long version,
        byte[] json,
        String uid,
        Map<String, String> labels,
        List<String> owners,
        boolean isBeingDeleted,
        AtomicReference<@Nullable Reading> reading) {

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Reading(Object reader, byte[] json) {}

    static StoredObject of(Key key, long version, ObjectNode tree) {
        Meta.of(tree).put("resourceVersion", Long.toString(version));
        byte[] json = Json.write(Json.object()
                .<ObjectNode>set("kind", tree.path("kind"))
                .<ObjectNode>set("apiVersion", tree.path("apiVersion"))
                .<ObjectNode>setAll(tree));
        List<String> owners = tree.at("/metadata/ownerReferences").findValuesAsText("uid");
        return new StoredObject(
                key,
                version,
                json,
                Meta.uid(tree),
                Meta.labels(tree),
                owners,
                Meta.isBeingDeleted(tree),
                new AtomicReference<>());
    }

    /** The same under another version. */
    public StoredObject at(long other) {
        return of(key, other, tree());
    }

    /**
     * The object as JSON text as a reader sees it. Not to be changed. The text is made once, and kept until another reader
     * asks.
     *
     * @param view makes of the object's tree, which it may change, what the reader sees
     */
    public byte[] json(Object reader, UnaryOperator<ObjectNode> view) {
        Reading last = reading.get();
        if (last == null || last.reader() != reader) {
            byte[] seen = Json.write(view.apply(tree()));
            last = new Reading(reader, Arrays.equals(seen, json) ? json : seen);
            reading.set(last);
        }
        return last.json();
    }

    /** Whether the text is made that this reader sees. */
    public boolean isReadBy(Object reader) {
        Reading last = reading.get();
        return last != null && last.reader() == reader;
    }

    /** A tree of its own for the caller. */
    public ObjectNode tree() {
        return Json.readOwn(json);
    }

    /** Whether this holds the same, its version aside. */
    public boolean holds(JsonNode tree) {
        ObjectNode mine = tree();
        Meta.of(mine).remove("resourceVersion");
        ObjectNode other = tree.deepCopy();
        Meta.of(other).remove("resourceVersion");
        return mine.equals(other);
    }

    @Override
    public String toString() {
        return key + "@" + version;
    }
}
