package io.controllermanager.webhook.internal.certificate;

import com.google.gson.JsonObject;
import io.controllermanager.client.ApiStatus;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.webhook.internal.certificate.BundleTargets.Target;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads and writes the bundles of the authorities that the API server is to trust. For one thread. */
final class Bundles {

    private static final Logger log = LoggerFactory.getLogger(Bundles.class);

    private static final int CONFLICT = 409;

    private final ApiClient client;
    private final BundleTargets targets;
    private final String fieldManager;

    /** What was last said of targets that cannot be used. */
    private final Map<Target, String> told = new HashMap<>();

    /** The authorities that all bundles have, and since when they are known to. */
    private List<X509Certificate> completeFor = List.of();

    private @Nullable Instant completeSince;

    Bundles(ApiClient client, BundleTargets targets, String fieldManager) {
        this.client = client;
        this.targets = targets;
        this.fieldManager = fieldManager;
    }

    /** Whether a bundle has an authority that is valid, or may have since it cannot be read. */
    boolean trustAnybody(Instant now) {
        try {
            for (Target target : targets.all()) {
                DynamicKubernetesObject found = client(target).get(null, target.name());
                if (found != null
                        && new RegisteredTarget(target, found.getRaw())
                                .trusted().stream()
                                        .anyMatch(each ->
                                                now.isBefore(each.getNotAfter().toInstant()))) {
                    return true;
                }
            }
            return false;
        } catch (ApiException e) {
            log.debug("A caBundle cannot be read", e);
            return true;
        }
    }

    /**
     * The targets that lack one of the authorities, or of which we own a field, and those that are missing and for us to make.
     * Others that are missing are told in the log, and waited for.
     *
     * @throws ApiException if one cannot be read
     */
    List<RegisteredTarget> lacking(Collection<X509Certificate> authorities) throws ApiException {
        List<RegisteredTarget> lacking = new ArrayList<>();
        for (Target target : targets.all()) {
            DynamicKubernetesObject found = client(target).get(null, target.name());
            RegisteredTarget registered =
                    new RegisteredTarget(target, found == null ? new JsonObject() : found.getRaw());
            if (found == null && target.made() == null) {
                tell(target, "is missing");
            } else if (!registered.isConverted()) {
                tell(target, "has no conversion by webhook, so that its versions are not converted");
            } else {
                tell(target, null);
                if (found == null
                        || registered.lacks(authorities, targets.url())
                        || registered.disown(fieldManager) != null) {
                    lacking.add(registered);
                }
            }
        }
        return lacking;
    }

    /**
     * Since when all bundles are known to have had these authorities; null if one lacks something. One that cannot be read lacks
     * it, and is told by whoever writes it.
     */
    @Nullable
    Instant completeSince(List<X509Certificate> authorities, Instant now) {
        boolean complete;
        try {
            complete = lacking(authorities).isEmpty();
        } catch (ApiException e) {
            log.debug("A caBundle cannot be read", e);
            complete = false;
        }
        if (!complete) {
            completeSince = null;
        } else if (completeSince == null || !completeFor.equals(authorities)) {
            completeSince = now;
            completeFor = authorities;
        }
        return completeSince;
    }

    private void tell(Target target, @Nullable String fault) {
        String before = fault == null ? told.remove(target) : told.put(target, fault);
        if (fault != null && !fault.equals(before)) {
            log.warn("{} {}; waiting for it", target, fault);
        }
    }

    /**
     * Has a target trust the authorities, unless it has changed since it was read. Nobody owns the bundle then.
     *
     * @return whether it was written
     * @throws ApiException if that fails otherwise
     */
    boolean write(RegisteredTarget registered, List<X509Certificate> authorities) throws ApiException {
        Target target = registered.target();
        String bundle = Pem.of(authorities);
        URI url = targets.url();
        try {
            if (url != null && registered.object().isEmpty()) {
                client(target).create(new DynamicKubernetesObject(RegisteredTarget.made(target, bundle, url)));
            } else {
                Patch patch = registered.patch(bundle, url, fieldManager);
                DynamicKubernetesObject written = client(target).patch(null, target.name(), patch);
                Patch disown = new RegisteredTarget(target, written.getRaw()).disown(fieldManager);
                if (disown != null) {
                    client(target).patch(null, target.name(), disown);
                }
            }
        } catch (ApiException e) {
            // Another was faster.
            if (e.getCode() == CONFLICT || ApiStatus.isObjectNotFound(e)) {
                return false;
            }
            throw e;
        }
        log.info("The caBundle of {} has been written: authorities {}", target, authorities.size());
        return true;
    }

    private ResourceClient<DynamicKubernetesObject> client(Target target) {
        return new ResourceClient<>(client, target.type());
    }
}
