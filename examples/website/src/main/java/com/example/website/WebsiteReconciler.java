package com.example.website;

import static io.controllermanager.client.ResourceTypes.CONFIG_MAP;
import static io.controllermanager.client.ResourceTypes.DEPLOYMENT;
import static io.controllermanager.client.ResourceTypes.SECRET;
import static io.controllermanager.client.ResourceTypes.SERVICE;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.informer.Selection;
import io.controllermanager.reconciler.Cleaner;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.Index;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Brings into the world what one Website asks for, and says in its status how far that is. */
@Component
@Reconciles(Website.class)
class WebsiteReconciler implements ObjectReconciler<Website>, Cleaner<Website> {

    private static final String HOST_TAKEN = "HostTaken";

    /** The API server sends nothing else of Secrets. */
    private static final Selection<PartialObjectMetadata> SECRETS = Selection.metadataOf(SECRET);

    private static final Index<Website> HOST =
            Index.of("host", website -> website.spec().host());

    /** Who has had the host before keeps it; creation times have a resolution of a second. */
    private static final Comparator<Website> FIRST_COME = Comparator.comparing(WebsiteReconciler::isNewcomer)
            .thenComparing(website -> website.getMetadata().getCreationTimestamp())
            .thenComparing(Website::uid);

    private final DnsRecords dns;

    WebsiteReconciler(DnsRecords dns) {
        this.dns = dns;
    }

    @Override
    public void describe(ControllerDescription<Website> d) {
        d.owns(CONFIG_MAP)
                .owns(DEPLOYMENT)
                .owns(SERVICE)
                .labels(Map.of("app.kubernetes.io/managed-by", "website-operator"))
                .force()
                .references(SECRETS, website -> website.spec().tlsSecretName())
                .peers(HOST, WebsiteReconciler::concernsOthers)
                .finalizer("example.com/dns")
                .options(ControllerOptions.DEFAULTS
                        .withWorkers(4)
                        .withBackoff(Duration.ofMillis(5), Duration.ofMinutes(1)));
    }

    @Override
    public Outcome reconcile(Website website, Reconciliation<Website> r) throws ApiException {
        Website holder =
                r.find(HOST, website.spec().host()).stream().min(FIRST_COME).orElse(website);
        if (!holder.uid().equals(website.uid())) {
            dns.remove(website.spec().host(), website.uid());
            return Outcome.blocked(HOST_TAKEN, "the host belongs to " + holder);
        }
        String tlsVersion = ""; // Changes with the certificate.
        String secretName = website.spec().tlsSecretName();
        if (secretName != null) {
            PartialObjectMetadata secret = r.find(SECRETS, secretName);
            if (secret == null) {
                return Outcome.blocked("SecretMissing", "there is no Secret " + secretName);
            }
            tlsVersion = secret.getMetadata().getResourceVersion();
        }
        r.apply(Children.configMap(website));
        V1Deployment deployment = r.apply(Children.deployment(website, tlsVersion));
        r.apply(Children.service(website));
        dns.publish(website.spec().host(), website.uid());

        int wanted = website.spec().replicas();
        int available = Optional.ofNullable(deployment.getStatus())
                .map(V1DeploymentStatus::getAvailableReplicas)
                .orElse(0);
        String message = available + " of " + wanted + " replicas are available";
        return available < wanted ? Outcome.progressing("Starting", message) : Outcome.ready("Served", message);
    }

    @Override
    public Outcome cleanup(Website website, Reconciliation<Website> r) {
        dns.remove(website.spec().host(), website.uid());
        return Outcome.done();
    }

    private static boolean isNewcomer(Website website) {
        V1Condition ready = Conditions.of(website, "Ready");
        return ready == null || HOST_TAKEN.equals(ready.getReason());
    }

    /** Others of its host look at nothing but whether it is there and has had the host. */
    private static boolean concernsOthers(ResourceEvent<Website> event) {
        return !(event instanceof ResourceEvent.Updated<Website> update)
                || isNewcomer(update.before()) != isNewcomer(update.object());
    }
}
