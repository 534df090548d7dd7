package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.EventSource;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a standby keeps of the events it sees, in virtual time and without workers. */
class StandbyTest {

    private static final ResourceType<V1ConfigMap> TYPE =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");
    private static final Reconciler NOTHING = request -> new Result(false);

    private final VirtualTime time = new VirtualTime();
    private final WorkQueue<Request> queue =
            WorkQueue.<Request>named("foo").clock(time).timer(time).build();
    private final Set<Integer> queuedForWorkers = new HashSet<>();
    private final ControllerDescriptor descriptor =
            ControllerDescriptor.named("foo").forType(TYPE).reconciler(NOTHING).build();
    private final Controller controller = new ControllerBuilder(descriptor, NOTHING, time)
            .queue(queue)
            .term(shard -> true)
            .clock(time)
            .threadFactory(worker -> {
                queuedForWorkers.add(queue.size());
                return new Thread(() -> {}, "foo-worker-idle");
            })
            .build();

    @SuppressWarnings("unchecked")
    private final EventSubscriber<V1ConfigMap> subscriber = controller.subscriberFor(
            (EventSource<V1ConfigMap>) descriptor.sources().get(0));

    @AfterEach
    void end() {
        controller.close();
    }

    @Test
    void aLongStandbyWithShortLivedObjectsCostsABoundedNumberOfKeys() throws Exception {
        controller.shards().get(0).close();
        int jobs = 2 * Shard.REMEMBERED;
        for (int i = 0; i < jobs; i++) {
            subscriber.onEvent(new ResourceEvent.Created<>(object("job-" + i), false));
            subscriber.onEvent(new ResourceEvent.Deleted<>(object("job-" + i), false));
        }
        assertThat(queue.size()).isZero();
        controller.shards().get(0).open();

        assertThat(queue.size()).isEqualTo(Shard.REMEMBERED);
        assertThat(Objects.requireNonNull(queue.take()).getName()).isEqualTo("job-" + (jobs - 1));
    }

    /** Else they would be woken for nothing, and again for each key. */
    @Test
    void workersAreMadeWhenTheKeysAreQueued() {
        subscriber.onEvent(new ResourceEvent.Created<>(object("first"), false));
        subscriber.onEvent(new ResourceEvent.Created<>(object("second"), false));
        controller.shards().get(0).open();
        assertThat(queuedForWorkers).containsExactly(2);
    }

    @Test
    void whatTheCachesHoldIsNotQueuedWhileStandingBy() {
        controller.shards().get(0).close();
        subscriber.onEvent(new ResourceEvent.Created<>(object("initial"), true));
        subscriber.onEvent(new ResourceEvent.Updated<>(object("resynced"), object("resynced")));
        controller.shards().get(0).open();

        assertThat(queue.size()).isZero();
        subscriber.onEvent(new ResourceEvent.Created<>(object("initial"), true));
        assertThat(queue.size()).isEqualTo(1);
    }

    @Test
    void aDeletionThatTheOldLeaderMayHaveMissedAndTheLatestEditComeFirst() throws Exception {
        controller.shards().get(0).close();
        subscriber.onEvent(new ResourceEvent.Created<>(object("long-ago"), false));
        subscriber.onEvent(new ResourceEvent.Created<>(object("again"), false));
        time.advance(Duration.ofMinutes(5));
        subscriber.onEvent(new ResourceEvent.Deleted<>(object("deleted"), false));
        subscriber.onEvent(new ResourceEvent.Created<>(object("again"), false));
        time.advance(Duration.ofSeconds(15));
        controller.shards().get(0).open();
        subscriber.onEvent(new ResourceEvent.Created<>(object("existing"), true));

        List<String> order = new ArrayList<>();
        while (queue.size() > 0) {
            order.add(Objects.requireNonNull(queue.take()).getName());
        }
        assertThat(order).containsExactly("again", "deleted", "long-ago", "existing");
    }

    @Test
    void whatIsQueuedWhenAStandbyBeginsStays() {
        controller.shards().get(0).open();
        subscriber.onEvent(new ResourceEvent.Created<>(object("before"), false));
        controller.shards().get(0).close();
        controller.shards().get(0).close();
        subscriber.onEvent(new ResourceEvent.Created<>(object("meanwhile"), false));
        assertThat(queue.size()).isEqualTo(1);
        controller.shards().get(0).open();
        controller.shards().get(0).open();
        assertThat(queue.size()).isEqualTo(2);
    }

    private static V1ConfigMap object(String name) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace("default").name(name).resourceVersion("1"));
    }
}
