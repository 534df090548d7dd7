package io.controllermanager.spring.actuate.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.internal.ControllerSnapshot.Failure;
import io.controllermanager.manager.internal.ControllerOperations;
import io.controllermanager.manager.internal.ControllerState;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.manager.internal.KeyExplanation;
import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint.ErrorsDescriptor;
import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint.KeysDescriptor;
import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint.OperationError;
import io.controllermanager.workqueue.internal.QueueSnapshot;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

class ControllersEndpointTests {

    private static final Failure FAILURE = new Failure("ns/a", "ApiException: 409", Instant.EPOCH);

    private final List<String> done = new ArrayList<>();
    private final ControllersEndpoint endpoint = new ControllersEndpoint(List::of, FakeOperations::new);

    @Test
    void eachActionReachesTheHost() {
        ControllersEndpoint withFoo = new ControllersEndpoint(new FakeOperations()::controllers, FakeOperations::new);
        for (String action : List.of("pause", "resume", "RESIZE", "Reconcile", "stop", "start")) {
            WebEndpointResponse<Object> answer = withFoo.operate(
                    "foo", action, action.equals("RESIZE") ? 3 : null, action.equals("Reconcile") ? "ns/a" : null);
            assertThat(answer.getStatus()).isEqualTo(200);
            assertThat(answer.getBody()).isInstanceOf(ControllerStatus.class);
        }
        withFoo.operate("foo", "reconcile", null, "cluster-wide");
        assertThat(done)
                .containsExactly(
                        "pause",
                        "resume",
                        "resize 3",
                        "reconcile " + new Request("ns", "a"),
                        "stop",
                        "start",
                        "reconcile " + new Request("cluster-wide"));
    }

    @Test
    void whatCannotBeDoneIsSaid() {
        assertError(endpoint.operate("bar", "pause", null, null), 404, "there is no controller \"bar\"");
        assertError(endpoint.operate("foreign", "pause", null, null), 409, "it brings its own workers");
        assertError(endpoint.operate("foo", "resize", null, null), 400, "workers must be given");
        assertError(
                endpoint.operate("foo", null, null, null),
                400,
                "action must be given: one of pause, resume, resize, reconcile, stop, start");
        assertError(
                endpoint.operate("foo", "restart", null, null),
                400,
                "action must be one of pause, resume, resize, reconcile, stop, start, but is \"restart\"");
        assertError(endpoint.operate("foo", "reconcile", null, null), 400, "key must be given");
        for (String key : List.of("", "/a", "ns/", "a/b/c")) {
            assertError(
                    endpoint.operate("foo", "reconcile", null, key),
                    400,
                    "key must be namespace/name or name, but is \"" + key + "\"");
        }
        assertThat(done).isEmpty();
    }

    @Test
    void theQueueAndTheErrorsAreShownAsTheyAre() {
        assertThat(endpoint.part("foo", "queue", null).getBody())
                .isEqualTo(new QueueDescriptor(
                        Map.of(100, 2, -100, 5),
                        Map.of("ns", 7),
                        1,
                        List.of(new QueueDescriptor.TimedKey("slow", 60)),
                        1000,
                        List.of(new QueueDescriptor.TimedKey("ns/next", 0.25)),
                        1,
                        List.of(new QueueDescriptor.CountedKey("ns/often", 9))));
        assertError(endpoint.part("bar", "queue", null), 404, "there is no controller \"bar\"");
        assertThat(endpoint.part("foo", "errors", null).getBody()).isEqualTo(new ErrorsDescriptor(List.of(FAILURE)));
        assertError(endpoint.part("foo", "cue", null), 404, "there is nothing called \"cue\"");
    }

    @Test
    void aKeyIsExplainedAndFoundByAPart() {
        assertThat(endpoint.key("foo", "keys", "ns", "a").getBody()).isInstanceOf(KeyExplanation.class);
        assertThat(endpoint.key("foo", "keys", "-", "a").getBody()).isInstanceOf(KeyExplanation.class);
        assertError(endpoint.key("bar", "keys", "ns", "a"), 404, "there is no controller \"bar\"");
        assertError(endpoint.key("foo", "locks", "ns", "a"), 404, "there is nothing called \"locks\"");
        assertThat(endpoint.part("foo", "keys", "b").getBody()).isEqualTo(new KeysDescriptor(List.of("ns/b", "b")));
        assertThat(endpoint.part("foo", "keys", null).getBody()).isEqualTo(new KeysDescriptor(List.of("ns/", "")));
        assertThat(done)
                .containsExactly(
                        "explain " + new Request("ns", "a"), "explain " + new Request("a"), "search b", "search ");
    }

    private static void assertError(WebEndpointResponse<Object> answer, int status, String error) {
        assertThat(answer.getStatus()).isEqualTo(status);
        assertThat(answer.getBody()).isEqualTo(new OperationError(error));
    }

    private final class FakeOperations implements ControllerOperations {

        @Override
        public List<ControllerStatus> controllers() {
            return List.of(new ControllerStatus(
                    "foo",
                    ControllerState.RUNNING,
                    null,
                    List.of(),
                    1,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    List.of(),
                    null,
                    Map.of(),
                    null,
                    null));
        }

        private void act(String name, String what) {
            if (name.equals("foreign")) {
                throw new IllegalStateException("it brings its own workers");
            }
            if (!name.equals("foo")) {
                throw new NoSuchElementException("there is no controller \"" + name + "\"");
            }
            done.add(what);
        }

        @Override
        public void pause(String name) {
            act(name, "pause");
        }

        @Override
        public void resume(String name) {
            act(name, "resume");
        }

        @Override
        public void resize(String name, int workers) {
            act(name, "resize " + workers);
        }

        @Override
        public void reconcileNow(String name, Request key) {
            act(name, "reconcile " + key);
        }

        @Override
        public QueueSnapshot<Request> queue(String name) {
            act(name, "queue");
            return new QueueSnapshot<>(
                    Map.of(100, 2, -100, 5),
                    1,
                    Map.of("ns", 7),
                    1000,
                    Map.of(new Request("ns", "next"), Duration.ofMillis(250)),
                    1,
                    Map.of(new Request("slow"), Duration.ofMinutes(1)),
                    1,
                    Map.of(new Request("ns", "often"), 9));
        }

        @Override
        public List<Failure> failures(String name) {
            act(name, "failures");
            return List.of(FAILURE);
        }

        @Override
        public KeyExplanation explain(String name, Request key) {
            act(name, "explain " + key);
            return new KeyExplanation(name, key.toString(), "it waits for nothing.", List.of(), 3, null);
        }

        @Override
        public List<Request> search(String name, String text) {
            act(name, "search " + text);
            return List.of(new Request("ns", text), new Request(text));
        }

        @Override
        public void stopController(String name) {
            act(name, "stop");
        }

        @Override
        public void startController(String name) {
            act(name, "start");
        }
    }
}
