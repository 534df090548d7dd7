package io.controllermanager.recorder;

import io.controllermanager.client.Patch;
import io.controllermanager.client.RequestFailedException;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.WriteFence;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends Events, again if need be, and knows which failures matter. Safe for use by several threads. */
final class EventWriter {

    private static final Logger log = LoggerFactory.getLogger(EventWriter.class);

    private static final int TRIES = 6;
    private static final int FIELD_LIMIT = 128;

    /** The API server has Events about objects without a namespace here. */
    private static final String CLUSTER_NAMESPACE = "default";

    private final ResourceClient<EventsV1Event> events;
    private final String instance;
    private final EventBuffer buffer;
    private final Runnable onDrop;
    private final CountDownLatch hurry = new CountDownLatch(1);
    private final AtomicBoolean toldOfPermission = new AtomicBoolean();
    private final AtomicLong lastNameNanos = new AtomicLong();

    EventWriter(ResourceClient<EventsV1Event> events, String instance, EventBuffer buffer, Runnable onDrop) {
        this.events = events;
        this.instance = instance;
        this.buffer = buffer;
        this.onDrop = onDrop;
    }

    /** From now on nothing is tried twice. */
    void hurry() {
        hurry.countDown();
    }

    @FunctionalInterface
    private interface Attempt {
        void run() throws ApiException;
    }

    /** Creates the Event and gives its name, null if that failed for good. */
    @Nullable
    String create(RecordedEvent event) throws InterruptedException {
        String name = name(event);
        boolean written = attempt(() -> {
            try {
                events.create(toEvent(event, name));
            } catch (RequestFailedException e) {
                // An earlier try went through although its answer was lost.
                if (!e.reason().equals("AlreadyExists")) {
                    throw e;
                }
            }
        });
        return written ? name : null;
    }

    /**
     * Makes the Event a series of so many.
     *
     * @return the name of the Event, which is another one if the first has expired; null if that failed for good
     */
    @Nullable
    String update(RecordedEvent event, String name, int count, Instant last) throws InterruptedException {
        String patch = "{\"series\":{\"count\":" + count + ",\"lastObservedTime\":\""
                + last.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC).format(MICROS) + "\"}}";
        boolean[] expired = new boolean[1];
        boolean written = attempt(() -> {
            try {
                events.patch(namespace(event), name, new Patch.Merge(patch));
            } catch (RequestFailedException e) {
                if (e.getCode() != 404) {
                    throw e;
                }
                expired[0] = true;
            }
        });
        if (expired[0]) {
            return create(new RecordedEvent(
                    event.component(), event.type(), event.regarding(), event.reason(), event.note(), last));
        }
        return written ? name : null;
    }

    private static final java.time.format.DateTimeFormatter MICROS = new java.time.format.DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'")
            .toFormatter(java.util.Locale.ROOT);

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
        onDrop.run();
        boolean terminating = String.valueOf(e.getMessage()).contains("being terminated");
        if (e.getCode() == 403 && !terminating && toldOfPermission.compareAndSet(false, true)) {
            log.warn("Events cannot be recorded: {}", e.getMessage());
        } else {
            log.debug("An Event was dropped: {}", e.getMessage());
        }
    }

    private EventsV1Event toEvent(RecordedEvent event, String name) {
        return new EventsV1Event()
                .apiVersion(events.type().apiVersion())
                .kind(events.type().kind())
                .metadata(new V1ObjectMeta().namespace(namespace(event)).name(name))
                .eventTime(OffsetDateTime.ofInstant(event.at().truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC))
                .reportingController(event.component())
                .reportingInstance(cut(instance, FIELD_LIMIT))
                .action("Reconcile")
                .reason(cut(event.reason(), FIELD_LIMIT))
                .regarding(event.regarding())
                .note(event.note())
                .type(event.type());
    }

    private static String namespace(RecordedEvent event) {
        String namespace = event.regarding().getNamespace();
        return namespace == null || namespace.isEmpty() ? CLUSTER_NAMESPACE : namespace;
    }

    /** The object's name and the time in nanoseconds, as client-go does; never the same twice. */
    private String name(RecordedEvent event) {
        long at = ChronoUnit.NANOS.between(Instant.EPOCH, event.at());
        long unique = lastNameNanos.updateAndGet(last -> Math.max(last + 1, at));
        return cut(String.valueOf(event.regarding().getName()), 230) + "." + Long.toHexString(unique);
    }

    private static String cut(String text, int limit) {
        return text.length() <= limit ? text : text.substring(0, limit);
    }
}
