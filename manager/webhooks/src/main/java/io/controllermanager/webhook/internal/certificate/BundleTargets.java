package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The objects in which the API server finds whom to trust.
 *
 * @param crds the names of the CRDs whose versions are converted here
 * @param configurations the webhook configurations, both of one name: those that are to be there. What they say is used only
 *     where they are made, with a URL.
 * @param url where the API server reaches this process; null if it does by the Service that the objects name
 */
public record BundleTargets(
        Set<String> crds,
        List<KubernetesObject> configurations,
        @Nullable URI url) {

    public BundleTargets {
        crds = Set.copyOf(crds);
        configurations = List.copyOf(configurations);
    }

    /**
     * One of the objects.
     *
     * @param made what it is made of where it is missing; null if it is not for us to make
     */
    record Target(
            ResourceType<DynamicKubernetesObject> type,
            String name,
            @Nullable KubernetesObject made) {

        @Override
        public String toString() {
            return type.qualifiedName() + " " + name;
        }
    }

    /** All of them, always in the same order. */
    List<Target> all() {
        List<Target> all = new ArrayList<>();
        new TreeSet<>(crds)
                .forEach(crd ->
                        all.add(new Target(type("apiextensions.k8s.io", "CustomResourceDefinition"), crd, null)));
        for (KubernetesObject configuration : configurations) {
            ResourceType<DynamicKubernetesObject> type = type("admissionregistration.k8s.io", configuration.getKind());
            all.add(new Target(type, configuration.getMetadata().getName(), url == null ? null : configuration));
        }
        return all;
    }

    private static ResourceType<DynamicKubernetesObject> type(String group, String kind) {
        return ResourceType.cluster(
                DynamicKubernetesObject.class, group, "v1", kind, kind.toLowerCase(Locale.ROOT) + "s");
    }
}
