package io.controllermanager.apiserver.resource;

/**
 * Where an object keeps what the scale subresource shows.
 *
 * @param specReplicas a path such as {@code .spec.replicas}
 * @param statusReplicas a path such as {@code .status.replicas}
 * @param selector the path of a selector's text; empty where the selector is {@code .spec.selector}'s, or there is none
 */
public record Scale(String specReplicas, String statusReplicas, String selector) {

    public static final String API_VERSION = "autoscaling/v1";
}
