package com.example.app;

import static io.controllermanager.test.Convergence.settles;
import static io.controllermanager.test.KubernetesAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.apiserver.world.Step;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.spring.autoconfigure.ControllerManagerHost;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(properties = "controller-manager.leader-election.enabled=false")
@EmbeddedApiServer(
        manifests = "config/crd/*.yaml",
        world = true,
        authorization = true,
        user = "system:serviceaccount:database-operator:database-operator",
        rights = "database")
class DatabaseOperatorTests {

    @Autowired
    private ControllerManagerHost host;

    @Autowired
    private ApiServer server;

    private ResourceClient<Database> databases;
    private String namespace;

    @BeforeEach
    void prepare() throws ApiException {
        databases = new ResourceClient<>(server.client(), ResourceType.of(Database.class));
        namespace = server.createNamespace("test");
    }

    @Test
    void becomesReady() throws ApiException {
        create();

        settles(host.manager(), server);

        assertThat(databases.get(namespace, "orders")).hasCondition("Ready", "True").withReason("Serving");
        assertThat(new ResourceClient<>(server.client(), ResourceTypes.POD).list(namespace).stream()
                        .map(pod -> pod.getMetadata().getName()))
                .contains("orders-0", "orders-1");
    }

    @Test
    void saysWhatItWaitsFor() throws ApiException {
        server.world().when(Step.COMPLETE, "Database", namespace + "/orders").never();
        create();

        settles(host.manager(), server);
        assertThat(databases.get(namespace, "orders")).hasCondition("Ready", "False").withReason("Restoring");

        server.world().clear();
        settles(host.manager(), server);
        assertThat(databases.get(namespace, "orders")).hasCondition("Ready", "True");
    }

    @Test
    void growsAndShrinks() throws ApiException {
        create();
        settles(host.manager(), server);

        for (int replicas : new int[] {3, 1}) {
            databases.patch(namespace, "orders", new Patch.Merge("{\"spec\": {\"replicas\": " + replicas + "}}"));
            settles(host.manager(), server);

            assertThat(databases.get(namespace, "orders")).hasCondition("Ready", "True");
            assertThat(new ResourceClient<>(server.client(), ResourceTypes.STATEFUL_SET)
                            .get(namespace, "orders")
                            .getStatus()
                            .getReadyReplicas())
                    .isEqualTo(replicas);
        }
    }

    private void create() throws ApiException {
        Database database = new Database();
        database.setMetadata(new V1ObjectMeta().namespace(namespace).name("orders"));
        database.setSpec(new Database.Spec(2, Quantity.fromString("1Gi")));
        databases.create(database);
    }
}
