package com.example.website;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.AggregatedOperatorException;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.javaoperatorsdk.operator.processing.retry.GradualRetry;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Brings into the world what one Website asks for, and says in its status how far that is. */
@Workflow(
        explicitInvocation = true,
        dependents = {
            @Dependent(type = ConfigMapDependent.class),
            @Dependent(type = DeploymentDependent.class),
            @Dependent(type = ServiceDependent.class)
        })
@ControllerConfiguration(finalizerName = "example.com/dns")
@GradualRetry(maxAttempts = -1, initialInterval = 5, maxInterval = 60_000)
public class WebsiteReconciler implements Reconciler<Website>, Cleaner<Website> {

    private static final String READY = "Ready";
    private static final String HOST_TAKEN = "HostTaken";
    private static final String SECRET_MISSING = "SecretMissing";
    private static final String NAME_TAKEN = "NameTaken";
    private static final String HOST = "host";
    private static final String TLS_SECRET = "tlsSecret";

    /** Who has had the host before keeps it; creation times have a resolution of a second. */
    private static final Comparator<Website> FIRST_COME = Comparator.comparing(WebsiteReconciler::isNewcomer)
            .thenComparing(website -> website.getMetadata().getCreationTimestamp())
            .thenComparing(website -> website.getMetadata().getUid());

    private final DnsRecords dns;

    private InformerEventSource<Website, Website> peers;

    WebsiteReconciler(DnsRecords dns) {
        this.dns = dns;
    }

