package io.controllermanager.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.access.User;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Manifests;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.rest.Router;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import okhttp3.HttpUrl;

/** Applies manifests as {@code kubectl apply --server-side --force-conflicts} does, without a connection. */
record Applier(Router router, InstantSource clock) {

    /** What others need, whatever the order of the files. */
    private static final Set<String> FIRST = Set.of("CustomResourceDefinition", "Namespace");

    private static final Map<String, List<String>> HEADERS = Map.of(
            "Content-Type", List.of("application/apply-patch+yaml"),
            "Authorization", List.of("Bearer " + User.ADMINISTRATOR.token()));

    /**
     * Applies all, CRDs and Namespaces first. When it returns, the types of its CRDs are served.
     *
     * @throws IllegalArgumentException for the first that is refused, with its file; those before it stay
     */
    void apply(List<Manifests.Document> documents) {
        List<Manifests.Document> ordered = new ArrayList<>(documents);
        ordered.sort(Comparator.comparing(
                document -> !FIRST.contains(document.content().path("kind").asText())));
        ordered.forEach(this::apply);
    }

    private void apply(Manifests.Document document) {
        ObjectNode object = document.content();
        String apiVersion = object.path("apiVersion").asText();
        String kind = object.path("kind").asText();
        ResourceType type = router.registry().ofKind(apiVersion, kind);
        if (type == null) {
            String what = kind + " of " + apiVersion;
            throw new IllegalArgumentException(document.source() + ": the embedded API server serves no " + what);
        }
        String namespace = Meta.namespace(object).isEmpty() ? "default" : Meta.namespace(object);
        HttpUrl.Builder url = new HttpUrl.Builder().scheme("http").host("localhost");
        url.addPathSegments(type.path(namespace, Meta.name(object)).substring(1));
        url.query("fieldManager=manifests&force=true");
        try {
            router.handle(new Request("PATCH", url.build(), HEADERS, Json.write(object), clock));
        } catch (StatusException e) {
            throw new IllegalArgumentException(document.source() + ": " + e.getMessage(), e);
        }
    }
}
