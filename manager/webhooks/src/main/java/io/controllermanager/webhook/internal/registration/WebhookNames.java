package io.controllermanager.webhook.internal.registration;

import io.controllermanager.client.ResourceType;

/** What is called how. The process and the files that the Maven plugin makes must agree. */
public final class WebhookNames {

    /** The port that webhooks are served on. */
    public static final int PORT = 9443;

    /** Where conversions are asked for. */
    public static final String CONVERT_PATH = "/convert";

    /**
     * The name, unless the application gives another, of its Secret with certificates, its Service and both of its webhook
     * configurations.
     */
    public static final String DEFAULT_NAME = "controller-manager-webhooks";

    private WebhookNames() {}

    /** Where a type's validator is asked, such as {@code /validate/websites.example.com/v1}. */
    public static String validatePath(ResourceType<?> type) {
        return "/validate/" + type;
    }

    /** Where a type's defaulter is asked. */
    public static String mutatePath(ResourceType<?> type) {
        return "/mutate/" + type;
    }

    /** The name of a type's validating webhook, such as {@code validate.websites.example.com}. */
    public static String validating(ResourceType<?> type) {
        return "validate." + type.plural() + "." + group(type);
    }

    /** The name of a type's mutating webhook. */
    public static String mutating(ResourceType<?> type) {
        return "mutate." + type.plural() + "." + group(type);
    }

    private static String group(ResourceType<?> type) {
        return type.group().isEmpty() ? "core" : type.group();
    }
}
