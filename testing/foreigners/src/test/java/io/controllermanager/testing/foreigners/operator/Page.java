package io.controllermanager.testing.foreigners.operator;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** A page to be served. */
@Group("example.com")
@Version("v1")
public class Page extends CustomResource<Page.Spec, Page.Status> implements Namespaced {

    /** What it says, and how often it is there. */
    public static class Spec {
        public String text = "";
        public int replicas;
        /** The name of a Secret that it waits for; null for none. */
        public @Nullable String secret;
    }

    /** How far it is. */
    public static class Status {
        public @Nullable String phase;
        public @Nullable Long observedGeneration;
    }
}
