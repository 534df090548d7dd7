package com.example.website;

import io.controllermanager.informer.Indexers;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.PartialObjectMetadata;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds Websites by what they refer to. The controller's description refers to it before there is an informer: that one
 * is made when the controller starts, and handed in by {@link #follow} before the first event.
 */
final class Websites {

    private static final String HOST = "host";
    private static final String SECRET = "secret";

    /** Who has been admitted already goes first; creation times have a resolution of a second. */
    private static final Comparator<Website> FIRST_COME = Comparator.comparing(
                    (Website website) -> !website.isAdmitted())
            .thenComparing(website -> website.metadata().getCreationTimestamp())
            .thenComparing(website -> website.metadata().getUid());

    private volatile @Nullable Informer<Website> informer;

    void follow(Informer<Website> newInformer) {
        newInformer.addIndexers(Map.of(
                HOST, Indexers.field(website -> website.spec().host()),
                SECRET, Indexers.field(Websites::secretOf)));
        informer = newInformer;
    }

    /** The one that the host belongs to; null if nobody asks for it. */
    @Nullable
    Website holderOf(String host) {
        return by(HOST, host).stream().min(FIRST_COME).orElse(null);
    }

    /** The others that ask for the same host. */
    Set<Request> rivalsOf(Website website) {
        return keys(by(HOST, website.spec().host()).stream()
                .filter(other -> !other.isSameAs(website))
                .toList());
    }

    /** Those that use a Secret. */
    Set<Request> usersOf(PartialObjectMetadata secret) {
        return keys(by(
                SECRET,
                secret.getMetadata().getNamespace() + "/" + secret.getMetadata().getName()));
    }

    /** With the namespace: an index is one for all of them. */
    private static @Nullable String secretOf(Website website) {
        String name = website.spec().tlsSecretName();
        return name == null ? null : website.namespace() + "/" + name;
    }

    private List<Website> by(String index, String value) {
        Informer<Website> current = informer;
        return current == null ? List.of() : current.snapshot().byIndex(index, value);
    }

    private static Set<Request> keys(List<Website> websites) {
        return websites.stream()
                .map(website -> new Request(website.namespace(), website.name()))
                .collect(Collectors.toSet());
    }
}
