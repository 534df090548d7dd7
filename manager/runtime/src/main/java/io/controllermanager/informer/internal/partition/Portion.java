package io.controllermanager.informer.internal.partition;

import org.jspecify.annotations.Nullable;

/**
 * What one reflector of an informer reads.
 *
 * @param namespace the namespace, null for all
 * @param shardSelector what the API server is to filter by, null for nothing
 * @param title what else tells it from the informer's other reflectors, for messages; may be empty
 */
public record Portion(@Nullable String namespace, @Nullable String shardSelector, String title) {

    /** All objects of a namespace, or all. */
    public static Portion of(@Nullable String namespace) {
        return new Portion(namespace, null, "");
    }

    /** For messages and metrics, with the type's name. */
    public String target(String type) {
        return type + (namespace == null ? "" : " in " + namespace) + (title.isEmpty() ? "" : ", " + title);
    }

    /** For a thread, with the type's name. */
    public String threadName(String type) {
        return "informer-"
                + type
                + (namespace == null ? "" : "." + namespace)
                + (title.isEmpty() ? "" : "." + title.replace(' ', '-'));
    }
}
