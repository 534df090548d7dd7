package io.controllermanager.client;

/** What a PATCH request carries. */
public sealed interface Patch {

    /** The patch. */
    String json();

    /**
     * RFC 6902: a list of operations.
     *
     * @param json the list
     */
    record Json(String json) implements Patch {}

    /**
     * RFC 7386: what the object is to look like where it differs; null removes.
     *
     * @param json the partial object
     */
    record Merge(String json) implements Patch {}

    /**
     * Kubernetes' strategic merge patch, which merges lists by key; only types built into Kubernetes take it.
     *
     * @param json the partial object
     */
    record StrategicMerge(String json) implements Patch {}

    /**
     * Server-side apply: everything the manager wants to have a say in.
     *
     * @param json the partial object, with apiVersion, kind and name
     * @param fieldManager in whose name
     * @param force whether fields are taken over from other managers
     */
    record Apply(String json, String fieldManager, boolean force) implements Patch {}
}
