package io.controllermanager.client.internal.request;

import org.jspecify.annotations.Nullable;

/**
 * What a Role must grant.
 *
 * @param verb {@code list} or {@code watch}
 * @param resource the resource with its group: {@code deployments.apps}
 * @param namespace null for all, which needs a ClusterRole
 */
public record Permission(
        String verb, String resource, @Nullable String namespace) {

    /** As a message has it: {@code list deployments.apps in namespace shop}. */
    @Override
    public String toString() {
        return verb + " " + resource + " in " + (namespace == null ? "all namespaces" : "namespace " + namespace);
    }
}