    @Override
    public List<EventSource<?, Website>> prepareEventSources(EventSourceContext<Website> context) {
        var websites = context.getPrimaryCache();
        websites.addIndexer(
                TLS_SECRET,
                website -> secretOf(website).stream().map(ResourceID::toString).toList());
        var secrets = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(Secret.class, Website.class)
                        .withPrimaryToSecondaryMapper(WebsiteReconciler::secretOf)
                        .withSecondaryToPrimaryMapper(secret -> ids(websites.byIndex(
                                TLS_SECRET, ResourceID.fromResource(secret).toString())))
                        .build(),
                context);
        peers = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(Website.class, Website.class)
                        .withName("peers")
                        .withSecondaryToPrimaryMapper(website -> ids(withHostOf(website)))
                        .build(),
                context);
        peers.addIndexers(Map.of(HOST, website -> List.of(website.getSpec().host)));
        return List.of(secrets, peers);
    }

    @Override
    public UpdateControl<Website> reconcile(Website website, Context<Website> context) {
        Website holder = withHostOf(website).stream().min(FIRST_COME).orElse(website);
        if (!uid(holder).equals(uid(website))) {
            cleanup(website, context);
            String owner = ResourceID.fromResource(holder).toString();
            return report(website, context, false, HOST_TAKEN, "the host belongs to Website " + owner);
        }
        String secretName = website.getSpec().tlsSecretName;
        if (secretName != null && context.getSecondaryResource(Secret.class).isEmpty()) {
            return report(website, context, false, SECRET_MISSING, "there is no Secret " + secretName);
        }
        context.managedWorkflowAndDependentResourceContext().reconcileManagedWorkflow();
        dns.publish(website.getSpec().host, uid(website));

        int wanted = website.getSpec().replicas;
        int available = context.getSecondaryResource(Deployment.class)
                .map(deployment -> deployment.getStatus().getAvailableReplicas())
                .orElse(0);
        String message = available + " of " + wanted + " replicas are available";
        return report(website, context, available >= wanted, available < wanted ? "Starting" : "Served", message);
    }

    @Override
    public DeleteControl cleanup(Website website, Context<Website> context) {
        dns.remove(website.getSpec().host, uid(website));
        return DeleteControl.defaultDelete();
    }

    @Override
    public ErrorStatusUpdateControl<Website> updateErrorStatus(
            Website website, Context<Website> context, Exception error) {
        Exception cause = error instanceof AggregatedOperatorException several
                ? several.getAggregatedExceptions().values().iterator().next()
                : error;
        // A child is created only if there is no object of its name.
        boolean nameTaken = cause instanceof KubernetesClientException refused && refused.getCode() == 409;
        return status(website, context, false, nameTaken ? NAME_TAKEN : "Error", cause.getMessage())
                .map(ErrorStatusUpdateControl::patchStatus)
                .orElseGet(ErrorStatusUpdateControl::noStatusUpdate);
    }

    private static UpdateControl<Website> report(
            Website website, Context<Website> context, boolean ready, String reason, String message) {
        return status(website, context, ready, reason, message)
                .map(UpdateControl::patchStatus)
                .orElseGet(UpdateControl::noUpdate);
    }

    /** What to apply to the status, if it differs. Tells in an Event if the reason is another one. */
    private static Optional<Website> status(
            Website website, Context<Website> context, boolean ready, String reason, String message) {
        Condition before = ready(website);
        if (before == null || !before.getReason().equals(reason)) {
            recordEvent(website, context, reason, message);
        }
        Long generation = website.getMetadata().getGeneration();
        String status = ready ? "True" : "False";
        boolean sameStatus = before != null && before.getStatus().equals(status);
        Condition after = new ConditionBuilder()
                .withType(READY)
                .withStatus(status)
                .withReason(reason)
                .withMessage(message)
                .withObservedGeneration(generation)
                .withLastTransitionTime(sameStatus ? before.getLastTransitionTime() : now())
                .build();
        if (after.equals(before)) {
            return Optional.empty();
        }
        Website applied = new Website();
        applied.setMetadata(new ObjectMetaBuilder()
                .withNamespace(website.getMetadata().getNamespace())
                .withName(website.getMetadata().getName())
                .build());
        applied.setStatus(new Website.Status());
        applied.getStatus().observedGeneration = generation;
        applied.getStatus().conditions = List.of(after);
        return Optional.of(applied);
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static void recordEvent(Website website, Context<Website> context, String reason, String message) {
        boolean warning = Set.of(HOST_TAKEN, SECRET_MISSING, NAME_TAKEN).contains(reason);
        context.getClient()
                .resource(new EventBuilder()
                        .withNewMetadata()
                        .withNamespace(website.getMetadata().getNamespace())
                        .withGenerateName(website.getMetadata().getName() + ".")
                        .endMetadata()
                        .withNewInvolvedObject()
                        .withApiVersion(website.getApiVersion())
                        .withKind(website.getKind())
                        .withNamespace(website.getMetadata().getNamespace())
                        .withName(website.getMetadata().getName())
                        .withUid(uid(website))
                        .endInvolvedObject()
                        .withType(warning ? "Warning" : "Normal")
                        .withReason(reason)
                        .withMessage(message)
                        .withFirstTimestamp(now())
                        .withLastTimestamp(now())
                        .withCount(1)
                        .withReportingComponent("website-operator")
                        .build())
                .create();
    }

    private List<Website> withHostOf(Website website) {
        return peers.byIndex(HOST, website.getSpec().host);
    }

    private static Set<ResourceID> secretOf(Website website) {
        String name = website.getSpec().tlsSecretName;
        return name == null
                ? Set.of()
                : Set.of(new ResourceID(name, website.getMetadata().getNamespace()));
    }

    private static Set<ResourceID> ids(Collection<? extends HasMetadata> objects) {
        return objects.stream().map(ResourceID::fromResource).collect(Collectors.toSet());
    }

    private static boolean isNewcomer(Website website) {
        Condition ready = ready(website);
        return ready == null || ready.getReason().equals(HOST_TAKEN);
    }

    private static Condition ready(Website website) {
        return website.getStatus() == null
                ? null
                : website.getStatus().conditions.stream()
                        .filter(condition -> condition.getType().equals(READY))
                        .findFirst()
                        .orElse(null);
    }

    private static String uid(Website website) {
        return website.getMetadata().getUid();
    }
}
