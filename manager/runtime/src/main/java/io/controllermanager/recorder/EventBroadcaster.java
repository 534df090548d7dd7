package io.controllermanager.recorder;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the Events of all components of a process to {@code events.k8s.io/v1}, on one thread in the background. An Event
 * that repeats becomes a series of the first one. When the buffer is full, or the API server is away for long, Events are
 * dropped and counted. Named after its like in client-go's {@code tools/events}.
 */
public final class EventBroadcaster implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EventBroadcaster.class);

    private static final int CAPACITY = 1_000;
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    private final BlockingQueue<RecordedEvent> queue = new ArrayBlockingQueue<>(CAPACITY);
    private final EventSeries series;
    private final EventWriter writer;
    private final Clock clock;
    private final AtomicLong dropped = new AtomicLong();
    private final Object lock = new Object();
    private @Nullable Thread thread;
    private volatile boolean closed;

    /**
     * Makes the broadcaster; its thread starts with the first Event.
     *
     * @param client through which Events are written
     * @param clock the time
     * @param reportingInstance this process's name among its replicas, such as the pod's name
     */
    public EventBroadcaster(ApiClient client, Clock clock, String reportingInstance) {
        this.clock = clock;
        this.writer = new EventWriter(
                new ResourceClient<>(client, ResourceTypes.EVENT), reportingInstance, dropped::incrementAndGet);
        this.series = new EventSeries(writer, clock);
    }

    /**
     * A recorder that records in a component's name.
     *
     * @param component such as {@code foo-controller}: letters, digits, dashes, dots, perhaps with a domain before a
     *     slash
     */
    public EventRecorder recorder(String component) {
        return new EventRecorder() {
            @Override
            public void normal(KubernetesObject regarding, String reason, String note) {
                record(component, "Normal", regarding, reason, note);
            }

            @Override
            public void warning(KubernetesObject regarding, String reason, String note) {
                record(component, "Warning", regarding, reason, note);
            }
        };
    }

    /** How many Events were given up: the buffer was full or they could not be written. */
    public long dropped() {
        return dropped.get();
    }

    private void record(String component, String type, KubernetesObject regarding, String reason, String note) {
        RecordedEvent event = new RecordedEvent(
                component, type, reference(regarding), reason, RecordedEvent.shortened(note), clock.now());
        if (closed || !queue.offer(event)) {
            dropped.incrementAndGet();
            log.atDebug().addKeyValue("reason", reason).log("An Event was dropped: the buffer is full");
            return;
        }
        startThread();
    }

    private static V1ObjectReference reference(KubernetesObject object) {
        // What was built in code, or came from a list by way of another client, may not know its own kind.
        ResourceType<?> type = ResourceTypes.forClass(object.getClass());
        String apiVersion = object.getApiVersion();
        String kind = object.getKind();
        return new V1ObjectReference()
                .apiVersion(apiVersion == null && type != null ? type.apiVersion() : apiVersion)
                .kind(kind == null && type != null ? type.kind() : kind)
                .namespace(object.getMetadata().getNamespace())
                .name(object.getMetadata().getName())
                .uid(object.getMetadata().getUid())
                .resourceVersion(object.getMetadata().getResourceVersion());
    }

    private void startThread() {
        synchronized (lock) {
            if (thread == null && !closed) {
                Thread started = new Thread(this::run, "event-broadcaster");
                started.setDaemon(true);
                started.start();
                thread = started;
            }
        }
    }

    private void run() {
        while (!closed || !queue.isEmpty()) {
            try {
                RecordedEvent event = queue.poll(1, TimeUnit.SECONDS);
                if (event != null) {
                    series.record(event);
                }
                series.flush(false);
            } catch (InterruptedException e) {
                // Only close() interrupts, when its time is up.
                return;
            } catch (RuntimeException e) {
                dropped.incrementAndGet();
                log.error("An Event could not be recorded", e);
            }
        }
        try {
            series.flush(true);
        } catch (InterruptedException e) {
            // As above.
        }
    }

    /** Ends the thread, after at most two seconds for what is waiting. */
    @Override
    public void close() {
        Thread ending;
        synchronized (lock) {
            closed = true;
            ending = thread;
            thread = null;
        }
        writer.hurry();
        if (ending == null) {
            return;
        }
        try {
            ending.join(CLOSE_LIMIT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ending.interrupt();
    }
}
