package io.controllermanager.webhook.internal.registration;

import io.controllermanager.client.ResourceType;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.Converter;

/**
 * A converter, as its class and its annotation say.
 *
 * @param beanClass the bean's class
 * @param version the version that it converts
 * @param hub the version that it converts to and from
 */
public record VersionConverter(Class<?> beanClass, ResourceType<?> version, ResourceType<?> hub)
        implements Webhooks.Registered {

    public VersionConverter {
        if (!version.qualifiedKind().equals(hub.qualifiedKind())
                || version.version().equals(hub.version())) {
            throw new IllegalArgumentException("hub = " + hub.objectClass().getName() + ", which is " + hub
                    + ", is no other version of " + version);
        }
    }

    /** Of a class with {@link ConversionWebhook}. */
    static VersionConverter of(Class<?> beanClass, ConversionWebhook says) {
        Webhooks.checkImplements(beanClass, Converter.class, ConversionWebhook.class, says.value(), says.hub());
        return new VersionConverter(beanClass, ResourceType.of(says.value()), ResourceType.of(says.hub()));
    }

    @Override
    public String target() {
        return version.toString();
    }
}
