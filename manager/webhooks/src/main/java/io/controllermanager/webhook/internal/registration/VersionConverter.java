package io.controllermanager.webhook.internal.registration;

import io.controllermanager.client.ResourceType;
import io.controllermanager.types.CustomResource;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.Converter;
import io.kubernetes.client.common.KubernetesObject;

/**
 * A converter, as its class and its annotation say.
 *
 * @param converterClass the bean's class
 * @param version the version that it converts
 * @param hub the version that it converts to and from
 */
public record VersionConverter(Class<?> converterClass, ResourceType<?> version, ResourceType<?> hub) {

    public VersionConverter {
        if (!version.qualifiedKind().equals(hub.qualifiedKind())
                || version.version().equals(hub.version())) {
            throw Webhooks.invalid(
                    converterClass,
                    "hub = " + hub.objectClass().getName() + ", which is " + hub + ", is no other version of "
                            + version);
        }
    }

    /** Of a class with {@link ConversionWebhook}. */
    static VersionConverter of(Class<?> converterClass) {
        ConversionWebhook says = converterClass.getAnnotation(ConversionWebhook.class);
        Webhooks.checkImplements(converterClass, Converter.class, ConversionWebhook.class, says.value(), says.hub());
        return new VersionConverter(
                converterClass, type(converterClass, says.value()), type(converterClass, says.hub()));
    }

    private static ResourceType<?> type(Class<?> converterClass, Class<? extends KubernetesObject> version) {
        if (!version.isAnnotationPresent(CustomResource.class)) {
            throw Webhooks.invalid(converterClass, version.getName() + " has no @CustomResource");
        }
        return ResourceType.of(version);
    }
}
