package peer;

import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CustomObjectsApi;
import io.kubernetes.client.openapi.apis.EventsV1Api;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.util.PatchUtils;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** Writes what a controller tells about a Foo: its status and an Event. */
final class Report {

    private final ApiClient client;
    private final CustomObjectsApi objects;
    private final EventsV1Api events;

    Report(ApiClient client) {
        this.client = client;
        this.objects = new CustomObjectsApi(client);
        this.events = new EventsV1Api(client);
    }

    void write(Foo foo, V1Deployment deployment) throws ApiException {
        Integer available = deployment.getStatus() == null ? null : deployment.getStatus().getAvailableReplicas();
        V1Patch status = new V1Patch("{\"status\":{\"availableReplicas\":" + (available == null ? 0 : available) + "}}");
        V1ObjectMeta metadata = foo.getMetadata();
        PatchUtils.patch(
                Foo.class,
                () -> objects.patchNamespacedCustomObjectStatus(
                                "samplecontroller.k8s.io",
                                "v1alpha1",
                                metadata.getNamespace(),
                                "foos",
                                metadata.getName(),
                                status)
                        .buildCall(null),
                V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH,
                client);
        // By itself: client-java's recorder has one thread, which sends one Event after another.
        events.createNamespacedEvent(metadata.getNamespace(), eventFor(metadata)).execute();
    }

    private static EventsV1Event eventFor(V1ObjectMeta foo) {
        Instant now = Instant.now();
        long nanos = ChronoUnit.NANOS.between(Instant.EPOCH, now);
        return new EventsV1Event()
                .apiVersion("events.k8s.io/v1")
                .kind("Event")
                .metadata(new V1ObjectMeta()
                        .name(foo.getName() + "." + Long.toHexString(nanos))
                        .namespace(foo.getNamespace()))
                .eventTime(OffsetDateTime.ofInstant(now.truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC))
                .reportingController("foo-controller")
                .reportingInstance("client-java-peer")
                .action("Reconcile")
                .reason("Synced")
                .note("Foo synced successfully")
                .type("Normal")
                .regarding(new V1ObjectReference()
                        .apiVersion("samplecontroller.k8s.io/v1alpha1")
                        .kind("Foo")
                        .namespace(foo.getNamespace())
                        .name(foo.getName())
                        .uid(foo.getUid())
                        .resourceVersion(foo.getResourceVersion()));
    }
}
