package io.controllermanager.testing.foreigners.operator;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** Serves pages, and waits for the Secret that one names. */
@Workflow(
        explicitInvocation = true,
        dependents = {@Dependent(type = PageConfigMap.class), @Dependent(type = PageDeployment.class)})
@ControllerConfiguration(finalizerName = "example.com/page")
public class PageReconciler implements Reconciler<Page>, Cleaner<Page> {

    /** The names of the pages that were cleaned up. */
    final List<String> cleaned = new CopyOnWriteArrayList<>();

    @Override
    public List<EventSource<?, Page>> prepareEventSources(EventSourceContext<Page> context) {
        return List.of(new InformerEventSource<>(
                InformerEventSourceConfiguration.from(Secret.class, Page.class)
                        .withPrimaryToSecondaryMapper(PageReconciler::secret)
                        .withSecondaryToPrimaryMapper(secret -> context.getPrimaryCache()
                                .list(page -> secret(page).contains(ResourceID.fromResource(secret)))
                                .map(ResourceID::fromResource)
                                .collect(Collectors.toSet()))
                        .build(),
                context));
    }

    private static Set<ResourceID> secret(Page page) {
        String name = page.getSpec().secret;
        return name == null
                ? Set.of()
                : Set.of(new ResourceID(name, page.getMetadata().getNamespace()));
    }

    @Override
    public UpdateControl<Page> reconcile(Page page, Context<Page> context) {
        boolean waits = !secret(page).isEmpty()
                && context.getSecondaryResource(Secret.class).isEmpty();
        if (!waits) {
            context.managedWorkflowAndDependentResourceContext().reconcileManagedWorkflow();
        }
        return UpdateControl.patchStatus(status(page, waits ? "Waiting" : "Served"));
    }

    /** What is applied to the status, and nothing else. */
    private static Page status(Page page, String phase) {
        Page applied = new Page();
        applied.setMetadata(new ObjectMetaBuilder()
                .withName(page.getMetadata().getName())
                .withNamespace(page.getMetadata().getNamespace())
                .build());
        applied.setStatus(new Page.Status());
        applied.getStatus().phase = phase;
        applied.getStatus().observedGeneration = page.getMetadata().getGeneration();
        return applied;
    }

    @Override
    public DeleteControl cleanup(Page page, Context<Page> context) {
        cleaned.add(page.getMetadata().getName());
        return DeleteControl.defaultDelete();
    }
}
