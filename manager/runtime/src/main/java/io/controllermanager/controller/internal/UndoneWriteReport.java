package io.controllermanager.controller.internal;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.TypeAdapter;
import io.controllermanager.client.internal.connection.WriteObserver;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
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

    private static final TypeAdapter<PartialObjectMetadata> METADATA =
            ApiJson.adapterWithoutManagedFields(PartialObjectMetadata.class);

    /** Their names are their own choice, and each is a time series. */
    private static final int MOST_MANAGERS = 20;

    private final String controller;
    private final Clock clock;
    private final UndoneWrites writes;
    private final EventRecorder events;
    private final MeterRegistry meters;
    private final Function<okhttp3.Request, @Nullable String> reader;

    @SuppressWarnings("ThreadLocalUsage") // a reconcile of one controller is none of another's
    private final ThreadLocal<@Nullable Request> reconciling = new ThreadLocal<>();

    /** Of each key that pauses the write that was undone, until its next reconcile. */
    private final Map<Request, Undone> pausing;

    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    /**
     * A write that was undone before, and will be again.
     *
     * @param request what was sent
     * @param status whether it went to the object's status
     * @param object the object's name and kind
     * @param left who managed which field after it
     * @param until by the monotonic clock, when its key may be reconciled again
     */
    private record Undone(
            okhttp3.Request request,
            boolean status,
            PartialObjectMetadata object,
            Set<JsonElement> left,
            Duration pause,
            long until) {}

    /**
     * Is shown nothing yet; see {@link io.controllermanager.client.internal.connection.ApiConnection#observeWrites}.
     *
     * @param memories those of the controller
     * @param events where the Events go
     * @param reader sends a request with the controller's rights, as the write was, but to read; returns the answer's body,
     *     null if there is none
     */
    public UndoneWriteReport(
            String controller,
            KeyMemories memories,
            Clock clock,
            EventRecorder events,
            MeterRegistry meters,
            Function<okhttp3.Request, @Nullable String> reader) {
        this.controller = controller;
        this.pausing = memories.part();
        this.clock = clock;
        this.writes = new UndoneWrites(clock);
        this.events = events;
        this.meters = meters;
        this.reader = reader;
    }

    /** How long a key has to wait since its writes are undone, zero for not at all. */
    Duration remaining(Request key) {
        Undone undone = pausing.get(key);
        return undone == null ? Duration.ZERO : Duration.ofNanos(Math.max(0, undone.until() - clock.nanoTime()));
    }

    /** The key does not wait any longer. */
    void waive(Request key) {
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
        Duration pause = writes.written(request.url().encodedPath(), UndoneWrites.State.of(answer));
        if (!pause.isZero()) {
            boolean status = "status".equals(path.subresource());
            long until = clock.nanoTime() + pause.toNanos();
            pausing.put(key, new Undone(request, status, name(answer), managers(answer), pause, until));
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

    /** Who has undone it by now, this process only if nobody else has; nobody if it has not been undone. */
    private Set<String> rivals(Undone undone) {
        HttpUrl.Builder url = undone.request().url().newBuilder().query(null);
        if (undone.status()) {
            url.removePathSegment(undone.request().url().pathSize() - 1);
        }
        String answer = reader.apply(
                undone.request().newBuilder().get().url(url.build()).build());
        if (answer == null || !(JsonParser.parseString(answer) instanceof JsonObject object)) {
            return Set.of(UNKNOWN);
        }
        // The managers whose entries are new or have other fields now: the entry of the one who lost them is other as
        // well.
        Set<String> changed = new TreeSet<>();
        for (JsonElement entry : managers(object)) {
            if (!undone.left().contains(entry) && entry instanceof JsonObject manager && manager.has("manager")) {
                changed.add(manager.get("manager").getAsString());
            }
        }
        if (changed.size() > 1) {
            changed.remove(ownName(undone.request()));
        }
        return changed;
    }

    /**
     * Who manages which fields of an object, as its {@code metadata.managedFields} say: the entries without their times, which
     * do not tell what was changed.
     */
    private static Set<JsonElement> managers(JsonObject object) {
        Set<JsonElement> entries = new HashSet<>();
        if (object.get("metadata") instanceof JsonObject metadata
                && metadata.get("managedFields") instanceof JsonArray managers) {
            for (JsonElement manager : managers) {
                if (manager.deepCopy() instanceof JsonObject entry) {
                    entry.remove("time");
                    entries.add(entry);
                }
            }
        }
        return entries;
    }

    /** By which the API server calls this process: what it asked to be called, or its program. */
    private static String ownName(okhttp3.Request request) {
        String asked = request.url().queryParameter("fieldManager");
        String agent = request.header("User-Agent");
        return asked != null ? asked : agent == null ? UNKNOWN : agent.replaceFirst("/.*", "");
    }

    private static PartialObjectMetadata name(JsonObject object) {
        PartialObjectMetadata name = METADATA.fromJsonTree(object);
        // The Event is about the object in whatever version.
        name.getMetadata().setResourceVersion(null);
        return name;
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
