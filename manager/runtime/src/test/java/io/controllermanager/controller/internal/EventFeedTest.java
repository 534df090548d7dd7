package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.EventSource;
import io.controllermanager.event.EventPredicate;
import io.controllermanager.event.EventPredicates;
import io.controllermanager.event.RequestMapper;
import io.controllermanager.event.RequestMappers;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How events become keys, through a controller without workers. */
class EventFeedTest {

    private static final ResourceType<V1ConfigMap> TYPE =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");

    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final WorkQueue<Request> queue =
            WorkQueue.<Request>named("foo").clock(time).timer(time).build();
    private final Controller controller = new ControllerBuilder(
                    ControllerDescriptor.named("foo")
                            .forType(TYPE)
                            .reconciler(request -> new Result(false))
                            .build(),
                    request -> new Result(false),
                    time)
            .queue(queue)
            .clock(time)
            .meterRegistry(registry)
            .threadFactory(worker -> new Thread(() -> {}, "foo-worker-idle"))
            .build();

    @BeforeEach
    void open() {
        controller.shards().get(0).open();
    }

    @AfterEach
    void end() {
        controller.close();
    }

    @Test
    void putsLiveChangesBeforeWhatWasThere() throws InterruptedException {
        EventSubscriber<V1ConfigMap> subscriber = subscriber(RequestMappers.self(), event -> true);
        subscriber.onEvent(new ResourceEvent.Created<>(object("initial", "1"), true));
        subscriber.onEvent(new ResourceEvent.Updated<>(object("resynced", "2"), object("resynced", "2")));
        subscriber.onEvent(new ResourceEvent.Created<>(object("created", "3"), false));
        subscriber.onEvent(new ResourceEvent.Updated<>(object("updated", "3"), object("updated", "4")));
        subscriber.onEvent(new ResourceEvent.Deleted<>(object("deleted", "5"), true));
        subscriber.onEvent(new ResourceEvent.Generic<>(object("outside", "6")));
        assertThat(queue.snapshot().depthByPriority())
                .isEqualTo(Map.of(WorkQueue.NORMAL_PRIORITY, 4, WorkQueue.LOW_PRIORITY, 2));
        assertThat(queue.take()).isEqualTo(new Request("default", "created"));
    }

    @Test
    void mapsAnUpdateFromItsOldAndItsNewState() throws InterruptedException {
        EventSubscriber<V1ConfigMap> subscriber = subscriber(RequestMappers.controllingOwner(TYPE), event -> true);
        subscriber.onEvent(new ResourceEvent.Updated<>(owned("former", "1"), owned("latter", "2")));
        assertThat(queue.take()).isEqualTo(new Request("default", "former"));
        assertThat(queue.take()).isEqualTo(new Request("default", "latter"));
        assertThat(queue.size()).isZero();
    }

    @Test
    void addsTheKeyOfAnUpdateOnceAllIsMapped() {
        List<Integer> sizes = new ArrayList<>();
        EventSubscriber<V1ConfigMap> subscriber = subscriber(
                object -> {
                    // Whatever is in the queue by now, a worker may have taken already.
                    sizes.add(queue.size());
                    return Set.of(new Request("default", "same"));
                },
                event -> true);
        subscriber.onEvent(new ResourceEvent.Updated<>(object("same", "1"), object("same", "2")));
        assertThat(sizes).containsExactly(0, 0);
        assertThat(queue.size()).isEqualTo(1);
    }

    @Test
    void asksThePredicate() {
        EventSubscriber<V1ConfigMap> subscriber =
                subscriber(RequestMappers.self(), EventPredicates.resourceVersionChanged());
        subscriber.onEvent(new ResourceEvent.Updated<>(object("resynced", "2"), object("resynced", "2")));
        assertThat(queue.size()).isZero();
        subscriber.onEvent(new ResourceEvent.Updated<>(object("changed", "2"), object("changed", "3")));
        assertThat(queue.size()).isEqualTo(1);
    }

    @Test
    void letsAnEventThroughWhosePredicateThrows() {
        subscriber(RequestMappers.self(), event -> {
                    throw new IllegalStateException("predicate");
                })
                .onEvent(new ResourceEvent.Created<>(object("a", "1"), false));
        assertThat(queue.size()).isEqualTo(1);
        assertThat(errors()).isEqualTo(1);
    }

    @Test
    void goesOnAfterAMapperThatThrows() throws InterruptedException {
        RequestMapper<V1ConfigMap> self = RequestMappers.self();
        EventSubscriber<V1ConfigMap> subscriber = subscriber(
                object -> {
                    if ("1".equals(object.getMetadata().getResourceVersion())) {
                        throw new NoClassDefFoundError("mapper");
                    }
                    return self.map(object);
                },
                event -> true);
        subscriber.onEvent(new ResourceEvent.Updated<>(object("a", "1"), object("b", "2")));
        assertThat(queue.take()).isEqualTo(new Request("default", "b"));
        assertThat(errors()).isEqualTo(1);
        subscriber.onEvent(new ResourceEvent.Created<>(object("a", "1"), false));
        assertThat(errors()).isEqualTo(2);
        assertThat(queue.size()).isZero();
    }

    @Test
    void queuesEveryKeyOfAMapper() {
        subscriber(object -> Set.of(new Request("a", "1"), new Request("b", "2")), event -> true)
                .onEvent(new ResourceEvent.Created<>(object("any", "1"), false));
        assertThat(queue.size()).isEqualTo(2);
    }

    private EventSubscriber<V1ConfigMap> subscriber(
            RequestMapper<V1ConfigMap> mapper, EventPredicate<V1ConfigMap> predicate) {
        return controller.subscriberFor(new EventSource<>(Selection.of(TYPE), mapper, predicate));
    }

    private double errors() {
        return registry.get("controller.manager.event.mapping.errors").counter().count();
    }

    private static V1ConfigMap object(String name, String version) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace("default").name(name).resourceVersion(version));
    }

    private static V1ConfigMap owned(String owner, String version) {
        V1ConfigMap object = object("owned", version);
        object.getMetadata()
                .addOwnerReferencesItem(new V1OwnerReference()
                        .apiVersion("v1")
                        .kind("ConfigMap")
                        .name(owner)
                        .uid("u")
                        .controller(true));
        return object;
    }
}
