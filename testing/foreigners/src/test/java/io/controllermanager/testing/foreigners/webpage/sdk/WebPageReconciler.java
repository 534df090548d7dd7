package io.controllermanager.testing.foreigners.webpage.sdk;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import org.jspecify.annotations.Nullable;

/** Serves each page by an nginx. */
@Workflow(
        dependents = {
            @Dependent(type = Children.Html.class),
            @Dependent(type = Children.Server.class),
            @Dependent(type = Children.Address.class),
            @Dependent(type = Children.Exposure.class, reconcilePrecondition = Children.IsExposed.class)
        })
@ControllerConfiguration
public class WebPageReconciler implements Reconciler<WebPage> {

    @Override
    public UpdateControl<WebPage> reconcile(WebPage page, Context<WebPage> context) {
        if (page.getSpec().html.contains("error")) {
            throw new IllegalArgumentException("the page has an error");
        }
        String html = context.getSecondaryResource(ConfigMap.class)
                .orElseThrow()
                .getMetadata()
                .getName();
        return UpdateControl.patchStatus(withStatus(page, html, null));
    }

    @Override
    public ErrorStatusUpdateControl<WebPage> updateErrorStatus(WebPage page, Context<WebPage> context, Exception e) {
        return ErrorStatusUpdateControl.patchStatus(withStatus(page, null, e.getMessage()));
    }

    private static WebPage withStatus(WebPage page, @Nullable String htmlConfigMap, @Nullable String errorMessage) {
        WebPage applied = new WebPage();
        applied.setMetadata(new ObjectMetaBuilder()
                .withName(page.getMetadata().getName())
                .withNamespace(page.getMetadata().getNamespace())
                .build());
        applied.setStatus(new WebPage.Status());
        applied.getStatus().htmlConfigMap = htmlConfigMap;
        applied.getStatus().errorMessage = errorMessage;
        return applied;
    }
}
