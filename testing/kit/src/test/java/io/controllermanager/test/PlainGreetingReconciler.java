package io.controllermanager.test;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.Selection;
import io.controllermanager.reconciler.Applier;
import io.controllermanager.reconciler.StatusCondition;
import io.controllermanager.reconciler.StatusWriter;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;

/** A reconciler of client-java that has its child applied and its status written by what an ObjectReconciler has. */
final class PlainGreetingReconciler implements Reconciler {

    private final Lister<Greeting> greetings;
    private final Applier<Greeting> applier;
    private final StatusWriter<Greeting> statusWriter;

    PlainGreetingReconciler(ControllerContext context) {
        greetings = context.informer(Greeting.TYPE).lister();
        applier = Applier.of(context, Greeting.TYPE, List.of(Selection.of(ResourceTypes.CONFIG_MAP)));
        statusWriter = StatusWriter.of(context, Greeting.TYPE);
    }

    static ControllerDescriptor descriptor() {
        return ControllerDescriptor.named("greeting")
                .forType(Greeting.TYPE)
                .owns(ResourceTypes.CONFIG_MAP)
                .reconcilerFactory(PlainGreetingReconciler::new)
                .build();
    }

    @Override
    public Result reconcile(Request request) {
        Greeting greeting = greetings.namespace(request.getNamespace()).get(request.getName());
        if (greeting == null) {
            applier.forget(request);
            statusWriter.forget(request);
            return new Result(false);
        }
        String name = greeting.spec().configMapName();
        StatusCondition ready = new StatusCondition("Ready", "True", "Applied", "the ConfigMap has the text");
        try {
            V1ConfigMap child = applier.apply(
                    greeting,
                    new V1ConfigMap()
                            .metadata(new V1ObjectMeta().name(name))
                            .data(Map.of("text", greeting.spec().text())));
            applier.prune(greeting, List.of(child));
            statusWriter.write(greeting, new Greeting.Status(name, null, null), List.of(ready));
            return new Result(false);
        } catch (ApiException e) {
            throw new IllegalStateException(e);
        }
    }
}
