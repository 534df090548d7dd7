package io.controllermanager.webhook.internal.certificate;

import java.net.URI;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which certificates are served, and where they come from.
 *
 * @param name the name of the Secret, the Service and both configurations, and the field manager
 * @param namespace the namespace of Secret and Service
 * @param source where certificates come from
 * @param injectsBundles whether this process writes the bundles; always where the certificates are its own
 * @param targets where the bundles are
 * @param times how long certificates last, where they are made here
 */
public record CertificateSettings(
        String name,
        String namespace,
        Source source,
        boolean injectsBundles,
        BundleTargets targets,
        CertificateTimes times) {

    /** Where certificates come from. */
    public sealed interface Source {

        /** They are made here, and kept in the Secret. */
        record Own() implements Source {}

        /** Files {@code tls.crt}, {@code tls.key} and {@code ca.crt} in a directory, which are read again every five seconds. */
        record Files(Path directory) implements Source {}

        /** Another's Secret of those keys in the same namespace, such as cert-manager's. */
        record OtherSecret(String name) implements Source {}
    }

    /** The Secret that is read; null if it is files. */
    @Nullable
    String secret() {
        if (source instanceof Source.OtherSecret other) {
            return other.name();
        }
        return source instanceof Source.Own ? name : null;
    }

    /** What the API server calls us: the host of the URL, or the Service as it and people write it. */
    Set<String> names() {
        URI url = targets.url();
        if (url != null) {
            // An IPv6 address is in brackets.
            return Set.of(url.getHost().replaceAll("[\\[\\]]", ""));
        }
        String service = name + "." + namespace;
        return Set.of(service, service + ".svc", service + ".svc.cluster.local");
    }
}
