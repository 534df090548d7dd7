package io.controllermanager.informer.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.event.ResourceEvent;
import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeliveryTest {

    private final VirtualTime time = new VirtualTime();
    private final ConcurrentLinkedQueue<String> told = new ConcurrentLinkedQueue<>();
    private final Semaphore permits = new Semaphore(0);
    private final AtomicInteger closed = new AtomicInteger();
    private final Delivery<V1ConfigMap> delivery = new Delivery<>(
            "informer-test-slow",
            "slow",
            time,
            event -> {
                permits.acquireUninterruptibly();
                told.add(event.object().getMetadata().getName());
                if (event.object().getMetadata().getName().equals("bad")) {
                    throw new IllegalStateException("a handler's own mistake");
                }
            },
            again -> {
                throw new OutOfMemoryError("made up");
            },
            gone -> closed.incrementAndGet());

    @AfterEach
    void close() {
        permits.release(10_000);
        delivery.close();
    }

    private static ResourceEvent<V1ConfigMap> event(String name) {
        return new ResourceEvent.Created<>(new V1ConfigMap().metadata(new V1ObjectMeta().name(name)), false);
    }

    @Test
    void knowsHowLongItsOldestEventHasWaited() {
        assertThat(delivery.status().lag()).isZero();

        delivery.offer(List.of(event("a")));
        await().until(() -> delivery.status().backlog() == 0);
        assertThat(delivery.status().lag()).as("also where time stands still").isPositive();
        time.advance(Duration.ofSeconds(3));
        // What the handler is busy with has not been delivered either.
        assertThat(delivery.status().lag()).isEqualTo(Duration.ofSeconds(3));

        delivery.offer(List.of(event("b")));
        delivery.offer(List.of(event("c")));
        time.advance(Duration.ofSeconds(2));
        assertThat(delivery.status().backlog()).isEqualTo(2);
        assertThat(delivery.status().lag()).isEqualTo(Duration.ofSeconds(5));

        permits.release();
        await().until(() -> delivery.status().backlog() == 1);
        assertThat(delivery.status().lag()).isEqualTo(Duration.ofSeconds(2));

        permits.release(2);
        await().until(() -> delivery.status().lag().isZero());
        assertThat(delivery.status().delivered()).isEqualTo(3);
    }

    @Test
    void goesOnAfterAResyncThatFailed() {
        delivery.offer(Delivery.Marker.RESYNC);
        delivery.offer(List.of(event("a")));
        permits.release();

        await().untilAsserted(() -> assertThat(told).containsExactly("a"));
        assertThat(delivery.status().failures()).isEqualTo(1);
    }

    @Test
    void keepsTheOrderHoweverMuchWaits() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            expected.add("e" + i);
            delivery.offer(List.of(event("e" + i)));
            if (i % 3 == 0) {
                permits.release();
            }
        }
        permits.release(3_000);

        await().untilAsserted(() -> assertThat(told).containsExactlyElementsOf(expected));
    }

    @Test
    void hasSyncedOnceWhatCameBeforeHasBeenDelivered() throws Exception {
        delivery.offer(List.of(event("a"), event("b")));
        delivery.offer(Delivery.Marker.SYNCED);
        CountDownLatch synced = new CountDownLatch(1);
        delivery.whenSynced(synced::countDown);

        permits.release();
        await().until(() -> told.size() == 1);
        assertThat(delivery.status().synced()).isFalse();

        permits.release();
        Waiting.on(synced);
        assertThat(delivery.hasSynced()).isTrue();
        assertThat(delivery.status().synced()).isTrue();
    }

    @Test
    void countsWhatAHandlerThrowsAndGoesOn() {
        delivery.offer(List.of(event("bad"), event("good")));
        permits.release(2);

        await().untilAsserted(() -> assertThat(told).containsExactly("bad", "good"));
        assertThat(delivery.status().failures()).isEqualTo(1);
        assertThat(delivery.status().delivered()).isEqualTo(2);
    }

    @Test
    void leavesNothingBehindWhenItIsClosed() {
        delivery.offer(List.of(event("a"), event("b")));
        await().until(() -> delivery.status().backlog() == 1);

        delivery.close();
        permits.release(2);
        delivery.offer(List.of(event("c")));

        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("informer-test-slow")));
        assertThat(told).containsExactly("a");
        assertThat(closed).hasValue(1);
        assertThat(delivery.status().backlog()).isZero();
        assertThat(delivery.status().lag()).isZero();
    }
}
