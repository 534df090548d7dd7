package io.controllermanager.testing.apiserver.storage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import java.util.List;
import java.util.Map;

/**
 * One state of one object. It is kept as text, which is what lists and watches send and takes a quarter of a tree's
 * memory; labels and owners are kept beside it, since they are asked for most.
 */
public final class StoredObject {

    private final Key key;
    private final long version;
    private final byte[] json;
    private final String uid;
    private final Map<String, String> labels;
    private final List<String> owners;
    private final boolean beingDeleted;

    StoredObject(Key key, long version, ObjectNode tree) {
        Meta.of(tree).put("resourceVersion", Long.toString(version));
        this.key = key;
        this.version = version;
        this.json = Json.write(tree);
        this.uid = Meta.uid(tree);
        this.labels = Meta.labels(tree);
        this.beingDeleted = Meta.isBeingDeleted(tree);
        this.owners = Meta.ownerReferences(tree).stream()
                .map(owner -> owner.path("uid").asText())
                .toList();
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
