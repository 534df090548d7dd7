package io.controllermanager.webhook.internal.certificate;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.time.Clock;
import io.controllermanager.webhook.internal.certificate.RotationStep.Situation;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Secret;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Certificates that are made here and kept in a Secret, which all replicas share. Each write of the Secret is taken only if
 * nobody has changed it since it was read, so that of several replicas one wins; the others then serve what that has made.
 *
 * <p>Everything is read before each step: a cache that is behind must not bring back a bundle of former authorities.
 */
final class OwnCertificates implements CertificateLoop.Work {

    private static final Logger log = LoggerFactory.getLogger(OwnCertificates.class);

    private static final Gson JSON = new GsonBuilder().serializeNulls().create();

    private static final int CONFLICT = 409;

    /** More than there are steps. Where others are always faster, somebody waits for a moment. */
    private static final int MOST_STEPS = 20;

    /** How long replicas that remember an authority are given to write it again. They are told at once. */
    private static final Duration OTHERS = Duration.ofSeconds(3);

    private final ResourceClient<V1Secret> secrets;
    private final CertificateSettings settings;
    private final Bundles bundles;
    private final CertificateMaker maker;
    private final Consumer<CertificateSecret> serve;
    private final BooleanSupplier leads;
    private final Clock clock;
    private List<String> toldFaults = List.of();

    /** Since when the Secret has nothing to serve; null if it has. */
    private @Nullable Instant emptySince;

    /** What was last served. */
    private @Nullable CertificateSecret served;

    /**
     * Does nothing yet.
     *
     * @param serve is told each time that the Secret has something to serve
     * @param leads whether this process is the leader
     */
    OwnCertificates(
            ApiClient client,
            CertificateSettings settings,
            Bundles bundles,
            Consumer<CertificateSecret> serve,
            BooleanSupplier leads,
            Clock clock) {
        this.secrets = new ResourceClient<>(client, ResourceTypes.SECRET);
        this.settings = settings;
        this.bundles = bundles;
        this.maker = new CertificateMaker(settings.name(), settings.times(), clock);
        this.serve = serve;
        this.leads = leads;
        this.clock = clock;
    }

    @Override
    public Duration look() throws ApiException {
        for (int steps = 0; steps < MOST_STEPS; steps++) {
            V1Secret stored = stored();
            CertificateSecret secret = CertificateSecret.of(data(stored));
            tell(secret.faults());
            take(secret);
            RotationStep step = step(secret);
            if (step.action() == RotationStep.Action.WAIT) {
                return Duration.between(clock.now(), step.at());
            }
            take(step.action(), stored, secret);
        }
        return Duration.ofSeconds(1);
    }

    /** An empty one is made where it is missing, as the chart does: only an apply can be allowed for one name. */
    private V1Secret stored() throws ApiException {
        V1Secret found = secrets.get(settings.namespace(), settings.name());
        if (found != null) {
            return found;
        }
        log.atLevel(served == null ? Level.INFO : Level.WARN)
                .log("The Secret {}/{} is missing, and is made", settings.namespace(), settings.name());
        Map<String, Object> empty = Map.of(
                "apiVersion", "v1",
                "kind", "Secret",
                "type", "Opaque",
                "metadata", Map.of("name", settings.name(), "namespace", settings.namespace()));
        return patch(new Patch.Apply(JSON.toJson(empty), settings.name(), true));
    }

    private V1Secret patch(Patch patch) throws ApiException {
        return secrets.patch(settings.namespace(), settings.name(), patch);
    }

    static Map<String, byte[]> data(V1Secret secret) {
        return Objects.requireNonNullElse(secret.getData(), Map.of());
    }

    private void tell(List<String> faults) {
        if (!faults.equals(toldFaults)) {
            toldFaults = faults;
            faults.forEach(fault -> log.warn(
                    "The Secret {}/{} has something of no use. {}", settings.namespace(), settings.name(), fault));
        }
    }

    private void take(CertificateSecret secret) {
        if (secret.isServable(clock.now())) {
            served = secret;
            serve.accept(secret);
        }
    }

    private RotationStep step(CertificateSecret secret) {
        Instant now = clock.now();
        boolean remembers = served != null && served.isServable(now);
        Instant complete = secret.leaf() == null ? null : bundles.completeSince(secret.authorities(), now);
        return RotationStep.next(
                new Situation(
                        secret,
                        remembers,
                        makes(secret, now),
                        settings.names(),
                        complete,
                        leads.getAsBoolean(),
                        clock.now()),
                settings.times());
    }

    /** Where a bundle trusts somebody, another replica may still have what the Secret had. */
    private Instant makes(CertificateSecret secret, Instant now) {
        if (secret.isServable(now)) {
            emptySince = null;
            return now;
        }
        emptySince = Objects.requireNonNullElse(emptySince, now);
        Instant others = emptySince.plus(OTHERS);
        return now.isBefore(others) && bundles.trustAnybody(now) ? others : now;
    }

    private void take(RotationStep.Action action, V1Secret stored, CertificateSecret secret) throws ApiException {
        switch (action) {
            case RESTORE -> write(stored, Objects.requireNonNull(served), "has what was served before again");
            case MAKE -> {
                KeyedCertificate authority = maker.authority();
                KeyedCertificate leaf = maker.leaf(authority, settings.names());
                write(stored, CertificateSecret.first(authority, leaf), "has a new authority and certificate");
            }
            case RENEW_LEAF -> {
                // Those of another address that shares the Secret stay.
                Set<String> names = new TreeSet<>(settings.names());
                if (secret.leaf() != null && !secret.leaf().names().containsAll(names)) {
                    names.addAll(secret.leaf().names());
                }
                KeyedCertificate leaf = maker.leaf(Objects.requireNonNull(secret.signer()), names);
                write(stored, secret.withLeaf(leaf), "has a new certificate");
            }
            case ADD_NEXT ->
                write(
                        stored,
                        secret.withNext(maker.authority(), clock.now()),
                        "has the next authority, which signs once it is trusted everywhere");
            case SIGN_BY_NEXT -> {
                KeyedCertificate next = Objects.requireNonNull(secret.next());
                write(
                        stored,
                        secret.signedByNext(maker.leaf(next, settings.names())),
                        "has a certificate of the next authority");
            }
            case WRITE_BUNDLES -> writeBundles(secret);
            case WAIT -> {}
        }
    }

    private void writeBundles(CertificateSecret secret) throws ApiException {
        ApiException failure = null;
        for (RegisteredTarget target : bundles.lacking(secret.authorities())) {
            // Read after the target, whose version the write depends on: it has no authority that the Secret does not.
            V1Secret fresh = secrets.get(settings.namespace(), settings.name());
            if (fresh == null
                    || !CertificateSecret.of(data(fresh)).authorities().equals(secret.authorities())) {
                return;
            }
            try {
                bundles.write(target, secret.authorities());
            } catch (ApiException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void write(V1Secret stored, CertificateSecret content, String what) throws ApiException {
        String version = String.valueOf(stored.getMetadata().getResourceVersion());
        try {
            patch(new Patch.Merge(
                    JSON.toJson(Map.of("metadata", Map.of("resourceVersion", version), "data", content.data()))));
        } catch (ApiException e) {
            if (e.getCode() == CONFLICT) {
                // Another was faster.
                return;
            }
            throw e;
        }
        log.info("The Secret {}/{} {}", settings.namespace(), settings.name(), what);
    }
}
