package io.controllermanager.docs;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import jakarta.validation.constraints.NotEmpty;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** A text that is kept in a ConfigMap. */
@CustomResource(group = "example.com", version = "v1")
final class Greeting extends CustomObject<Greeting.Spec, Greeting.Status> {

    record Spec(@NotEmpty String text) {}

    record Status(@Nullable List<V1Condition> conditions) {}
}

@Reconciles(Greeting.class)
class GreetingReconciler implements ObjectReconciler<Greeting> {

    @Override
    public void describe(ControllerDescription<Greeting> d) {
        d.owns(ResourceTypes.CONFIG_MAP);
    }

    @Override
    public Outcome reconcile(Greeting greeting, Reconciliation<Greeting> r) throws ApiException {
        r.apply(new V1ConfigMap().data(Map.of("text", greeting.spec().text())));
        return Outcome.ready("Applied", "the ConfigMap has the text");
    }
}

@AutoConfiguration
public class GreetingAutoConfiguration {

    @Bean
    GreetingReconciler greetingReconciler() {
        return new GreetingReconciler();
    }
}
