package com.example.website;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.Finalizer;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Service;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Brings into the world what one Website asks for, and says in its status how far that is. */
final class WebsiteReconciler implements Reconciler {

    private static final Result DONE = new Result(false);

    /** The caches do not show objects of others, so nothing tells when a name becomes free. */
    private static final Result LATER = new Result(true, Duration.ofMinutes(1));

    private final Lister<Website> lister;
    private final Lister<PartialObjectMetadata> secrets;
    private final OwnedObjects<V1ConfigMap> configMaps;
    private final OwnedObjects<V1Deployment> deployments;
    private final OwnedObjects<V1Service> services;
    private final ResourceClient<Website> client;
    private final Finalizer<Website> finalizer;
    private final EventRecorder events;
    private final Clock clock;
    private final Websites websites;
    private final DnsRecords dns;

    WebsiteReconciler(ControllerContext context, Websites websites, DnsRecords dns) {
        Informer<Website> informer = context.informer(Website.TYPE);
        websites.follow(informer);
        this.lister = informer.lister();
        this.secrets = context.informer(WebsiteController.SECRETS).lister();
        this.configMaps = new OwnedObjects<>(context, WebsiteController.CONFIG_MAPS);
        this.deployments = new OwnedObjects<>(context, WebsiteController.DEPLOYMENTS);
        this.services = new OwnedObjects<>(context, WebsiteController.SERVICES);
        this.client = new ResourceClient<>(context.apiClient(), Website.TYPE);
        this.finalizer = Finalizer.named(Website.FINALIZER, client);
        this.events = context.events();
        this.clock = context.clock();
        this.websites = websites;
        this.dns = dns;
    }

    @Override
    public Result reconcile(Request request) {
        Website website = lister.namespace(request.getNamespace()).get(request.getName());
        if (website == null) {
            return DONE; // It is gone; its children are garbage collected.
        }
        try {
            return reconcile(website);
        } catch (ApiException e) {
            throw new IllegalStateException(e.getMessage(), e); // The key is tried again.
        }
    }

    private Result reconcile(Website website) throws ApiException {
        Website holder = websites.holderOf(website.spec().host());
        if (holder != null && !holder.isSameAs(website) && !website.isBeingDeleted()) {
            removeDnsRecord(website);
            return report(website, Readiness.hostTaken(holder));
        }
        Website admitted = finalizer.admit(website, this::removeDnsRecord);
        if (admitted == null) {
            return DONE; // It is being deleted, and its DNS record is gone.
        }
        return report(admitted, serve(admitted));
    }

    private Readiness serve(Website website) throws ApiException {
        String tlsVersion = tlsVersion(website);
        if (tlsVersion == null) {
            return Readiness.secretMissing(website.spec().tlsSecretName());
        }
        if (!configMaps.mayHave(website) || !deployments.mayHave(website) || !services.mayHave(website)) {
            return Readiness.nameTaken();
        }
        configMaps.apply(Children.configMap(website));
        V1Deployment deployment = deployments.apply(Children.deployment(website, tlsVersion));
        services.apply(Children.service(website));
        dns.publish(website.spec().host(), website.metadata().getUid());

        int wanted = website.spec().replicas();
        int available = availableReplicas(deployment);
        String message = available + " of " + wanted + " replicas are available";
        return available < wanted ? Readiness.starting(message) : Readiness.served(message);
    }

    /** What changes with the certificate: empty without one, null if it is missing. */
    private @Nullable String tlsVersion(Website website) {
        String name = website.spec().tlsSecretName();
        if (name == null) {
            return "";
        }
        PartialObjectMetadata secret = secrets.namespace(website.namespace()).get(name);
        return secret == null ? null : secret.getMetadata().getResourceVersion();
    }

    private static int availableReplicas(V1Deployment deployment) {
        if (deployment.getStatus() == null || deployment.getStatus().getAvailableReplicas() == null) {
            return 0;
        }
        return deployment.getStatus().getAvailableReplicas();
    }

    private void removeDnsRecord(Website website) {
        dns.remove(website.spec().host(), website.metadata().getUid());
    }

    /** Writes the status if it would change, and tells in an Event why. */
    private Result report(Website website, Readiness readiness) throws ApiException {
        V1Condition before = Readiness.of(website);
        Website.Status status = readiness.toStatus(website, clock.now());
        if (!status.equals(website.status())) {
            client.updateStatus(website.withStatus(status));
        }
        if (before == null || !readiness.reason().equals(before.getReason())) {
            if (readiness.isProblem()) {
                events.warning(website, readiness.reason(), readiness.message());
            } else {
                events.normal(website, readiness.reason(), readiness.message());
            }
        }
        return readiness.equals(Readiness.nameTaken()) ? LATER : DONE;
    }
}
