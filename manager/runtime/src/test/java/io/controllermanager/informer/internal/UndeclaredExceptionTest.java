package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.gson.JsonSyntaxException;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.transport.LinesWith;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.controllermanager.informer.internal.reflector.ReflectorErrors;
import io.controllermanager.testing.support.Undeclared;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Checked exceptions that nobody declares, as Kotlin and bytecode tools throw them, end no thread. */
class UndeclaredExceptionTest {

    private final ScriptedServer server = new ScriptedServer();
    private final HostInformer<V1ConfigMap> informer = server.informers().informer(ResourceTypes.CONFIG_MAP);
    private final AtomicInteger calls = new AtomicInteger();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void anInformerSaysSoAndTriesAgain() {
        ListAppender<ILoggingEvent> logged = LinesWith.text("TimeoutException: not declared");
        Logger logger = (Logger) LoggerFactory.getLogger(ReflectorErrors.class);
        logger.addAppender(logged);
        server.watchLists(
                server.open(ScriptedServer.added("a", 5), ScriptedServer.end(7)),
                server.open(ScriptedServer.added("a", 5), ScriptedServer.end(7)));
        informer.setTransform(object -> {
            if (calls.incrementAndGet() == 1) {
                Undeclared.thrown(new TimeoutException("not declared"));
            }
            return object;
        });

        informer.run();

        await().dontCatchUncaughtExceptions().until(informer::hasSynced);
        assertThat(calls).hasValue(2);
        assertThat(informer.status().lastError()).contains("not declared");
        assertThat(logged.list)
                .filteredOn(line -> line.getLevel() == Level.WARN)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "Informer of configmaps: cannot watch, and tries again: TransformException: the transform failed: java.util.concurrent.TimeoutException: not declared");
        logger.detachAppender(logged);
    }

    @Test
    void aTransformThatThrowsWhatDecodersThrowIsNoErrorOfTheRequest() {
        server.watchLists(ScriptedServer.status(400, "unknown parameter"));
        server.lists(ScriptedServer.list(7, ScriptedServer.object("a", 5)), ScriptedServer.list(7));
        informer.setTransform(object -> {
            throw new JsonSyntaxException("an annotation");
        });

        informer.run();

        await().until(informer::hasSynced);
        // Once for each list, of which none is read a second time in another way.
        assertThat(server.requests())
                .filteredOn(request -> request.startsWith("list"))
                .hasSize(2);
        assertThat(informer.status().lastError())
                .contains("the transform failed")
                .contains("an annotation");
    }

    @Test
    void aHandlerOfErrorsKeepsNeitherTheInformerNorTheOthersFromGoingOn() {
        server.watchLists(
                ScriptedServer.status(500, "away"), server.open(ScriptedServer.added("a", 5), ScriptedServer.end(7)));
        server.lists(ScriptedServer.status(500, "away"));
        ListWatchInformer<V1ConfigMap> made = (ListWatchInformer<V1ConfigMap>) informer;
        made.configure(Duration.ZERO, (type, error) -> Undeclared.thrown(new TimeoutException("not declared")));
        made.configure(Duration.ZERO, (type, error) -> {
            throw new AssertionError("a handler's own mistake");
        });
        made.configure(Duration.ZERO, (type, error) -> calls.incrementAndGet());

        informer.run();

        await().dontCatchUncaughtExceptions().until(informer::hasSynced);
        assertThat(calls).hasPositiveValue();
    }

    @Test
    void anIndexLeavesOutWhatItsFunctionThrowsFor() {
        server.watchLists(
                server.open(ScriptedServer.added("a", 5), ScriptedServer.added("b", 6), ScriptedServer.end(7)));
        informer.addIndexers(Map.of("broken", object -> {
            if (object.getMetadata().getName().equals("a")) {
                Undeclared.thrown(new TimeoutException("not declared"));
            }
            return List.of("value");
        }));

        informer.run();

        await().dontCatchUncaughtExceptions().until(informer::hasSynced);
        assertThat(informer.getIndexer().list()).hasSize(2);
        assertThat(informer.getIndexer().byIndex("broken", "value"))
                .extracting(object -> object.getMetadata().getName())
                .containsExactly("b");
    }

    @Test
    void aSubscriberIsToldOfTheNextEvent() {
        server.watchLists(
                server.open(ScriptedServer.added("a", 5), ScriptedServer.added("b", 6), ScriptedServer.end(7)));
        List<ResourceEvent<V1ConfigMap>> told = new CopyOnWriteArrayList<>();
        Subscription subscription = informer.subscribe(
                "test",
                event -> {
                    told.add(event);
                    Undeclared.thrown(new TimeoutException("not declared"));
                },
                Duration.ZERO);

        informer.run();

        await().dontCatchUncaughtExceptions().until(subscription::hasSynced);
        assertThat(told).hasSize(2);
        assertThat(informer.status().handlers().get(0).failures()).isEqualTo(2);
    }
}
