package io.controllermanager.apiserver.storage;

import org.jspecify.annotations.Nullable;

/**
 * One entry of the log.
 *
 * @param before the state it replaced; null for a creation
 * @param object the state since then; for a deletion the last state under the deletion's version
 * @param deletion whether the object is gone
 */
public record Change(@Nullable StoredObject before, StoredObject object, boolean deletion) {

    public long version() {
        return object.version();
    }
}
