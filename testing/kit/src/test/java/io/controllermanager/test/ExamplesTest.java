package io.controllermanager.test;

import static io.controllermanager.test.KubernetesAssertions.assertThat;
import static io.controllermanager.test.KubernetesAssertions.assertThatEvents;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What docs/testing.md shows. */
@EmbeddedApiServer(manifests = "classpath:greetings.yaml")
class ExamplesTest {

    private final GuestBook book = new GuestBook();

    private ControllerDescriptor greetingController() {
        return greetingController(book);
    }

    private static ControllerDescriptor greetingController(GuestBook book) {
        return GreetingController.descriptor(book);
    }

    @Test
    void looksAtTheGuestBookEveryFiveMinutes(ApiServer server) throws ApiException {
        ResourceClient<Greeting> greetings = new ResourceClient<>(server.client(), Greeting.TYPE);
        try (RunningManager manager = RunningManager.startInVirtualTime(server, greetingController())) {
            greetings.create(new Greeting("hello", "hello", "Hello"));
            manager.settles();

            book.entries().clear();
            manager.advance(Duration.ofMinutes(5));

            assertThat(book.entries()).containsEntry("hello", "Hello");
        }
    }

    @Test
    void saysThatTheTextIsThere(ApiServer server) throws ApiException {
        ResourceClient<Greeting> greetings = new ResourceClient<>(server.client(), Greeting.TYPE);
        ResourceClient<V1ConfigMap> configMaps = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
        try (RunningManager manager = RunningManager.start(server, greetingController())) {
            greetings.create(new Greeting("hello", "hello", "Hello"));
            manager.settles();
        }
        Greeting greeting = greetings.get("default", "hello");

        assertThat(greeting).hasCondition("Ready", "True").withReason("Served").ofTheCurrentGeneration();
        assertThat(greeting).hasFinalizer("example.com/guest-book");
        assertThat(configMaps.get("default", "hello")).isControlledBy(greeting);
        await().untilAsserted(() -> assertThatEvents(server).of(greeting).contains("Normal", "Served"));
    }

    static final class EditedGreeting implements Scenario {

        private final GuestBook book = new GuestBook();

        @Override
        public ApiServerBuilder server() {
            return ApiServer.builder().manifests("classpath:greetings.yaml");
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(greetingController(book));
        }

        @Override
        public void play(Stage stage) throws ApiException {
            stage.client(Greeting.TYPE).create(new Greeting("hello", "hello", "Hello"));
            stage.converges();
            stage.client(Greeting.TYPE)
                    .patch("default", "hello", new Patch.Merge("{\"spec\":{\"configMapName\":\"other\"}}"));
        }

        @Override
        public Object outside() {
            return book;
        }
    }

    static final class NewGreeting implements Scenario {

        private final GuestBook book = new GuestBook();

        @Override
        public ApiServerBuilder server() {
            return ApiServer.builder().manifests("classpath:greetings.yaml");
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(greetingController(book));
        }

        @Override
        public void play(Stage stage) throws ApiException {
            stage.client(Greeting.TYPE).create(new Greeting("hello", "other", "Hello"));
        }

        @Override
        public Object outside() {
            return book;
        }
    }

    @ParameterizedTest
    @EnumSource
    void comesToTheSameEnd(NamedFault fault) {
        fault.check(EditedGreeting::new);
    }

    @Test
    void comesToTheSameEndAsANewOne() {
        SameEnd.of(EditedGreeting::new, NewGreeting::new).check();
    }

    /** Faults of the server, as docs/testing.md has them, and the controller converges all the same. */
    @Test
    void convergesWhateverGoesWrong(ApiServer server) throws ApiException {
        ResourceClient<Greeting> greetings = new ResourceClient<>(server.client(), Greeting.TYPE);
        try (RunningManager manager = RunningManager.startInVirtualTime(server, greetingController())) {
            greetings.create(new Greeting("hello", "hello", "Hello"));
            manager.converges();

            server.faults()
                    .when(RequestMatcher.verb("patch").resource("configmaps"))
                    .times(1)
                    .respond(409);
            edit(greetings, "after a conflict");
            manager.converges();

            server.faults()
                    .when(RequestMatcher.writes().userAgent(RunningManager.USER_AGENT))
                    .times(1)
                    .respond(429, Duration.ofSeconds(1));
            edit(greetings, "after 429");
            manager.converges();

            server.faults()
                    .when(RequestMatcher.writes().userAgent(RunningManager.USER_AGENT))
                    .times(2)
                    .respond(500);
            edit(greetings, "after two errors");
            manager.converges();

            server.faults()
                    .when(RequestMatcher.writes().userAgent(RunningManager.USER_AGENT))
                    .times(1)
                    .closeAfterBytes(0);
            edit(greetings, "after a lost answer");
            manager.converges();

            server.faults().when(RequestMatcher.watch("greetings")).times(1).gone();
            server.restart();
            edit(greetings, "after a restart and an expired watch");
            manager.settles();
        }
        assertThat(book.entries()).containsEntry("hello", "after a restart and an expired watch");
    }

    private static void edit(ResourceClient<Greeting> greetings, String text) throws ApiException {
        greetings.patch("default", "hello", new Patch.Merge("{\"spec\":{\"text\":\"" + text + "\"}}"));
    }
}
