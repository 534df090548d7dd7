package io.controllermanager.app.rights;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.DiscoveryV1Api;
import io.kubernetes.client.openapi.models.DiscoveryV1EndpointPort;
import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointConditions;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Service;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Map;

/**
 * Where the Service of webhooks leads to: pods that are ready, which are processes of this machine. The API server looks there
 * itself if it is started with {@code enable-aggregator-routing}, and refuses addresses of the loopback.
 */
record WebhookEndpoints(ApiClient admin, String namespace) {

    /** The pod is ready; nothing is done where there is no such Service. */
    void add(RenderedPod pod) throws ApiException {
        for (V1Service service :
                new CoreV1Api(admin).listNamespacedService(namespace).execute().getItems()) {
            String name = service.getMetadata().getName();
            if (name.endsWith("-webhooks")) {
                new DiscoveryV1Api(admin)
                        .createNamespacedEndpointSlice(namespace, slice(name, pod))
                        .execute();
            }
        }
    }

    private static V1EndpointSlice slice(String service, RenderedPod pod) {
        return new V1EndpointSlice()
                .metadata(new V1ObjectMeta().name(pod.name()).labels(Map.of("kubernetes.io/service-name", service)))
                .addressType("IPv4")
                .addEndpointsItem(
                        new V1Endpoint().addAddressesItem(address()).conditions(new V1EndpointConditions().ready(true)))
                .addPortsItem(new DiscoveryV1EndpointPort().name("webhooks").port(pod.webhookPort()));
    }

    /** The pod is not ready any more. */
    void remove(RenderedPod pod) throws ApiException {
        try {
            new DiscoveryV1Api(admin)
                    .deleteNamespacedEndpointSlice(pod.name(), namespace)
                    .execute();
        } catch (ApiException e) {
            if (e.getCode() != 404) {
                throw e;
            }
        }
    }

    private static String address() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                    .findFirst()
                    .orElseThrow()
                    .getHostAddress();
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }
}
