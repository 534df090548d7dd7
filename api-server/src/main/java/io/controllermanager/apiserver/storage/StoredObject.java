package io.controllermanager.apiserver.storage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One state of one object. It is kept as text, which is what lists and watches send and takes a quarter of a tree's
 * memory; labels and owners are kept beside it, since they are asked for most. It begins with kind and version, so that a
 * list can leave them out.
 */
public final class StoredObject {

    private final Key key;
    private final long version;
    private final byte[] json;
    private final String uid;
    private final Map<String, String> labels;
    private final List<String> owners;
    private final boolean beingDeleted;
    private volatile @Nullable Reading reading;

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Reading(Object reader, byte[] json) {}

    StoredObject(Key key, long version, ObjectNode tree) {
        Meta.of(tree).put("resourceVersion", Long.toString(version));
        this.key = key;
        this.version = version;
        this.json = Json.write(Json.object()
                .<ObjectNode>set("kind", tree.path("kind"))
                .<ObjectNode>set("apiVersion", tree.path("apiVersion"))
                .<ObjectNode>setAll(tree));
        this.uid = Meta.uid(tree);
        this.labels = Meta.labels(tree);
        this.beingDeleted = Meta.isBeingDeleted(tree);
        this.owners = tree.at("/metadata/ownerReferences").findValuesAsText("uid");
    }

    /** The same under another version. */
    public StoredObject at(long other) {
        return new StoredObject(key, other, tree());
    }

    public Key key() {
        return key;
    }

    public long version() {
        return version;
    }

    public String uid() {
        return uid;
    }

    public Map<String, String> labels() {
        return labels;
    }

    /** The uids of the objects that own this one. */
    public List<String> owners() {
        return owners;
    }

    public boolean isBeingDeleted() {
        return beingDeleted;
    }

    /** The object as JSON text. Not to be changed. */
    public byte[] json() {
        return json;
    }

    /**
     * The object as JSON text as a reader sees it. Not to be changed. The text is made once, and kept until another reader
     * asks.
     *
     * @param view makes of the object's tree, which it may change, what the reader sees
     */
    public byte[] json(Object reader, UnaryOperator<ObjectNode> view) {
        Reading last = reading;
        if (last == null || last.reader() != reader) {
            byte[] seen = Json.write(view.apply(tree()));
            last = new Reading(reader, Arrays.equals(seen, json) ? json : seen);
            reading = last;
        }
        return last.json();
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
