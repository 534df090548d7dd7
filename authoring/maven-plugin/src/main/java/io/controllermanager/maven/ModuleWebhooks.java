package io.controllermanager.maven;

import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.crd.Conversion;
import io.controllermanager.crd.Json;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.MutatingWebhook;
import io.controllermanager.webhook.ValidatingWebhook;
import io.controllermanager.webhook.internal.registration.Registration;
import io.controllermanager.webhook.internal.registration.VersionConverter;
import io.controllermanager.webhook.internal.registration.WebhookNames;
import io.controllermanager.webhook.internal.registration.Webhooks;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The webhooks of a module, and where the API server is to ask them. */
final class ModuleWebhooks {

    /** In a namespace whose name stands for the one that a chart or kustomize fills in, as kubebuilder has it. */
    static final Registration REGISTRATION = new Registration(WebhookNames.DEFAULT_NAME, "system", null);

    private ModuleWebhooks() {}

    /**
     * All of them.
     *
     * @throws IllegalArgumentException if one cannot be registered
     */
    static Webhooks of(CompiledModule module) {
        Set<Class<?>> classes = new LinkedHashSet<>();
        for (var annotation : List.of(ValidatingWebhook.class, MutatingWebhook.class, ConversionWebhook.class)) {
            classes.addAll(AnnotatedClasses.in(module, annotation));
        }
        return Webhooks.of(classes);
    }

    /** What CRDs say of them. */
    static Conversion conversion(CompiledModule module) {
        Map<Class<?>, Class<?>> hubs = new HashMap<>();
        for (VersionConverter converter : of(module).converters()) {
            Class<?> hub = converter.hub().objectClass();
            hubs.put(converter.version().objectClass(), hub);
            hubs.put(hub, hub);
        }
        return new Conversion(hubs, plain(REGISTRATION.conversion()));
    }

    /** An object of client-java as YAML has it. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> plain(Object object) {
        return (Map<String, Object>) Json.plain(ApiJson.tree(object));
    }
}
