package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.request.Permission;
import io.controllermanager.informer.internal.reflector.ListWatch;
import io.controllermanager.informer.internal.reflector.WatchEvent;
import io.controllermanager.informer.internal.reflector.WatchStream;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a status says that is taken while events come. */
class InformerStatusTest {

    private final ScriptedServer server = new ScriptedServer();
    private final BlockingQueue<WatchEvent<V1ConfigMap>> events = new LinkedBlockingQueue<>();
    private final CountDownLatch finish = new CountDownLatch(1);

    /** What happens the next time that a status is taken, before the reflector's version is read. */
    private final AtomicReference<@Nullable Runnable> meanwhile = new AtomicReference<>();

    @AfterEach
    void close() {
        finish.countDown();
        server.close();
    }

    private void awaitFinish() {
        try {
            finish.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Has nothing at first, and then the events of the test. */
    private final class Source implements ListWatch<V1ConfigMap> {

        @Override
        public String target() {
            return "configmaps";
        }

        @Override
        public Permission permission(String verb) {
            Runnable now = meanwhile.getAndSet(null);
            if (now != null) {
                now.run();
            }
            return new Permission(verb, "configmaps", null);
        }

        @Override
        public Listing<V1ConfigMap> list(String resourceVersion, Predicate<? super V1ConfigMap> kept) {
            return new Listing<>(List.of(), "1", 0);
        }

        @Override
        public WatchStream<V1ConfigMap> watch(String resourceVersion, int timeoutSeconds) {
            return new WatchStream<>() {
                @Override
                public WatchEvent<V1ConfigMap> next() throws IOException {
                    try {
                        return events.take();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                }

                @Override
                public Duration idleLimit() {
                    return Duration.ofHours(1);
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void cancel() {}
    }

    /** Else somebody who waits until all that has happened is dealt with would miss an event on its way. */
    @Test
    void showsNoVersionWithoutTheEventsThatLedToIt() {
        HostInformer<V1ConfigMap> informer = server.informers()
                .informer(V1ConfigMap.class, ResourceTypes.CONFIG_MAP, (String) null, transform -> new Source());
        informer.subscribe("slow", event -> awaitFinish(), Duration.ZERO);
        informer.run();
        await().until(informer::hasSynced);
        await().until(() -> informer.status().handlers().get(0).synced());
        meanwhile.set(() -> {
            events.add(new WatchEvent.Changed<>(
                    new V1ConfigMap().metadata(new V1ObjectMeta().name("a").resourceVersion("2")), true));
            await().until(() -> informer.lastSyncResourceVersion().equals("2"));
        });

        InformerStatus status = informer.status();

        assertThat(status.reflectors().get(0).resourceVersion()).isEqualTo("2");
        assertThat(status.handlers().get(0).lag()).isPositive();
    }
}
