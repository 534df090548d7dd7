package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.EventSource;
import io.controllermanager.event.EventPredicate;
import io.controllermanager.event.RequestMappers;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Objects that are paused and asked for by annotations, with a predicate that lets no update through. */
class PausedKeysTest extends ControllerFixture {

    private static final String PAUSED = "controller-manager.io/paused";
    private static final String RECONCILE_AT = "controller-manager.io/reconcile-at";

    private final Map<String, V1ConfigMap> cache = new ConcurrentHashMap<>();
    private final KeyMemories memories = new KeyMemories();

    @Test
    void aPausedKeyIsNotReconciledWhateverAsksForItAndCostsOneEntry() {
        Controller controller = started(ControllerOptions.DEFAULTS);
        created(controller, "web", PAUSED, "true");
        add("web", "free");
        queue.addAfter(key("web"), Duration.ofSeconds(1));
        waitForReconciles(1);
        time.advance(Duration.ofSeconds(1));
        eventually(() -> assertThat(controller.snapshot().queueDepth()
                        + controller.snapshot().delayed())
                .isZero());
        waitUntilSettled();
        assertThat(reconciled).containsExactly("free");
        assertThat(memories.size()).isEqualTo(1);
        assertThat(controller.pausedBy(key("web"))).isEqualTo("controller-manager.io/paused=true");
        assertThat(controller.snapshot().pausedObjects()).isEqualTo(1);
        assertMetric("controller_manager_paused_objects{controller=\"foo\"} 1.0");

        updated(controller, "web");
        waitForReconciles(2);
        assertThat(reconciled).containsExactly("free", "web");
        assertThat(controller.pausedBy(key("web"))).isNull();
        waitUntilSettled();
        assertThat(memories.size()).isZero();
        assertMetric("controller_manager_paused_objects{controller=\"foo\"} 0.0");
        assertThat(messages(Level.WARN)).isEmpty();
    }

    @Test
    void aTriggerComesFirstAndWaitsForNothing() {
        Controller controller = started(ControllerOptions.DEFAULTS.withMinInterval(Duration.ofHours(1)));
        behaviours.put("web", request -> {
            if (count("web") == 1) {
                throw new IllegalStateException("not yet");
            }
            return DONE;
        });
        created(controller, "web");
        waitForReconciles(1);
        waitUntilSettled();
        controller.pause(true);
        updated(controller, "web");
        assertThat(queue.size()).as("the predicate lets nothing through").isZero();
        updated(controller, "web", RECONCILE_AT, "1");
        assertThat(queue.depthByPriority()).isEqualTo(Map.of(WorkQueue.HIGH_PRIORITY, 1));
        controller.pause(false);
        waitForReconciles(2);
        waitUntilSettled();
        updated(controller, "web", RECONCILE_AT, "2");
        waitForReconciles(3);
        assertThat(reconciled).containsExactly("web", "web", "web");
    }

    @Test
    void aTriggerOfAPausedKeyDoesNothing() {
        Controller controller = started(ControllerOptions.DEFAULTS);
        created(controller, "web", PAUSED, "foo");
        eventually(() -> assertThat(queue.size()).isZero());
        waitUntilSettled();
        updated(controller, "web", PAUSED, "foo", RECONCILE_AT, "1");
        assertThat(queue.size()).isZero();
        assertThat(memories.size()).isEqualTo(1);
    }

    @Test
    void theDeletionOfAPausedObjectIsDealtWithUnlessTheValueSaysOtherwise() {
        Controller controller = started(ControllerOptions.DEFAULTS);
        created(controller, "goes", PAUSED, "true");
        created(controller, "stays", PAUSED, "including-deletion");
        // A worker that takes one of them later finds it deleted, and reconciles it once more.
        eventually(() -> assertThat(queue.size()).isZero());
        waitUntilSettled();
        for (String name : new String[] {"goes", "stays"}) {
            V1ConfigMap before = cache.get(name);
            V1ConfigMap after =
                    object(name, PAUSED, before.getMetadata().getAnnotations().get(PAUSED));
            after.getMetadata().setDeletionTimestamp(OffsetDateTime.MIN);
            cache.put(name, after);
            feed(controller).onEvent(new ResourceEvent.Updated<>(before, after));
        }
        add("stays");
        waitForReconciles(1);
        eventually(() -> assertThat(queue.size()).isZero());
        waitUntilSettled();
        assertThat(reconciled).containsExactly("goes");
        assertThat(controller.pausedKeys()).isEqualTo(1);

        V1ConfigMap gone = cache.remove("stays");
        feed(controller).onEvent(new ResourceEvent.Deleted<>(gone, false));
        waitForReconciles(2);
        assertThat(controller.pausedKeys()).isZero();
    }

