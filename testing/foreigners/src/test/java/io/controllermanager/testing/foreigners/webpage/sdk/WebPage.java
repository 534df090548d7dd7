package io.controllermanager.testing.foreigners.webpage.sdk;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** A page that is served. */
@Group("example.com")
@Version("v1")
public class WebPage extends CustomResource<WebPage.Spec, WebPage.Status> implements Namespaced {

    /** What is wanted. */
    public static class Spec {
        public String html = "";
        public boolean exposed;
    }

    /** What there is. */
    public static class Status {
        public @Nullable String htmlConfigMap;
        public @Nullable String errorMessage;
    }
}
