package io.controllermanager.recorder.internal;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.recorder.internal.EventMetrics.Fate;
import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the Events of all components of a process to {@code events.k8s.io/v1} in the background. An Event that repeats
 * becomes a series of the first one; Events about one object are written in the order in which they were first recorded.
 * A component that records many different Events about one object is held to {@link EventLimits}. When {@value #CAPACITY}
 * Events wait to be written, or the API server is away for long, Events are dropped and counted. Named after its like in
 * client-go's {@code tools/events}; the package says what differs.
 *
 * <p>Up to four threads write, named {@code event-broadcaster-1} and so on; each starts with the first Event that is its
 * to write. Reconciles come first: only one request is under way at a time unless many Events wait or the process ends.
 */
public final class EventBroadcaster implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EventBroadcaster.class);

    /** Of a burst of thousands nothing is lost; an Event that waits takes about 400 bytes. */
    static final int CAPACITY = 20_000;

    private static final int LANES = 4;

    /** From so many waiting Events on all lanes write at once. */
    private static final int BACKLOG = 500;

    static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    private final List<EventLane> lanes;
    private final EventBuffer buffer;
    private final EventWriter writer;
    private final SpamFilter filter;
    private final EventMetrics metrics;
    private final Clock clock;

    /** Makes a broadcaster with the standard limits that nobody watches; parameters as for the other constructor. */
    public EventBroadcaster(ApiClient client, Clock clock, String reportingInstance) {
        this(client, clock, reportingInstance, EventLimits.STANDARD, new SimpleMeterRegistry());
    }

    /**
     * Makes the broadcaster; its threads start with the first Events.
     *
     * @param client through which Events are written; not fenced, since what a replica did just before it stopped leading
     *     is worth telling, and controllers that need no leader record on every replica
     * @param clock the time
     * @param reportingInstance this process's name among its replicas, such as the pod's name
     * @param limits how many Events a component may write about one object
     * @param meters where Events are counted, by what became of them
     */
    public EventBroadcaster(
            ApiClient client, Clock clock, String reportingInstance, EventLimits limits, MeterRegistry meters) {
        this.clock = clock;
        this.filter = new SpamFilter(limits, clock);
        this.metrics = new EventMetrics(meters);
        this.buffer = new EventBuffer(CAPACITY, BACKLOG, LANES);
        this.writer = new EventWriter(client, reportingInstance, buffer, metrics);
        this.lanes = IntStream.rangeClosed(1, LANES)
                .mapToObj(number -> new EventLane(
                        "event-broadcaster-" + number, buffer, new EventSeries(writer, clock, metrics), metrics))
                .toList();
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
        return metrics.of(Fate.DROPPED) + metrics.of(Fate.FAILED);
    }

    private void record(String component, String type, KubernetesObject regarding, String reason, String note) {
        RecordedEvent event = new RecordedEvent(
                component, type, reference(regarding), reason, RecordedEvent.shortened(note), clock.now());
        RecordedEvent.Identity identity = event.identity();
        if (!filter.admits(identity)) {
            metrics.count(Fate.FILTERED, 1);
            log.atDebug()
                    .addKeyValue("controller", component)
                    .addKeyValue("reason", reason)
                    .log("An Event was filtered: there are many about that object");
        } else if (!lane(identity).offer(identity, event)) {
            metrics.count(Fate.DROPPED, 1);
            log.atDebug().addKeyValue("reason", reason).log("An Event was dropped: the buffer is full or closed");
        }
    }

    private EventLane lane(RecordedEvent.Identity event) {
        // A name that is in a string twice leaves its hash with low bits that are all the same: the high ones are
        // mixed.
        int mixed = event.regarding().hashCode() * 0x9E3779B9;
        return lanes.get((mixed >>> 16) % lanes.size());
    }

    static V1ObjectReference reference(KubernetesObject object) {
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

    /** Ends the threads, after at most two seconds for what is waiting; nothing is recorded any more. */
    @Override
    public void close() {
        buffer.hurry();
        writer.hurry();
        lanes.forEach(EventLane::end);
        long deadline = clock.nanoTime() + CLOSE_LIMIT.toNanos();
        boolean patient = true;
        for (EventLane lane : lanes) {
            patient = patient && lane.awaitEnd(deadline - clock.nanoTime());
            if (!patient) {
                lane.abandon();
            }
        }
    }
}
