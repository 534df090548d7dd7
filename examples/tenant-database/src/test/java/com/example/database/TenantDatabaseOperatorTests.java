package com.example.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.apiserver.rights.DeclaredRights;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.reconciler.TypedController;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The whole application, which may do what its controller declares, and nothing more. */
@SpringBootTest(
        properties = {"controller-manager.leader-election.enabled=false", "spring.datasource.url=jdbc:h2:mem:tenants"})
@EmbeddedApiServer(
        manifests = "config/crd/*.yaml",
        world = true,
        authorization = true,
        user = "system:serviceaccount:tenant-database-operator:tenant-database-operator",
        rights = "database")
class TenantDatabaseOperatorTests {

    @Autowired
    private ApiServer server;

    @Autowired
    private JdbcClient table;

    @Autowired
    private Tenants tenants;

    @BeforeAll
    static void waitLonger() {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    }

    @Test
    void aDatabaseComesAndGoes() throws ApiException {
        Cluster.prepare(server);
        ResourceClient<Database> databases = new ResourceClient<>(server.client(), Cluster.DATABASE);

        databases.create(Cluster.database("orders"));
        await().untilAsserted(() -> assertThat(Conditions.of(databases.get(Cluster.NAMESPACE, "orders"), "Ready"))
                .isNotNull()
                .extracting(ready -> ready.getReason())
                .isEqualTo("Serving"));
        assertThat(rows()).isEqualTo(1);
        assertThat(server.refusals()).isEmpty();

        databases.delete(Cluster.NAMESPACE, "orders");
        await().until(() -> databases.get(Cluster.NAMESPACE, "orders") == null);
        assertThat(rows()).isZero();
        assertThat(server.refusals()).isEmpty();
    }

    private int rows() {
        return table.sql("select count(*) from tenants").query(Integer.class).single();
    }

    @Test
    void declaresWhatFollowsFromItsDescription() {
        assertThat(TypedController.descriptor(new DatabaseReconciler(tenants)).rights())
                .containsExactlyInAnyOrderElementsOf(
                        DeclaredRights.of("database").rules());
    }
}
