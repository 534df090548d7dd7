package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.informer.internal.store.Door;
import io.controllermanager.informer.internal.store.IndexedStore;
import io.controllermanager.informer.internal.store.MutationDetector;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class MutationDetectorTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(MutationDetector.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final MutationDetector detector = new MutationDetector("configmaps/v1");
    private final IndexedStore<V1ConfigMap> store = new IndexedStore<>(new Door(), detector);
    private final V1ConfigMap object = new V1ConfigMap()
            .metadata(new V1ObjectMeta().namespace("n").name("a"))
            .data(new HashMap<>(Map.of("colour", "red")));

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(logged);
    }

    @Test
    void saysWhatSomebodyChangedAndOnlyOnce() {
        store.put("n/a", object);
        detector.check();
        assertThat(detector.found()).isZero();

        store.getByKey("n/a").getData().put("colour", "blue");
        detector.check();
        detector.check();

        assertThat(detector.found()).isEqualTo(1);
        assertThat(logged.list)
                .singleElement()
                .satisfies(event ->
                        assertThat(event.getFormattedMessage()).contains(".data.colour from \"red\" to \"blue\""));
    }

    @Test
    void seesAChangeMadeBetweenStoringAndTheFirstLook() {
        store.put("n/a", object);
        object.getMetadata().setLabels(Map.of("app", "web"));

        detector.check();

        assertThat(detector.found()).isEqualTo(1);
    }

    @Test
    void doesNotMindThatTheInformerReplacesAnObject() {
        store.put("n/a", object);
        store.put("n/a", new V1ConfigMap().metadata(object.getMetadata()).data(Map.of("colour", "blue")));
        store.remove("n/a");

        detector.check();

        assertThat(detector.found()).isZero();
        // Whoever still has it must not change it either.
        object.getData().clear();
        detector.check();
        assertThat(detector.found()).isEqualTo(1);
    }

    /** Such as one with a number that no JSON has. */
    @Test
    void anObjectThatCannotBeWrittenKeepsNothingFromBeingStoredAndCompared() {
        IndexedStore<V1ControllerRevision> revisions = new IndexedStore<>(new Door(), detector);
        V1ControllerRevision unwritable = new V1ControllerRevision()
                .metadata(new V1ObjectMeta().namespace("n").name("bad"))
                .data(Double.NaN);
        revisions.put("n/bad", unwritable);
        store.put("n/a", object);

        assertThatThrownBy(detector::check).hasMessageContaining("n/bad").hasMessageContaining("NaN");
        object.getData().put("colour", "blue");
        assertThatThrownBy(detector::check).hasMessageContaining("n/bad");
        assertThat(detector.found()).isEqualTo(1);

        unwritable.setData(1);
        detector.check();
        assertThat(detector.found()).isEqualTo(1);
        unwritable.setData(2);
        detector.check();
        assertThat(detector.found()).isEqualTo(2);
    }

    @Test
    void namesAChangeOfANumbersLastDigit() {
        IndexedStore<V1ControllerRevision> revisions = new IndexedStore<>(new Door(), detector);
        V1ControllerRevision revision = new V1ControllerRevision()
                .metadata(new V1ObjectMeta().namespace("n").name("r"))
                .data(Map.of("id", 9007199254740992L));
        revisions.put("n/r", revision);
        revision.setData(Map.of("id", 9007199254740993L));

        detector.check();

        assertThat(logged.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage())
                        .contains(".data.id from 9007199254740992 to 9007199254740993"));
    }

    @Test
    void looksAgainAfterAnObjectThatCouldNotBeRead() {
        VirtualTime time = new VirtualTime();
        try (ScriptedServer server = new ScriptedServer();
                InformerFactory factory =
                        server.informers(time, new InformerOptions(Set.of(), true, 500, false, true, true))) {
            server.lists(ScriptedServer.list(7, ScriptedServer.object("a", 5)));
            HostInformer<V1ConfigMap> informer = factory.informer(ResourceTypes.CONFIG_MAP);
            informer.run();
            await().until(informer::hasSynced);
            AtomicInteger looks = new AtomicInteger();
            V1ConfigMap cached = informer.getIndexer().getByKey("n/a");
            cached.setData(new AbstractMap<>() {
                @Override
                public Set<Map.Entry<String, String>> entrySet() {
                    looks.incrementAndGet();
                    throw new ConcurrentModificationException("is being changed");
                }
            });
            await().until(() -> {
                time.advance(Duration.ofSeconds(1));
                return looks.get() > 0;
            });

            cached.setData(Map.of("k", "changed"));

            await().until(() -> {
                time.advance(Duration.ofSeconds(1));
                return informer.status().mutations() == 1;
            });
        }
    }
}
