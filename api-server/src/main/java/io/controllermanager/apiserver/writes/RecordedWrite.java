package io.controllermanager.apiserver.writes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One change of one object. A request that changes nothing is not one.
 *
 * @param version the server's version since then, which is the object's resourceVersion
 * @param verb create, update, patch or delete; the server's own changes (by garbage collection or the world) are create,
 *     update or delete
 * @param resource {@code plural.group}, or {@code plural} of the core group
 * @param subresource such as {@code status}; empty for the object itself
 * @param namespace empty for an object outside of namespaces
 * @param name the object's name
 * @param userAgent the program that made the request, as its {@code User-Agent} says; empty for what the server wrote of its
 *     own accord
 * @param fieldManager who writes, by the request's {@code fieldManager}, else the program's name
 * @param before the object before; null for a creation
 * @param after the object since then; null for a deletion
 */
public record RecordedWrite(
        long version,
        String verb,
        String resource,
        String subresource,
        String namespace,
        String name,
        String userAgent,
        String fieldManager,
        @Nullable ObjectNode before,
        @Nullable ObjectNode after) {

    /** What was written, such as {@code update websites.example.com/status default/hello}. */
    public String what() {
        return verb + " " + resource + (subresource.isEmpty() ? "" : "/" + subresource) + " "
                + (namespace.isEmpty() ? name : namespace + "/" + name);
    }

    @Override
    public String toString() {
        return what() + " by " + (userAgent.isEmpty() ? "the API server" : fieldManager);
    }
}
