package io.controllermanager.controller.internal;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.controllermanager.client.internal.connection.WriteObserver;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells who undoes what a controller's reconciles write, as two controllers do that want different things of one field: by
 * an Event of the object, a WARN line and {@code controller_manager_undone_writes_total}. Of such a key's object it reads
 * {@code metadata.managedFields} after the pause: informers do not keep them, and the answer to a write no longer names who
 * lost the field by it. Sees writes made on the reconcile's own thread. Safe for use by several threads.
 */
public final class UndoneWriteReport implements WriteObserver, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Controller.class);

    private static final String UNKNOWN = "unknown";

    /** Their names are their own choice, and each is a time series. */
    private static final int MOST_MANAGERS = 20;

    private final String controller;
    private final UndoneWrites writes;
    private final EventRecorder events;
    private final MeterRegistry meters;
    private final Reader reader;

    @SuppressWarnings("ThreadLocalUsage") // a reconcile of one controller is none of another's
    private final ThreadLocal<@Nullable Request> reconciling = new ThreadLocal<>();

    /** For each key that pauses, the write that was undone. */
    private final Map<Request, Undone> pausing = new ConcurrentHashMap<>();

    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    /** Reads an object. */
    public interface Reader {

        /**
         * Sends a request.
         *
         * @param get a request as the write was, but to read
         * @return the answer's body, null if there is none
         */
        @Nullable
        String read(okhttp3.Request get);
    }

    /**
     * A write that was undone before, and will be again.
     *
     * @param request what was sent
     * @param status whether it went to the object's status
     * @param object the object's name and kind
     * @param left who managed which field after it
     */
    private record Undone(
            okhttp3.Request request,
            boolean status,
            PartialObjectMetadata object,
            FieldManagers left,
            Duration pause) {}

    /**
     * Is shown nothing yet; see {@link io.controllermanager.client.internal.connection.ApiConnection#observeWrites}.
     *
     * @param events where the Events go
     * @param reader reads an object with the controller's rights
     */
    public UndoneWriteReport(
            String controller, Clock clock, EventRecorder events, MeterRegistry meters, Reader reader) {
        this.controller = controller;
        this.writes = new UndoneWrites(clock);
        this.events = events;
        this.meters = meters;
        this.reader = reader;
    }

    /** How long a key has to wait since its writes are undone, zero for not at all. */
    Duration remaining(Request key) {
        return writes.remaining(key);
    }

    /** The key does not wait any longer. */
    void forget(Request key) {
        writes.forget(key);
        pausing.remove(key);
    }

    /** Reconciles, such that this knows whose writes it is shown. */
    <T extends @Nullable Object> T during(Request key, Supplier<T> reconcile) {
        Undone before = pausing.remove(key);
        if (before != null) {
            try {
                report(key, before);
            } catch (RuntimeException e) {
                // The reconcile does not depend on it.
                log.atDebug().setCause(e).log("Controller {} could not tell who undoes its writes", controller);
            }
        }
        reconciling.set(key);
        try {
            return reconcile.get();
        } finally {
            reconciling.remove();
        }
    }

    @Override
    public boolean observes(okhttp3.Request request, ResourcePath path) {
        return reconciling.get() != null
                && !path.isProxied()
                && (request.method().equals("PUT") || request.method().equals("PATCH"));
    }

    @Override
    public void written(okhttp3.Request request, ResourcePath path, JsonObject answer) {
        Request key = reconciling.get();
        if (key == null) {
            return;
        }
        Duration pause = writes.written(key, request.url().encodedPath(), UndoneWrites.State.of(answer));
        if (!pause.isZero()) {
            FieldManagers left = FieldManagers.of(answer);
            pausing.put(key, new Undone(request, "status".equals(path.subresource()), name(answer), left, pause));
        }
    }

    private void report(Request key, Undone undone) {
        Set<String> rivals = rivals(undone);
        if (rivals.isEmpty()) {
            return;
        }
        String who = String.join(", ", rivals);
        rivals.forEach(rival -> counter(rival).increment());
        events.warning(
                undone.object(),
                "WritesUndone",
                "%s changes back what %s writes, again and again; %2$s waits up to %d s before it writes again"
                        .formatted(who, controller, UndoneWrites.LONGEST_PAUSE.toSeconds()));
        if (undone.pause().compareTo(UndoneWrites.LONGEST_PAUSE) < 0) {
            log.atWarn()
                    .addKeyValue("controller", controller)
                    .addKeyValue("namespace", key.getNamespace())
                    .addKeyValue("name", key.getName())
                    .addKeyValue("manager", who)
                    .log(
                            "Controller {} paused {} for {} s: {} changes back what it writes to {}",
                            controller,
                            Keys.shown(key),
                            undone.pause().toSeconds(),
                            who,
                            undone.request().url().encodedPath());
        }
    }

    /** Who has undone it by now; nobody if it has not been undone. */
    private Set<String> rivals(Undone undone) {
        HttpUrl.Builder url = undone.request().url().newBuilder().query(null);
        if (undone.status()) {
            url.removePathSegment(undone.request().url().pathSize() - 1);
        }
        String answer =
                reader.read(undone.request().newBuilder().get().url(url.build()).build());
        if (answer == null || !(JsonParser.parseString(answer) instanceof JsonObject object)) {
            return Set.of(UNKNOWN);
        }
        return undone.left().rivals(FieldManagers.of(object), ownName(undone.request()));
    }

    /** By which the API server calls this process: what it asked to be called, or its program. */
    private static String ownName(okhttp3.Request request) {
        String asked = request.url().queryParameter("fieldManager");
        String agent = request.header("User-Agent");
        return asked != null ? asked : agent == null ? UNKNOWN : agent.replaceFirst("/.*", "");
    }

    private static PartialObjectMetadata name(JsonObject object) {
        PartialObjectMetadata name = new PartialObjectMetadata();
        name.setApiVersion(text(object, "apiVersion"));
        name.setKind(text(object, "kind"));
        JsonElement metadata = object.get("metadata");
        if (metadata != null) {
            String namespace = text(metadata, "namespace");
            name.setMetadata(new V1ObjectMeta()
                    .namespace(namespace.isEmpty() ? null : namespace)
                    .name(text(metadata, "name"))
                    .uid(text(metadata, "uid")));
        }
        return name;
    }

    private static String text(JsonElement object, String field) {
        return object instanceof JsonObject found && found.get(field) instanceof JsonPrimitive value
                ? value.getAsString()
                : "";
    }

    private Counter counter(String manager) {
        String label = counters.containsKey(manager) || counters.size() < MOST_MANAGERS ? manager : "other";
        return counters.computeIfAbsent(
                label,
                name -> Counter.builder("controller.manager.undone.writes")
                        .description("Writes that somebody has undone again and again, by who did.")
                        .tag("controller", controller)
                        .tag("manager", name)
                        .register(meters));
    }

    /** Takes the meters out of the registry. */
    @Override
    public void close() {
        counters.values().forEach(meters::remove);
    }
}
