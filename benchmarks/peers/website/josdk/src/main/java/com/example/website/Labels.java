package com.example.website;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.Map;

/** Names and labels of what a Website becomes. */
final class Labels {

    static final String MADE_HERE = "app.kubernetes.io/managed-by=website-operator";

    private Labels() {}

    static ObjectMeta metadata(Website website) {
        return new ObjectMetaBuilder()
                .withNamespace(website.getMetadata().getNamespace())
                .withName(website.getMetadata().getName())
                .addToLabels("app.kubernetes.io/managed-by", "website-operator")
                .build();
    }

    static Map<String, String> ofPods(Website website) {
        String name = website.getMetadata().getName();
        return Map.of("app.kubernetes.io/name", "website", "app.kubernetes.io/instance", name);
    }
}
