package com.example.website;

import static io.controllermanager.client.ResourceTypes.CONFIG_MAP;
import static io.controllermanager.client.ResourceTypes.DEPLOYMENT;
import static io.controllermanager.client.ResourceTypes.SECRET;
import static io.controllermanager.client.ResourceTypes.SERVICE;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.informer.Selection;
import io.controllermanager.reconciler.Cleaner;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.reconciler.Description;
import io.controllermanager.reconciler.Index;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.recorder.EventRecorder;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1Deployment;
import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import org.springframework.stereotype.Component;

/** Brings into the world what one Website asks for, and says in its status how far that is. */
@Component
@Reconciles(Website.class)
class WebsiteReconciler implements ObjectReconciler<Website>, Cleaner<Website> {

    static final String READY = "Ready";
    private static final String HOST_TAKEN = "HostTaken";
    private static final String SECRET_MISSING = "SecretMissing";

    private static final Index<Website> HOST =
            Index.of("host", website -> website.spec().host());

    /** Who has had the host before keeps it; creation times have a resolution of a second. */
    private static final Comparator<Website> FIRST_COME = Comparator.comparing(WebsiteReconciler::isNewcomer)
            .thenComparing(website -> website.getMetadata().getCreationTimestamp())
            .thenComparing(website -> website.getMetadata().getUid());

    /** The API server sends nothing else of Secrets. */
    private static final Selection<PartialObjectMetadata> SECRETS = Selection.metadataOf(SECRET);

    private final DnsRecords dns;

    WebsiteReconciler(DnsRecords dns) {
        this.dns = dns;
    }

    @Override
    public void describe(Description<Website> d) {
        // Caches hold what the operator has made, not all that the cluster has.
        d.owns(Selection.of(CONFIG_MAP).labelled(Children.MADE_HERE))
                .owns(Selection.of(DEPLOYMENT).labelled(Children.MADE_HERE))
                .owns(Selection.of(SERVICE).labelled(Children.MADE_HERE))
                .references(SECRETS, website -> website.spec().tlsSecretName())
                .peers(HOST)
                .force()
                .finalizer("example.com/dns")
                .options(ControllerOptions.DEFAULTS
                        .withWorkers(4)
                        .withBackoff(Duration.ofMillis(5), Duration.ofMinutes(1)));
    }

    @Override
    public Outcome reconcile(Website website, Reconciliation<Website> r) throws ApiException {
        Website holder =
                r.find(HOST, website.spec().host()).stream().min(FIRST_COME).orElse(website);
        if (!uid(holder).equals(uid(website))) {
            cleanup(website, r);
            String owner = holder.namespace() + "/" + holder.name();
            return report(website, r, false, HOST_TAKEN, "the host belongs to Website " + owner);
        }
        String tlsVersion = ""; // Changes with the certificate.
        String secretName = website.spec().tlsSecretName();
        if (secretName != null) {
            PartialObjectMetadata secret = r.find(SECRETS, secretName);
            if (secret == null) {
                return report(website, r, false, SECRET_MISSING, "there is no Secret " + secretName);
            }
            tlsVersion = secret.getMetadata().getResourceVersion();
        }
        r.apply(Children.configMap(website));
        V1Deployment deployment = r.apply(Children.deployment(website, tlsVersion));
        r.apply(Children.service(website));
        dns.publish(website.spec().host(), uid(website));

        int wanted = website.spec().replicas();
        int available = availableReplicas(deployment);
        String message = available + " of " + wanted + " replicas are available";
        return report(website, r, available >= wanted, available < wanted ? "Starting" : "Served", message);
    }

    @Override
    public void cleanup(Website website, Reconciliation<Website> r) {
        dns.remove(website.spec().host(), uid(website));
    }

    /** Sets the condition Ready, and tells in an Event if its reason is another one. */
    private static Outcome report(
            Website website, Reconciliation<Website> r, boolean ready, String reason, String message) {
        V1Condition before = r.condition(READY);
        if (before == null || !reason.equals(before.getReason())) {
            EventRecorder events = r.context().events();
            if (reason.equals(HOST_TAKEN) || reason.equals(SECRET_MISSING)) {
                events.warning(website, reason, message);
            } else {
                events.normal(website, reason, message);
            }
        }
        r.condition(READY, ready, reason, message);
        return Outcome.done();
    }

    private static int availableReplicas(V1Deployment deployment) {
        Integer available =
                deployment.getStatus() == null ? null : deployment.getStatus().getAvailableReplicas();
        return Objects.requireNonNullElse(available, 0);
    }

    private static boolean isNewcomer(Website website) {
        V1Condition ready = Conditions.of(website, READY);
        return ready == null || HOST_TAKEN.equals(ready.getReason());
    }

    private static String uid(Website website) {
        return Objects.requireNonNull(website.getMetadata().getUid());
    }
}
