package io.controllermanager.controller.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.FailureCount;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerDescriptor.ChannelSource;
import io.controllermanager.controller.EventSource;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.workqueue.internal.Cause;
import io.controllermanager.workqueue.internal.Causes;
import io.controllermanager.workqueue.internal.FieldChange;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the events of one source, or of a channel, into a controller's queue; see {@link Controller#subscriberFor}. */
final class EventFeed<T extends KubernetesObject> implements EventSubscriber<T> {

    private static final Logger log = LoggerFactory.getLogger(EventFeed.class);

    /** With more keys in the queue, states of objects are compared at once: they would be kept for long. */
    private static final int COMPARED_LATER = 1_000;

    private final Controller controller;
    private final EventSource<T> source;
    private final IntPredicate shards;
    private final FailureCount failures = new FailureCount();

    /** For people: the type, and how its objects lead to keys. */
    private final String type;

    private final String via;
    private final boolean values;

    /** What had its stack trace logged last. */
    private volatile String traced = "";

    /** Of objects that were there before, and of those that have not changed: many at a time, so that they are not told apart. */
    private final Causes known;

    private final Causes resynced;

    /**
     * Queues keys of those shards.
     *
     * @param initial why an object is seen that was there before
     */
    EventFeed(Controller controller, EventSource<T> source, IntPredicate shards, Cause.Kind initial) {
        this.controller = controller;
        this.source = source;
        this.shards = shards;
        this.type = source.type().toString();
        this.values = controller.showsValues(source.type());
        this.via = via(source);
        this.known = Causes.of(new Cause(initial, type, "", via, null, null, 1));
        this.resynced = Causes.of(new Cause(Cause.Kind.RESYNC, type, "", via, null, null, 1));
    }

    private static String via(EventSource<?> source) {
        return source.primary() ? "" : source.relation().name().toLowerCase(Locale.ROOT);
    }

    /** Hands on the keys of a channel's events until closed; an event that cannot be mapped is logged and counted. */
    static <E> Registration open(Controller controller, ChannelSource<E> source) {
        FailureCount failures = new FailureCount();
        Causes causes = Causes.of(Cause.Kind.CHANNEL);
        return source.channel().receive(event -> {
            try {
                source.mapper().map(event).forEach(key -> controller.enqueue(key, WorkQueue.NORMAL_PRIORITY, causes));
            } catch (Throwable e) {
                controller.metrics.mappingErrors.increment();
                if (failures.next() > 0) {
                    log.atError()
                            .addKeyValue("controller", controller.name())
                            .setCause(e)
                            .log(
                                    "Controller {}: an event from outside Kubernetes could not be turned into keys: {}",
                                    controller.name(),
                                    FailureMessage.of(e));
                }
            }
        });
    }

    @Override
    public void onEvent(ResourceEvent<T> event) {
        if (source.primary() && event instanceof ResourceEvent.Created<T> created && !created.initial()) {
            // A name deleted and created again comes as these two events, even where a list had to find the first. It
            // names a new object whether or not the predicate lets that through.
            map(created.object(), new LinkedHashSet<>()).forEach(controller::renew);
        }
        if (source.primary() && event instanceof ResourceEvent.Deleted<T> deleted) {
            controller.shards.deleted(deleted.object());
        }
        boolean asked = source.primary() && controller.see(event);
        if (!asked && !matters(event)) {
            return;
        }
        // Each key once: a quick worker would work twice on one that is added again after it was taken.
        Set<Request> requests = new LinkedHashSet<>();
        if (event instanceof ResourceEvent.Updated<T> update && update.before() != update.object()) {
            map(update.before(), requests);
        }
        map(event.object(), requests);
        // An annotation that is there when the object is first seen need not be new.
        boolean triggered = asked && event instanceof ResourceEvent.Updated<T>;
        int priority = triggered ? WorkQueue.HIGH_PRIORITY : priorityOf(event);
        if (!requests.isEmpty()) {
            Causes causes = causes(event, triggered);
            requests.forEach(request -> controller.enqueue(request, priority, causes, shards));
        }
    }

    private Causes causes(ResourceEvent<T> event, boolean triggered) {
        if (event instanceof ResourceEvent.Created<T> created && created.initial()) {
            return known;
        }
        Cause.Kind kind = event instanceof ResourceEvent.Created ? Cause.Kind.CREATED : Cause.Kind.DELETED;
        FieldChange change = null;
        if (event instanceof ResourceEvent.Updated<T> update) {
            if (Objects.equals(resourceVersion(update.before()), resourceVersion(update.object()))) {
                return resynced;
            }
            kind = triggered ? Cause.Kind.TRIGGER : Cause.Kind.UPDATED;
            change = FieldChange.between(update.before(), update.object(), values);
            change = controller.queued() < COMPARED_LATER ? change : change.compared();
        }
        String version = resourceVersion(event.object());
        return Causes.of(new Cause(kind, type, Keys.shown(Keys.of(event.object())), via, version, change, 1));
    }

    private boolean matters(ResourceEvent<T> event) {
        try {
            return source.predicate().test(event);
        } catch (Throwable e) {
            failed(event.object(), "predicate", e);
            // Once too often does no harm, once too few does.
            return true;
        }
    }

    private Set<Request> map(T object, Set<Request> requests) {
        try {
            requests.addAll(source.mapper().map(object));
        } catch (Throwable e) {
            // Of any class: the objects behind this one must be mapped too.
            failed(object, "mapper", e);
        }
        return requests;
    }

    private static int priorityOf(ResourceEvent<? extends KubernetesObject> event) {
        boolean known = event instanceof ResourceEvent.Created<?> created
                ? created.initial()
                : event instanceof ResourceEvent.Updated<? extends KubernetesObject> update
                        && Objects.equals(resourceVersion(update.before()), resourceVersion(update.object()));
        return known ? WorkQueue.LOW_PRIORITY : WorkQueue.NORMAL_PRIORITY;
    }

    private static @Nullable String resourceVersion(KubernetesObject object) {
        return object.getMetadata() == null ? null : object.getMetadata().getResourceVersion();
    }

    private void failed(T object, String part, Throwable failure) {
        controller.metrics.mappingErrors.increment();
        long count = failures.next();
        if (count > 0) {
            String cause = FailureCause.of(failure).name();
            V1ObjectMeta metadata = object.getMetadata() == null ? new V1ObjectMeta() : object.getMetadata();
            log.atError()
                    .addKeyValue("controller", controller.name())
                    .addKeyValue("resource", source.type())
                    .addKeyValue("namespace", metadata.getNamespace())
                    .addKeyValue("name", metadata.getName())
                    .addKeyValue("part", part)
                    .addKeyValue("failures", count)
                    .setCause(cause.equals(traced) ? null : failure)
                    .log(
                            "Controller {}: an event of {} {} could not be turned into keys, since its {} failed (failures so far: {}): {}",
                            controller.name(),
                            source.type(),
                            Keys.shown(metadata.getNamespace(), metadata.getName()),
                            part,
                            count,
                            FailureMessage.of(failure));
            traced = cause;
        }
    }
}
