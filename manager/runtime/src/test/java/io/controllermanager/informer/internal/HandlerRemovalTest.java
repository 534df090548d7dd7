package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.informer.internal.delivery.HandlerStatus;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A handler that is removed while it is busy, events wait for it and a resync is to come. */
class HandlerRemovalTest {

    private static final String THREAD = "informer-configmaps-removed";

    private final ScriptedServer server = new ScriptedServer();
    private final HostInformer<V1ConfigMap> informer = server.informers().informer(ResourceTypes.CONFIG_MAP);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void leavesNothingBehind() {
        server.watchLists(server.open(
                ScriptedServer.added("a", 5),
                ScriptedServer.added("b", 6),
                ScriptedServer.added("c", 7),
                ScriptedServer.end(7)));
        EventLog<V1ConfigMap> staying = new EventLog<>();
        informer.subscribe("staying", staying, Duration.ZERO);
        informer.run();
        await().until(informer::hasSynced);

        WeakReference<Subscription> removed = addAndRemove();

        assertThat(informer.status().handlers()).extracting(HandlerStatus::name).containsExactly("staying");
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals(THREAD)));
        await("neither informer nor timer holds it, its buffer or its handler").until(() -> {
            System.gc();
            return removed.refersTo(null);
        });
        assertThat(staying.entries()).hasSize(3);
    }

    private WeakReference<Subscription> addAndRemove() {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(1);
        Subscription subscription = informer.subscribe(
                "removed",
                event -> {
                    busy.countDown();
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                Duration.ofHours(1));
        await().until(() -> busy.getCount() == 0);
        assertThat(informer.status().handlers()).anyMatch(handler -> handler.backlog() == 3);
        subscription.close();
        return new WeakReference<>(subscription);
    }
}
