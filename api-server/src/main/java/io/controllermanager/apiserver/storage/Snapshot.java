package io.controllermanager.apiserver.storage;

import org.pcollections.TreePMap;

/**
 * A resource's objects, or a range of them, as they were at one version. Taking one, and a range of one, costs no more
 * than finding its ends.
 *
 * @param version the server's version at that moment
 * @param objects by their paths
 */
public record Snapshot(long version, TreePMap<String, StoredObject> objects) {

    /** What is in a namespace; everything for an empty one. */
    public Snapshot in(String namespace) {
        // The character after a slash is a zero.
        return namespace.isEmpty() ? this : new Snapshot(version, objects.subMap(namespace + "/", namespace + "0"));
    }

    /** What comes behind a path. */
    public Snapshot after(String path) {
        return new Snapshot(version, objects.tailMap(path, false));
    }
}
