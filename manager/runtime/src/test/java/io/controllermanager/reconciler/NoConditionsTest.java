package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Objects without a status, or whose status has no conditions: an Event tells what a condition would. */
class NoConditionsTest {

    @CustomResource(group = "example.com", version = "v1", kind = "Gadget", plural = "gadgets")
    static final class Bare extends CustomObject<Map<String, Object>, Void> {}

    @CustomResource(group = "example.com", version = "v1", kind = "Gadget", plural = "gadgets")
    static final class Counted extends CustomObject<Map<String, Object>, Count> {}

    record Count(int count) {}

    /** Ends as it is told. */
    private static final class Told<T extends KubernetesObject> implements ObjectReconciler<T> {

        volatile Outcome outcome = Outcome.done();
        volatile RuntimeException failure;
        volatile boolean setsCondition;

        @Override
        public Outcome reconcile(T object, Reconciliation<T> r) {
            RuntimeException thrown = failure;
            if (thrown != null) {
                throw thrown;
            }
            if (setsCondition) {
                r.condition("Ready", true, "Made", "");
            }
            return outcome;
        }
    }

    static List<Class<? extends KubernetesObject>> classes() {
        return List.of(Bare.class, Counted.class);
    }

    @ParameterizedTest
    @MethodSource("classes")
    <T extends KubernetesObject> void eachNewReasonIsAnEventAndNoWriteOfTheStatus(Class<T> objectClass)
            throws ApiException {
        Told<T> reconciler = new Told<>();
        try (ApiServer server = ApiServer.start()) {
            String namespace = install(server);
            try (RunningHost host = run(server, namespace, objectClass, reconciler)) {
                host.awaitIdle(1);
                reconciler.outcome = Outcome.blocked("SecretMissing", "there is no Secret a");
                reconcileTwice(host, namespace);
                reconciler.failure = new TerminalException("no room");
                reconcileTwice(host, namespace);
                reconciler.failure = null;
                reconciler.outcome = Outcome.ready("Served", "all is well");
                reconcileTwice(host, namespace);

                await().untilAsserted(() -> assertThat(
                                new ResourceClient<>(server.client(), ResourceTypes.EVENT).list(namespace))
                        .extracting(EventsV1Event::getType, EventsV1Event::getReason, EventsV1Event::getNote)
                        .containsExactlyInAnyOrder(
                                tuple("Warning", "SecretMissing", "there is no Secret a"),
                                tuple("Warning", "Terminal", "reconcile failed: no room"),
                                tuple("Normal", "Served", "all is well")));
                assertThat(host.writes()).containsOnly("POST events");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("classes")
    <T extends KubernetesObject> void aConditionFailsWithTheNameOfTheClass(Class<T> objectClass) throws ApiException {
        Told<T> reconciler = new Told<>();
        reconciler.setsCondition = true;
        try (ApiServer server = ApiServer.start()) {
            String namespace = install(server);
            try (RunningHost host = run(server, namespace, objectClass, reconciler)) {
                await().untilAsserted(() -> assertThat(
                                new ResourceClient<>(server.client(), ResourceTypes.EVENT).list(namespace))
                        .extracting(EventsV1Event::getNote)
                        .first()
                        .asString()
                        .contains("controller \"gadget\"", objectClass.getName()));
                assertThat(host.writes()).containsOnly("POST events");
            }
        }
    }

    @Test
    void noRightIsNeededForAStatusThatIsNotThere() {
        assertThat(TypedController.descriptor("gadget", ResourceType.of(Bare.class), new Told<Bare>())
                        .furtherRights())
                .isEmpty();
        assertThat(TypedController.descriptor("gadget", ResourceType.of(Counted.class), new Told<Counted>())
                        .furtherRights())
                .hasSize(1);
    }

    private static String install(ApiServer server) throws ApiException {
        Gadget.install(server.client());
        String namespace = server.createNamespace("test");
        Bare bare = new Bare();
        bare.setMetadata(new V1ObjectMeta().namespace(namespace).name("g"));
        new ResourceClient<>(server.client(), ResourceType.of(Bare.class)).create(bare);
        return namespace;
    }

    private static <T extends KubernetesObject> RunningHost run(
            ApiServer server, String namespace, Class<T> objectClass, ObjectReconciler<T> reconciler) {
        return new RunningHost(
                server.client(),
                namespace,
                TypedController.descriptor("gadget", ResourceType.of(objectClass), reconciler));
    }

    private static void reconcileTwice(RunningHost host, String namespace) {
        for (int i = 0; i < 2; i++) {
            long before = host.status().reconciles();
            host.reconcile(new Request(namespace, "g"));
            host.awaitIdle(before + 1);
        }
    }
}
