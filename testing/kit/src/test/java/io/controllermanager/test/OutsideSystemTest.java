package io.controllermanager.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalSystem;
import io.controllermanager.readiness.Readiness;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Controllers that keep something outside. */
@EmbeddedApiServer(manifests = "classpath:greetings.yaml")
class OutsideSystemTest {

    private static final Duration POLL = Duration.ofMinutes(1);

    /** Keeps the text of each Greeting under its name, and once more under an id. */
    @Reconciles(Greeting.class)
    private static final class Keeper implements ObjectReconciler<Greeting> {

        private final External<String, String> named;
        private final External<String, String> given;

        Keeper(OutsideSystem<String> outside) {
            named = External.byName("named", String.class, outside.byName()).pollEvery(POLL);
            given = External.byId("given", outside.byId()).pollAllEvery(POLL);
        }

        @Override
        public void describe(ControllerDescription<Greeting> d) {
            d.external(named).external(given);
        }

        @Override
        public Outcome reconcile(Greeting greeting, Reconciliation<Greeting> r) throws ApiException {
            String text = greeting.spec().text();
            Readiness first = r.external(named).ensure(greeting.spec().configMapName(), text);
            Readiness second = r.external(given).ensure("main", text);
            Readiness others = r.external(named).removeOthers();
            return Outcome.of(!first.isReady() ? first : second.isReady() ? others : second);
        }
    }

    /** One Greeting is edited, renamed outside, and one is deleted. */
    private static class Kept implements Scenario {

        final OutsideSystem<String> outside = new OutsideSystem<>();

        @Override
        public ApiServerBuilder server() {
            return ApiServer.builder().manifests("classpath:greetings.yaml");
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(TypedController.descriptor(new Keeper(outside)));
        }

        @Override
        public void play(Stage stage) throws ApiException {
            ResourceClient<Greeting> greetings = stage.client(Greeting.TYPE);
            greetings.create(new Greeting("hello", "hello", "Hello"));
            greetings.create(new Greeting("gone", "gone", "Bye"));
            stage.converges();
            greetings.patch(
                    "default",
                    "hello",
                    new Patch.Merge("{\"spec\":{\"configMapName\":\"other\",\"text\":\"Hello again\"}}"));
            greetings.delete("default", "gone");
        }

        @Override
        public Object outside() {
            return outside;
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsKeptOutsideComesToTheSameEnd(NamedFault fault) {
        fault.check(Kept::new);
    }

    /** Makes a thing and then notes its id, as controllers do that keep no token. */
    private static final class Leaky extends Kept {

        @Override
        public List<ControllerDescriptor> controllers() {
            ExternalSystem.ById<String> system = outside.byId();
            return List.of(TypedController.descriptor("leaky", Greeting.TYPE, (greeting, r) -> {
                if (greeting.status() == null || greeting.status().configMap() == null) {
                    try {
                        String id = system.create(UUID.randomUUID().toString(), "made");
                        r.status(new Greeting.Status(id.isEmpty() ? "" : "noted", null, null));
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }
                return Outcome.done();
            }));
        }
    }

    @Test
    void findsWhatIsLeftBehind() {
        assertThatThrownBy(() -> NamedFault.OUTSIDE_CALL.check(Leaky::new))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("create takes effect, and its answer is lost")
                .hasMessageContaining("create takes effect, and the process is lost")
                .hasMessageContaining("outside: names {}, ids [made, made] → names {}, ids [made, made, made]");
    }

    @Test
    void repairsWhatOthersDoOutside(ApiServer server) throws ApiException {
        OutsideSystem<String> outside = new OutsideSystem<>();
        try (RunningManager manager =
                RunningManager.startInVirtualTime(server, TypedController.descriptor(new Keeper(outside)))) {
            new ResourceClient<>(server.client(), Greeting.TYPE).create(new Greeting("hello", "hello", "Hello"));
            manager.settles();
            assertThat(outside.names()).containsExactly(Map.entry("hello", "Hello"));

            outside.names().clear();
            outside.ids().replaceAll((id, text) -> "changed");
            manager.advance(POLL);
            assertThat(outside.names()).containsEntry("hello", "Hello");
            assertThat(outside.ids().values()).containsExactly("Hello");
            manager.settles();
        }
    }
}
