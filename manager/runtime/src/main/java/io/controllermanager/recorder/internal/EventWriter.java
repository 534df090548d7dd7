package io.controllermanager.recorder.internal;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.WriteFence;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.RequestFailedException;
import io.controllermanager.recorder.internal.EventMetrics.Fate;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.EventsV1EventSeries;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends Events, again if need be, and knows which failures matter. Safe for use by several threads. */
final class EventWriter {

    private static final Logger log = LoggerFactory.getLogger(EventWriter.class);

    private static final int TRIES = 6;
    private static final int FIELD_LIMIT = 128;

    /** The API server has Events about objects without a namespace here. */
    private static final String CLUSTER_NAMESPACE = "default";

    private static final ResourceType<EventsV1Event> TYPE = ResourceTypes.EVENT;

    private final ApiRequests requests;
    private final String instance;
    private final EventBuffer buffer;
    private final EventMetrics metrics;
    private final CountDownLatch hurry = new CountDownLatch(1);
    private final AtomicBoolean toldOfPermission = new AtomicBoolean();
    private final AtomicLong lastNameNanos = new AtomicLong();

    EventWriter(ApiClient client, String instance, EventBuffer buffer, EventMetrics metrics) {
        this.requests = new ApiRequests(client);
        this.instance = instance;
        this.buffer = buffer;
        this.metrics = metrics;
    }

    /** From now on nothing is tried twice. */
    void hurry() {
        hurry.countDown();
    }

    @FunctionalInterface
    private interface Attempt {
        void run() throws ApiException;
    }

    /** Creates the Event; returns whether it is there. */
    boolean create(RecordedEvent event, String name) throws InterruptedException {
        return attempt(() -> create(toEvent(event, name)));
    }

    /** Makes the Event a series of so many, which is created if the Event has expired or never came to be. */
    void update(RecordedEvent event, String name, int count, Instant last) throws InterruptedException {
        EventsV1EventSeries series = new EventsV1EventSeries().count(count).lastObservedTime(micros(last));
        byte[] patch = ApiJson.write(new EventsV1Event().series(series));
        attempt(() -> {
            try {
                send(
                        "patch",
                        namespace(event),
                        name,
                        requests.request(
                                "PATCH",
                                TYPE.path(namespace(event)) + "/" + name,
                                List.of(),
                                "application/merge-patch+json",
                                patch));
            } catch (RequestFailedException e) {
                if (e.getCode() != 404) {
                    throw e;
                }
                create(toEvent(event, name).series(series));
            }
        });
    }

    private void create(EventsV1Event event) throws ApiException {
        try {
            String namespace = event.getMetadata().getNamespace();
            String name = event.getMetadata().getName();
            send(
                    "create",
                    namespace,
                    name,
                    requests.request("POST", TYPE.path(namespace), List.of(), ApiRequests.JSON, ApiJson.write(event)));
        } catch (RequestFailedException e) {
            // An earlier try went through although its answer was lost.
            if (!e.reason().equals("AlreadyExists")) {
                throw e;
            }
        }
    }

    /** Nobody reads the answer. */
    private void send(String verb, String namespace, String name, okhttp3.Request request) throws ApiException {
        requests.send(verb + " " + TYPE.qualifiedName() + " " + namespace + "/" + name, request, ApiRequests::drop);
    }

    private boolean attempt(Attempt attempt) throws InterruptedException {
        for (int tries = 1; ; tries++) {
            buffer.beginRequest();
            try {
                attempt.run();
                return true;
            } catch (ApiException e) {
                boolean hurried = hurry.getCount() == 0;
                if (hurried || tries == TRIES || !isWorthAnotherTry(e)) {
                    giveUp(e);
                    return false;
                }
            } finally {
                buffer.endRequest();
            }
            hurry.await(Math.min(10, 1L << (tries - 1)), TimeUnit.SECONDS);
        }
    }

    private static boolean isWorthAnotherTry(ApiException e) {
        if (e.getCause() instanceof WriteFence.WriteRefusedException) {
            return false;
        }
        return e.getCode() == 0 || e.getCode() == 429 || e.getCode() >= 500;
    }

    private void giveUp(ApiException e) {
        metrics.count(Fate.FAILED, 1);
        boolean terminating = String.valueOf(e.getMessage()).contains("being terminated");
        if (e.getCode() == 403 && !terminating && toldOfPermission.compareAndSet(false, true)) {
            log.warn("Events cannot be recorded: {}", e.getMessage());
        } else {
            log.debug("An Event was dropped: {}", e.getMessage());
        }
    }

    private EventsV1Event toEvent(RecordedEvent event, String name) {
        return new EventsV1Event()
                .apiVersion(TYPE.apiVersion())
                .kind(TYPE.kind())
                .metadata(new V1ObjectMeta().namespace(namespace(event)).name(name))
                .eventTime(micros(event.at()))
                .reportingController(event.component())
                .reportingInstance(cut(instance, FIELD_LIMIT))
                .action("Reconcile")
                .reason(cut(event.reason(), FIELD_LIMIT))
                .regarding(event.regarding())
                .note(event.note())
                .type(event.type());
    }

    private static OffsetDateTime micros(Instant time) {
        return OffsetDateTime.ofInstant(time.truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC);
    }

    private static String namespace(RecordedEvent event) {
        String namespace = event.regarding().getNamespace();
        return namespace == null || namespace.isEmpty() ? CLUSTER_NAMESPACE : namespace;
    }

    /** The object's name and the time in nanoseconds, as client-go does; never the same twice. */
    String name(RecordedEvent event) {
        long at = ChronoUnit.NANOS.between(Instant.EPOCH, event.at());
        long unique = lastNameNanos.updateAndGet(last -> Math.max(last + 1, at));
        return cut(String.valueOf(event.regarding().getName()), 230) + "." + Long.toHexString(unique);
    }

    private static String cut(String text, int limit) {
        return text.length() <= limit ? text : text.substring(0, limit);
    }
}
