package io.controllermanager.apiserver.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.net.HostAndPort;
import io.controllermanager.apiserver.http.HttpsClient;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.Store;
import io.controllermanager.apiserver.storage.StoredObject;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Calls the webhooks that a {@code clientConfig} names (apiserver, pkg/util/webhook/client.go). A Service is where the caller of
 * {@link #serviceAt} says, or else where its EndpointSlices say: there is no network of cluster IPs. No lock is held meanwhile, so
 * that a webhook may ask this server. For use by any thread.
 */
public final class WebhookClient {

    private final Store store;
    private final HttpsClient http = new HttpsClient();
    private final Map<Key, URI> services = new ConcurrentHashMap<>();

    public WebhookClient(Store store) {
        this.store = store;
    }

    /** Says where a Service listens. Of the URI the host and the port count. */
    public void serviceAt(String namespace, String name, URI where) {
        services.put(new Key("services", namespace, name), where);
    }

    /** Closes the connections that are kept for the next call. */
    public void close() {
        http.close();
    }

    /**
     * Posts a review.
     *
     * @param config a {@code clientConfig} with {@code url} or {@code service}, and perhaps {@code caBundle}
     * @throws IOException for what comes in the way, in Go's words
     */
    JsonNode post(JsonNode config, int timeoutSeconds, ObjectNode review) throws IOException {
        JsonNode service = config.path("service");
        String name = service.path("name").asText();
        String namespace = service.path("namespace").asText();
        int port = service.path("port").asInt(443);
        String base = service.isObject()
                ? "https://" + name + "." + namespace + ".svc:" + port + "/"
                        + service.path("path").asText("").replaceFirst("^/", "")
                : config.path("url").asText();
        String url = base + "?timeout=" + timeoutSeconds + "s";
        URI at;
        try {
            at = service.isObject() ? find(new Key("services", namespace, name), port) : URI.create(base);
        } catch (IOException e) {
            throw new IOException("Post \"" + url + "\": " + e.getMessage(), e);
        }
        int listens = at.getPort() < 0 ? 443 : at.getPort();
        String trusted = config.path("caBundle").asText("");
        HttpsClient.Server server = new HttpsClient.Server(at.getHost(), listens, trusted);
        return http.post(url, server, Duration.ofSeconds(timeoutSeconds), review);
    }

    /** Where a Service listens (apiserver, pkg/util/proxy/proxy.go, ResolveEndpoint). */
    private URI find(Key service, int port) throws IOException {
        URI said = services.get(service);
        if (said != null) {
            return said;
        }
        String quoted = "service \"" + service.name() + "\"";
        StoredObject stored = store.get(service);
        if (stored == null) {
            throw new IOException(quoted + " not found");
        }
        String portName = Json.list(stored.tree().at("/spec/ports")).stream()
                .filter(offered -> offered.path("port").asInt() == port)
                .map(offered -> offered.path("name").asText(""))
                .findFirst()
                .orElseThrow(() -> new IOException("no service port " + port + " found for " + quoted));
        for (StoredObject object : store.objects("endpointslices.discovery.k8s.io", service.namespace())) {
            if (!service.name().equals(object.labels().get("kubernetes.io/service-name"))) {
                continue;
            }
            ObjectNode slice = object.tree();
            for (JsonNode offered : slice.path("ports")) {
                for (JsonNode endpoint : slice.path("endpoints")) {
                    boolean isIt = offered.path("name").asText("").equals(portName);
                    if (isIt && Json.fits(endpoint, "conditions/ready!=false")) {
                        String address = endpoint.path("addresses").path(0).asText();
                        int its = offered.path("port").asInt();
                        return URI.create("https://" + HostAndPort.fromParts(address, its));
                    }
                }
            }
        }
        throw new IOException("no endpoints available for " + quoted);
    }
}
