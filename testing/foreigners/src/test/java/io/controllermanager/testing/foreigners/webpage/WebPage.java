package io.controllermanager.testing.foreigners.webpage;

import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page that is served. */
@CustomResource(group = "example.com", version = "v1")
public final class WebPage extends CustomObject<WebPage.Spec, WebPage.Status> {

    /**
     * What is wanted.
     *
     * @param html the page
     * @param exposed whether it can be reached from outside of the cluster
     */
    public record Spec(String html, boolean exposed) {}

    /**
     * What there is.
     *
     * @param htmlConfigMap the name of the ConfigMap that has the page
     * @param errorMessage of the SDK's operator
     * @param conditions of ours
     */
    public record Status(
            @Nullable String htmlConfigMap,
            @Nullable String errorMessage,
            @Nullable List<V1Condition> conditions) {}
}
