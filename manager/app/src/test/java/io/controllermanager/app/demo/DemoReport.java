package io.controllermanager.app.demo;

import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import io.kubernetes.client.util.generic.options.ListOptions;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.awaitility.core.ConditionTimeoutException;

/** Waits for what the controllers make of the samples, and tells it in the API server's own words. */
final class DemoReport {

    private final DynamicKubernetesApi foos;
    private final DynamicKubernetesApi networks;
    private final DynamicKubernetesApi events;

    DemoReport(ApiClient client) {
        this.foos = new DynamicKubernetesApi("samplecontroller.k8s.io", "v1alpha1", "foos", client);
        this.networks = new DynamicKubernetesApi("sample.k8s.io", "v1", "networks", client);
        this.events = new DynamicKubernetesApi("", "v1", "events", client);
    }

    /** A line that says that the Foo is synced, or that it is not after all that time. */
    String foo() {
        return told("Foo default/example-foo", "not synced", this::syncedFoo);
    }

    /** A line that says that the Network is ready, or that it is not after all that time. */
    String network() {
        return told("Network default/example-network", "not ready", this::readyNetwork);
    }

    private static String told(String object, String otherwise, Found found) {
        try {
            return object
                    + " "
                    + await().ignoreExceptions()
                            .until(found::find, Optional::isPresent)
                            .orElseThrow();
        } catch (ConditionTimeoutException e) {
            return object + " is " + otherwise + " after " + Waiting.LIMIT.toSeconds() + " s; the log may say why";
        }
    }

    @FunctionalInterface
    private interface Found {
        Optional<String> find() throws Exception;
    }

    private Optional<String> syncedFoo() throws Exception {
        JsonObject foo = read(foos, "example-foo");
        JsonObject spec = foo.getAsJsonObject("spec");
        JsonObject status = foo.getAsJsonObject("status");
        ListOptions aboutIt = new ListOptions();
        aboutIt.setFieldSelector("involvedObject.kind=Foo,involvedObject.name=example-foo,reason=Synced");
        boolean recorded = !events.list("default", aboutIt)
                .throwsApiException()
                .getObject()
                .getItems()
                .isEmpty();
        if (status == null || !recorded) {
            return Optional.empty();
        }
        int wanted = spec.get("replicas").getAsInt();
        int available = status.get("availableReplicas").getAsInt();
        return available < wanted
                ? Optional.empty()
                : Optional.of("synced: " + available + " of " + wanted + " replicas available");
    }

    private Optional<String> readyNetwork() throws Exception {
        JsonObject network = read(networks, "example-network");
        JsonObject status = network.getAsJsonObject("status");
        if (status == null || !status.has("conditions") || !status.has("gateway")) {
            return Optional.empty();
        }
        boolean ready = StreamSupport.stream(status.getAsJsonArray("conditions").spliterator(), false)
                .map(condition -> condition.getAsJsonObject())
                .anyMatch(condition -> condition.get("type").getAsString().equals("Ready")
                        && condition.get("status").getAsString().equals("True"));
        return ready
                ? Optional.of(
                        "ready: " + network.getAsJsonObject("spec").get("cidr").getAsString() + ", gateway "
                                + status.get("gateway").getAsString())
                : Optional.empty();
    }

    private static JsonObject read(DynamicKubernetesApi api, String name) throws Exception {
        DynamicKubernetesObject object =
                api.get("default", name).throwsApiException().getObject();
        return object.getRaw();
    }
}
