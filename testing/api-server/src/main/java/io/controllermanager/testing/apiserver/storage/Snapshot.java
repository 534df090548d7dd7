package io.controllermanager.testing.apiserver.storage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A resource's objects, or a part of them, as they were at one version.
 *
 * @param version the server's version at that moment
 * @param objects in the order of their paths
 */
public record Snapshot(long version, List<StoredObject> objects) {

    /** The path to go on after; null for an empty snapshot. */
    public @Nullable String lastPath() {
        return objects.isEmpty() ? null : objects.get(objects.size() - 1).key().path();
    }
}
