package io.controllermanager.network;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.test.CrashPoints;
import io.controllermanager.test.OvertakenWrites;
import io.controllermanager.test.RefusedWrites;
import io.controllermanager.test.Scenario;
import io.controllermanager.test.Stage;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Networks come to the same end whatever goes wrong on the way. */
class NetworkScenarioTest {

    /** Two Networks overlap; one moves away, onto a third. */
    private static final class MovedNetwork implements Scenario {

        @Override
        public ApiServerBuilder server() {
            return ApiServer.builder().manifests("../../config/crd/bases/sample.k8s.io_networks.yaml");
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(NetworkController.descriptor());
        }

        @Override
        public void play(Stage stage) throws ApiException {
            ResourceClient<Network> networks = stage.client(Network.TYPE);
            networks.create(network("stays", "10.0.0.0/8"));
            networks.create(network("moves", "10.1.0.0/16"));
            networks.create(network("is-met", "11.0.0.0/8"));
            stage.converges();
            networks.patch("default", "moves", new Patch.Merge("{\"spec\":{\"cidr\":\"11.1.0.0/16\"}}"));
        }

        private static Network network(String name, String cidr) {
            return new Network(new V1ObjectMeta().namespace("default").name(name), new NetworkSpec(cidr, null));
        }
    }

    @Test
    void whereTheProcessIsLost() {
        CrashPoints.of(MovedNetwork::new).check();
    }

    @Test
    void whereTheApiServerRefuses() {
        RefusedWrites.of(MovedNetwork::new).check();
    }

    @Test
    void whereAnotherWriterGetsInBefore() {
        OvertakenWrites.of(MovedNetwork::new).check();
    }
}