    @Test
    void aReconcileThatRunsWhenThePauseComesEndsUndisturbed() {
        Controller controller = started(ControllerOptions.DEFAULTS);
        behaviours.put("web", request -> {
            waitUninterruptibly();
            return new Result(true, Duration.ofSeconds(1));
        });
        created(controller, "web");
        waitForReconciles(1);
        updated(controller, "web", PAUSED, "true");
        release.countDown();
        eventually(() -> assertThat(controller.snapshot().reconciles()).isEqualTo(1));
        eventually(() -> assertThat(queue.delayed()).isEqualTo(1));
        time.advance(Duration.ofSeconds(1));
        eventually(() -> assertThat(queue.size() + queue.delayed()).isZero());
        waitUntilSettled();
        assertThat(reconciled).containsExactly("web");
    }

    @Test
    void pausedObjectsAreCountedWhereTheyAreWorkedOn() {
        Controller controller = controller(parts(ControllerOptions.DEFAULTS).term(shard -> true));
        created(controller, "web", PAUSED, "true");
        assertThat(controller.pausedKeys()).as("on a standby").isZero();
        assertThat(memories.size()).isZero();
        Work.begin(controller);
        feed(controller).onEvent(new ResourceEvent.Created<>(cache.get("web"), true));
        eventually(() -> assertThat(controller.pausedKeys()).isEqualTo(1));
        controller.shards().get(0).close();
        assertThat(controller.pausedKeys()).isZero();
    }

    @Test
    void whatPausesNothingIsWarnedOfOnce() {
        Controller controller = started(ControllerOptions.DEFAULTS);
        created(controller, "web", PAUSED, "flase");
        updated(controller, "web", PAUSED, "flase", RECONCILE_AT, "1");
        waitForReconciles(1);
        waitUntilSettled();
        assertThat(messages(Level.WARN))
                .containsExactly("Controller foo: \"flase\" in the annotation controller-manager.io/paused of"
                        + " default/web pauses nothing: it is neither true nor including-deletion, nor the name of a"
                        + " controller of this process");
        updated(controller, "web", PAUSED, "fool");
        assertThat(messages(Level.WARN)).hasSize(2);
    }

    private Controller started(ControllerOptions options) {
        return start(parts(options));
    }

    private ControllerBuilder parts(ControllerOptions options) {
        ControllerBuilder builder = builder(options).memories(memories);
        builder.objects = key -> cache.get(key.getName());
        return builder;
    }

    private void created(Controller controller, String name, String... annotations) {
        V1ConfigMap object = object(name, annotations);
        cache.put(name, object);
        feed(controller).onEvent(new ResourceEvent.Created<>(object, false));
    }

    private void updated(Controller controller, String name, String... annotations) {
        V1ConfigMap after = object(name, annotations);
        feed(controller).onEvent(new ResourceEvent.Updated<>(cache.put(name, after), after));
    }

    private static EventSubscriber<V1ConfigMap> feed(Controller controller) {
        EventPredicate<V1ConfigMap> noUpdate = event -> !(event instanceof ResourceEvent.Updated<V1ConfigMap>);
        return controller.subscriberFor(new EventSource<>(
                Selection.of(ResourceTypes.CONFIG_MAP), RequestMappers.self(), noUpdate, EventSource.Relation.PRIMARY));
    }

    private static V1ConfigMap object(String name, String... annotations) {
        V1ObjectMeta metadata = new V1ObjectMeta().namespace("default").name(name);
        for (int i = 0; i < annotations.length; i += 2) {
            metadata.putAnnotationsItem(annotations[i], annotations[i + 1]);
        }
        return new V1ConfigMap().metadata(metadata);
    }
}
