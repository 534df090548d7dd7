package io.controllermanager.apiserver.selector;

import io.controllermanager.apiserver.storage.StoredObject;

/**
 * Which of a resource's objects a request is about.
 *
 * @param namespace empty for all
 */
public record Selection(String namespace, LabelSelector labels, FieldSelector fields, ShardSelector shards) {

    public boolean matches(StoredObject object) {
        return (namespace.isEmpty() || namespace.equals(object.key().namespace()))
                && labels.matches(object.labels())
                && fields.matches(object)
                && shards.matches(object);
    }

    /** Whether neither labels nor fields select; the real server does not count shards as a selector. */
    public boolean hasNoSelector() {
        return labels.isEverything() && fields.isEverything();
    }

    /** The same for all shards. */
    public Selection ofAllShards() {
        return new Selection(namespace, labels, fields, ShardSelector.EVERYTHING);
    }
}
