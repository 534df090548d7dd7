package io.controllermanager.webhook;

/** Which objects' writes a webhook is asked for; Kubernetes' {@code *}, {@code Namespaced} and {@code Cluster}. */
public enum WebhookScope {
    ANY,
    NAMESPACED,
    CLUSTER
}
