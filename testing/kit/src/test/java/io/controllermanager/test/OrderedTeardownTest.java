package io.controllermanager.test;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.client.Propagation;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.Cleaner;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What is outside goes first, then what serves it, whatever the collector does meanwhile and wherever the process is lost; what is
 * retained stays.
 */
class OrderedTeardownTest {

    /** Rows of an outside system that is down for the first tries to delete one. */
    private static final class Rows {

        private final Map<String, String> rows = new ConcurrentHashMap<>();
        private int outage = 2;

        void put(String name) {
            rows.put(name, "");
        }

        /** Takes the row out, which the server that has it must still be there for. */
        synchronized void remove(String name, boolean served) {
            if (rows.containsKey(name)) {
                if (!served) {
                    throw new IllegalStateException("the row " + name + " is left without a server");
                }
                if (outage-- > 0) {
                    throw new IllegalStateException("the outside system is down");
                }
                rows.remove(name);
            }
        }

        List<String> left() {
            return List.copyOf(rows.keySet());
        }
    }

    /** A server, which is a ConfigMap here, a volume, a password and an account, and a row in the server. */
    @Reconciles(Greeting.class)
    private record Operator(Rows rows) implements ObjectReconciler<Greeting>, Cleaner<Greeting> {

        @Override
        public void describe(ControllerDescription<Greeting> d) {
            d.owns(ResourceTypes.CONFIG_MAP)
                    .teardown()
                    .owns(ResourceTypes.SECRET)
                    .teardown()
                    .owns(ResourceTypes.SERVICE_ACCOUNT)
                    .retained()
                    .owns(ResourceTypes.SERVICE);
        }

        @Override
        public Outcome reconcile(Greeting greeting, Reconciliation<Greeting> r) throws ApiException {
            r.create(new V1Secret());
            r.apply(new V1ServiceAccount());
            r.apply(server());
            rows.put(greeting.name());
            r.apply(JSON.deserialize("{\"spec\": {\"clusterIP\": \"None\"}}", V1Service.class));
            return Outcome.ready("Serving", "all is there");
        }

        @Override
        public Outcome cleanup(Greeting greeting, Reconciliation<Greeting> r) throws ApiException {
            rows.remove(greeting.name(), r.child(ResourceTypes.CONFIG_MAP, greeting.name()) != null);
            return r.delete(server()) ? Outcome.done() : Outcome.progressing("ServerGoing", "the server is deleted");
        }

        private static V1ConfigMap server() {
            return new V1ConfigMap().data(Map.of("port", "5432"));
        }
    }

    private static final class Deleted implements Scenario {

        private final Propagation propagation;
        private final Rows rows = new Rows();

        Deleted(Propagation propagation) {
            this.propagation = propagation;
        }

        @Override
        public ApiServerBuilder server() {
            return ApiServer.builder().manifests("classpath:greetings.yaml");
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(TypedController.descriptor(new Operator(rows)));
        }

        @Override
        public void play(Stage stage) throws ApiException {
            ResourceClient<Greeting> greetings = stage.client(Greeting.TYPE);
            greetings.create(new Greeting("g", "g", "hello"));
            stage.converges();
            greetings.delete("default", "g", null, propagation);
        }

        @Override
        public Object outside() {
            return rows.left();
        }
    }

    @ParameterizedTest
    @EnumSource(Propagation.class)
    void keepsItsOrderWhereverTheProcessIsLost(Propagation propagation) {
        CrashPoints.of(() -> new Deleted(propagation)).check();
    }
}
