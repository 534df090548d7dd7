package io.controllermanager.workqueue.internal;

import org.jspecify.annotations.Nullable;

/**
 * One reason why a key was queued.
 *
 * @param kind what happened
 * @param source the type of the object that it happened to, or what else it came from; empty for the queue itself
 * @param key the object's {@code namespace/name}; empty where there is none
 * @param via how the object leads to the key
 * @param version the object's resourceVersion, null where it is not known
 * @param change what changed in it, null for nothing that is known
 * @param times how often it happened since the key was last taken
 */
public record Cause(
        Kind kind,
        String source,
        String key,
        String via,
        @Nullable String version,
        @Nullable FieldChange change,
        int times) {

    /** What can happen. */
    public enum Kind {
        /** An object was created. */
        CREATED,
        /** An object was changed. */
        UPDATED,
        /** An object was deleted. */
        DELETED,
        /** The object was in a cache when this process began to work on it. */
        START,
        /** An object was looked at once more, without a change. */
        RESYNC,
        /** Something changed while this process stood by. */
        STANDBY,
        /** Something outside Kubernetes, or another part of the program, asked for it. */
        CHANNEL,
        /** The reconcile before failed, or asked to be repeated. */
        RETRY,
        /** The reconcile before asked to come again after some time. */
        AGAIN,
        /** Somebody asked for it by the endpoint or the page. */
        OPERATOR,
        /** The annotation that asks for a reconcile was changed. */
        TRIGGER,
        /** Nothing had led to a reconcile for the longest interval. */
        INTERVAL
    }

    /** Whether the other is of the same kind, and of the same object. */
    boolean isLike(Cause other) {
        return kind == other.kind && key.equals(other.key) && source.equals(other.source) && via.equals(other.via);
    }

    /** Both in one. */
    Cause and(Cause later) {
        FieldChange both = change == null ? later.change : later.change == null ? change : change.then(later.change);
        return new Cause(kind, source, key, via, later.version, both, times + later.times);
    }
}
