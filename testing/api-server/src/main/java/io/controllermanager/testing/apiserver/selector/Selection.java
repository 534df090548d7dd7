package io.controllermanager.testing.apiserver.selector;

import io.controllermanager.testing.apiserver.storage.StoredObject;

/**
 * Which of a resource's objects a request is about.
 *
 * @param namespace empty for all
 */
public record Selection(String namespace, LabelSelector labels, FieldSelector fields) {

    public boolean matches(StoredObject object) {
        return (namespace.isEmpty() || namespace.equals(object.key().namespace()))
                && labels.matches(object.labels())
                && fields.matches(object);
    }

    /** Whether nothing but the namespace selects. */
    public boolean hasNoSelector() {
        return labels.isEverything() && fields.isEverything();
    }
}
