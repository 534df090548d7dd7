package com.example.database;

import static com.example.database.Cluster.CLASS;
import static com.example.database.Cluster.DATABASE;
import static com.example.database.Cluster.NAMESPACE;
import static io.controllermanager.client.ResourceTypes.JOB;
import static io.controllermanager.client.ResourceTypes.PERSISTENT_VOLUME_CLAIM;
import static io.controllermanager.client.ResourceTypes.POD;
import static io.controllermanager.client.ResourceTypes.SECRET;
import static io.controllermanager.client.ResourceTypes.SERVICE;
import static io.controllermanager.client.ResourceTypes.STATEFUL_SET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.example.database.Tenants.Tenant;
import io.controllermanager.apiserver.world.Step;
import io.controllermanager.client.Patch;
import io.controllermanager.client.Propagation;
import io.controllermanager.client.ResourceType;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.test.RunningManager;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Secret;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each in virtual time, where half an hour takes no time. */
class DatabaseReconcilerTests {

    private static final ResourceType<TenantName> TENANT_NAME = ResourceType.of(TenantName.class);

    private Cluster cluster;

    @BeforeEach
    void start() throws ApiException {
        cluster = new Cluster();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private static String text(V1Secret secret, String key) {
        return new String(secret.getData().get(key), StandardCharsets.UTF_8);
    }

    private <T extends KubernetesObject> List<String> names(ResourceType<T> type) throws ApiException {
        return cluster.of(type).list(null).stream()
                .map(object -> object.getMetadata().getName())
                .sorted()
                .toList();
    }

    private List<V1Job> backups(String database) throws ApiException {
        return cluster.of(JOB).list(NAMESPACE).stream()
                .filter(job -> job.getMetadata().getName().startsWith(database + "-backup-"))
                .toList();
    }

    private static V1Container postgres(V1PodTemplateSpec pod) {
        return pod.getSpec().getContainers().get(0);
    }

    private List<String> ofImage(String image) throws ApiException {
        return cluster.of(STATEFUL_SET).list(NAMESPACE).stream()
                .filter(set -> postgres(set.getSpec().getTemplate()).getImage().equals(image))
                .map(set -> set.getMetadata().getName())
                .toList();
    }

    private String sql(String name) throws ApiException {
        return text(cluster.of(SECRET).get(NAMESPACE, name + "-script"), "script.sql");
    }

    @Test
    void becomesReadyStageByStage() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.server
                    .world()
                    .when(Step.BOUND, "PersistentVolumeClaim", "orders-*")
                    .after(Duration.ofSeconds(60));
            cluster.server.world().when(Step.READY, "StatefulSet", "orders").after(Duration.ofSeconds(60));
            cluster.server.world().when(Step.COMPLETE, "Job", "orders-*").after(Duration.ofSeconds(60));
            cluster.create("orders");
            manager.converges();
            assertThat(cluster.condition("orders", "Stored").getMessage()).contains("may wait for a Pod");
            assertThat(cluster.condition("orders", "Running").getMessage()).contains("0 of 1 replicas");
            assertThat(names(JOB)).isEmpty();

            manager.advance(Duration.ofSeconds(70));
            assertThat(cluster.condition("orders", "Stored").getMessage()).doesNotContain("may wait for a Pod");
            assertThat(names(JOB)).isEmpty();

            manager.advance(Duration.ofSeconds(70));
            assertThat(names(JOB)).singleElement().asString().startsWith("orders-init-");
            assertThat(names(SERVICE)).doesNotContain("orders");

            manager.advance(Duration.ofSeconds(150));
            cluster.expect("orders", "Serving");
            assertThat(cluster.of(DATABASE).get(NAMESPACE, "orders").status().endpoint())
                    .isEqualTo("orders.default.svc:5432");
            assertThat(cluster.tenants.names())
                    .containsEntry("orders", new Tenant("orders", "small", "default/orders"));
            manager.settles();
        }
    }

    @Test
    void saysWhatItWaitsForUntilItsTimeIsUp() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.server.world().when(Step.READY, "StatefulSet", "orders").never();
            cluster.create("orders");
            manager.advance(Duration.ofMinutes(11));

            cluster.expect("orders", "ProgressDeadlineExceeded");
            assertThat(cluster.condition("orders", "Ready").getMessage()).contains("0 of 1 replicas");
        }
    }

    @Test
    void waitsForItsClass() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            Database database = Cluster.database("orders");
            database.setSpec(new Database.Spec("orders", "large", List.of(), null));
            cluster.of(DATABASE).create(database);
            manager.converges();
            cluster.expect("orders", "ClassMissing");

            cluster.of(CLASS).create(Cluster.databaseClass("large"));
            manager.converges();
            cluster.expect("orders", "Serving");
        }
    }

    @Test
    void aTenantHasOneDatabase() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            manager.converges();
            Database second = Cluster.database("invoices");
            second.setSpec(new Database.Spec("orders", "small", List.of(), null));
            cluster.of(DATABASE).create(second);
            manager.converges();
            cluster.expect("invoices", "NameTaken");

            cluster.of(DATABASE).delete(NAMESPACE, "orders");
            manager.advance(Duration.ofMinutes(1));
            cluster.expect("invoices", "Serving");
            assertThat(cluster.tenants.names())
                    .containsEntry("orders", new Tenant("orders", "small", "default/invoices"));
        }
    }

    @Test
    void usersInOtherNamespacesComeAndGo() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            manager.converges();
            V1Secret login = cluster.of(SECRET).get("shop", "orders-user-seller");
            assertThat(text(login, "username")).isEqualTo("user_seller");
            assertThat(sql("orders")).contains(text(login, "password"));

            cluster.of(SECRET).delete("shop", "orders-user-seller");
            manager.converges();
            assertThat(text(cluster.of(SECRET).get("shop", "orders-user-seller"), "password"))
                    .isEqualTo(text(login, "password"));

            cluster.patch("orders", """
                    {"spec": {"users": [{"namespace": "office", "name": "clerk"}]}}""");
            manager.converges();
            assertThat(names(SECRET)).containsExactly("orders-admin", "orders-script", "orders-user-clerk");
            assertThat(names(JOB)).hasSize(1);
            manager.settles();
        }
    }

    @Test
    void usersOfAnyNameLeaveTheDatabaseItsOwn() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            manager.converges();
            V1Secret admin = cluster.of(SECRET).get(NAMESPACE, "orders-admin");
            cluster.patch("orders", """
                    {"spec": {"users": [{"namespace": "default", "name": "admin"}, {"namespace": "default", "name": "script"},
                                        {"namespace": "office", "name": "postgres"}]}}""");
            manager.converges();

            cluster.expect("orders", "Serving");
            assertThat(names(SECRET))
                    .containsExactly(
                            "orders-admin",
                            "orders-script",
                            "orders-user-admin",
                            "orders-user-postgres",
                            "orders-user-script");
            assertThat(text(cluster.of(SECRET).get(NAMESPACE, "orders-admin"), "password"))
                    .isEqualTo(text(admin, "password"));
            assertThat(sql("orders")).contains("alter role user_postgres login").doesNotContain("role postgres");
        }
    }

    @Test
    void aNameHasOneUser() {
        assertThatThrownBy(() -> {
                    Database database = Cluster.database("orders");
                    database.setSpec(new Database.Spec(
                            "orders",
                            "small",
                            List.of(new Database.User("shop", "seller"), new Database.User("office", "seller")),
                            null));
                    cluster.of(DATABASE).create(database);
                })
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("spec.users[1]");
    }

    @Test
    void whoIsNoUserAnyMoreCannotLogIn() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            manager.converges();
            List<String> first = names(JOB);
            cluster.patch("orders", """
                    {"spec": {"users": []}}""");
            manager.converges();

            assertThat(sql("orders")).contains("nologin").doesNotContain("user_seller");
            assertThat(names(JOB)).hasSize(1).isNotEqualTo(first);
        }
    }

    @Test
    void theRowIsKeptAndIsAskedForRarely() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            manager.converges();
            cluster.tenants.names().put("orders", new Tenant("orders", "free", "default/orders"));
            manager.advance(Duration.ofMinutes(1));
            assertThat(cluster.tenants.names())
                    .containsEntry("orders", new Tenant("orders", "small", "default/orders"));

            cluster.tenants.down(true);
            manager.advance(Duration.ofMinutes(2));
            cluster.expect("orders", "TenantUnreachable");
            assertThat(cluster.condition("orders", "Running").getStatus()).isEqualTo("True");

            cluster.tenants.down(false);
            manager.advance(Duration.ofMinutes(2));
            cluster.expect("orders", "Serving");
        }
    }

    @Test
    void aCopyIsMadeEachTimeAndThreeStay() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            manager.advance(Duration.ofHours(3));

            assertThat(backups("orders")).hasSize(3);
            // The Pods of the others are gone with their Jobs, which batch/v1 does not do by itself.
            assertThat(names(POD).stream().filter(name -> name.contains("-backup-")))
                    .hasSize(3);
            String last = cluster.of(DATABASE).get(NAMESPACE, "orders").status().lastBackup();
            assertThat(last).matches(".*:[03]0:00Z");

            cluster.patch("orders", """
                    {"spec": {"backups": {"suspended": true}}}""");
            manager.advance(Duration.ofHours(2));
            assertThat(cluster.of(DATABASE).get(NAMESPACE, "orders").status().lastBackup())
                    .isEqualTo(last);
        }
    }

    @Test
    void aCopyThatFailsDoesNotCount() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            manager.converges();
            cluster.server.world().when(Step.COMPLETE, "Job", "orders-backup-*").never();
            manager.advance(Duration.ofMinutes(30));

            assertThat(backups("orders")).hasSize(1);
            assertThat(cluster.of(DATABASE).get(NAMESPACE, "orders").status().lastBackup())
                    .isNull();
            cluster.expect("orders", "Serving");
        }
    }

    @Test
    void aScheduleThatIsNoneIsToldOfAndTheRestStaysReady() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            cluster.patch("orders", """
                    {"spec": {"backups": {"zone": "Mars"}}}""");
            manager.converges();

            cluster.expect("orders", "Serving");
            assertThat(cluster.condition("orders", "BackupsScheduled").getReason())
                    .isEqualTo("ScheduleInvalid");
            assertThat(cluster.condition("orders", "BackupsScheduled").getMessage())
                    .contains("Mars");

            cluster.patch("orders", """
                    {"spec": {"backups": {"zone": "Europe/Berlin"}}}""");
            manager.converges();
            assertThat(cluster.condition("orders", "BackupsScheduled").getStatus())
                    .isEqualTo("True");
        }
    }

    @Test
    void copiesAreMadeWhileAccountingIsDown() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            manager.converges();
            cluster.tenants.down(true);
            manager.advance(Duration.ofHours(2));

            cluster.expect("orders", "TenantUnreachable");
            assertThat(backups("orders")).hasSizeGreaterThan(2);
            assertThat(cluster.of(DATABASE).get(NAMESPACE, "orders").status().lastBackup())
                    .isNotNull();

            cluster.tenants.down(false);
            manager.advance(Duration.ofMinutes(2));
            assertThat(backups("orders")).hasSize(3);
        }
    }

    @Test
    void copiesAreMadeByTheOldImageWhileTheNewOneIsStuck() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            for (int i = 0; i < 6; i++) {
                cluster.create("db" + i);
            }
            manager.converges();
            cluster.server.world().when(Step.READY, "StatefulSet", "*").never();
            cluster.of(CLASS).patch(null, "small", new Patch.Merge("""
                    {"spec": {"image": "postgres:nonsense"}}"""));
            manager.converges();
            String waiting = ofImage("postgres:17").get(0);
            manager.advance(Duration.ofHours(1));

            assertThat(cluster.condition(waiting, "Reconciling").getReason()).isEqualTo("WaitsForBudget");
            assertThat(backups(waiting))
                    .hasSizeGreaterThan(1)
                    .extracting(job -> postgres(job.getSpec().getTemplate()).getImage())
                    .containsOnly("postgres:17");
        }
    }

    @Test
    void theBudgetHoldsWhileAccountingIsDown() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            for (int i = 0; i < 7; i++) {
                cluster.create("db" + i);
            }
            manager.converges();
            cluster.tenants.down(true);
            manager.advance(Duration.ofMinutes(2));
            cluster.expect("db0", "TenantUnreachable");
            cluster.server.world().when(Step.READY, "StatefulSet", "*").never();
            cluster.of(CLASS).patch(null, "small", new Patch.Merge("""
                    {"spec": {"image": "postgres:18"}}"""));
            manager.converges();

            assertThat(ofImage("postgres:18")).hasSize(5);
        }
    }

    @Test
    void anotherImageIsRolledOutToFiveAtATime() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            for (int i = 0; i < 12; i++) {
                cluster.create("db" + i);
            }
            manager.converges();
            cluster.server.world().when(Step.READY, "StatefulSet", "*").after(Duration.ofSeconds(60));
            cluster.of(CLASS).patch(null, "small", new Patch.Merge("""
                    {"spec": {"image": "postgres:18"}}"""));
            List<Long> rolling = new ArrayList<>();
            for (int minute = 0; minute < 12; minute++) {
                manager.advance(Duration.ofSeconds(30));
                rolling.add(cluster.of(STATEFUL_SET).list(NAMESPACE).stream()
                        .filter(set -> set.getStatus().getReadyReplicas() == null
                                || set.getStatus().getReadyReplicas() < 1)
                        .count());
            }
            assertThat(rolling).contains(5L).allMatch(count -> count <= 5);
            assertThat(ofImage("postgres:18")).hasSize(12);
            for (int i = 0; i < 12; i++) {
                cluster.expect("db" + i, "Serving");
            }
        }
    }

    @Test
    void theRowGoesBeforeTheServerAndTheVolumesStay() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            manager.converges();
            cluster.tenants.down(true);
            cluster.of(DATABASE).delete(NAMESPACE, "orders", null, Propagation.FOREGROUND);
            manager.advance(Duration.ofMinutes(1));
            assertThat(names(STATEFUL_SET)).containsExactly("orders");
            cluster.expect("orders", "TenantUnreachable");

            cluster.tenants.down(false);
            manager.advance(Duration.ofMinutes(2));
            assertThat(names(DATABASE)).isEmpty();
            assertThat(cluster.tenants.names()).isEmpty();
            assertThat(names(STATEFUL_SET)).isEmpty();
            assertThat(names(JOB)).isEmpty();
            assertThat(names(SECRET)).isEmpty();
            assertThat(names(SERVICE)).containsExactly("kubernetes");
            assertThat(names(TENANT_NAME)).isEmpty();
            assertThat(names(PERSISTENT_VOLUME_CLAIM)).containsExactly("orders-backups", "orders-data");
        }
    }

    @Test
    void theNextOfItsNameGetsTheVolumesThatAPersonGivesAway() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            manager.converges();
            String first = sql("orders");
            cluster.of(DATABASE).delete(NAMESPACE, "orders");
            manager.converges();
            cluster.create("orders");
            manager.converges();
            cluster.expect("orders", "ChildRetained");

            for (String volume : List.of("orders-backups", "orders-data")) {
                cluster.of(PERSISTENT_VOLUME_CLAIM).patch(NAMESPACE, volume, new Patch.Merge("""
                        {"metadata": {"annotations": {"example.com/given-away": "true"}}}"""));
            }
            manager.advance(Duration.ofMinutes(1));
            cluster.expect("orders", "Serving");
            // The volume has the password of before, so the server is told the new one.
            assertThat(sql("orders")).isNotEqualTo(first);
            V1Container server = postgres(
                    cluster.of(STATEFUL_SET).get(NAMESPACE, "orders").getSpec().getTemplate());
            assertThat(server.getLifecycle().getPostStart().getExec().getCommand())
                    .last()
                    .asString()
                    .contains("alter role postgres password '$PGPASSWORD'");
            assertThat(server.getEnv())
                    .filteredOn(variable -> variable.getName().equals("PGPASSWORD"))
                    .extracting(variable ->
                            variable.getValueFrom().getSecretKeyRef().getName())
                    .containsExactly("orders-admin");
        }
    }

    @Test
    void afterAnOrphaningDeletionTheNextOneFindsWhatIsLeft() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            manager.converges();
            List<String> initialised = names(JOB);
            cluster.of(DATABASE).delete(NAMESPACE, "orders", null, Propagation.ORPHAN);
            manager.converges();
            assertThat(names(SERVICE)).contains("orders");
            cluster.of(PERSISTENT_VOLUME_CLAIM).delete(NAMESPACE, "orders-data");
            cluster.of(PERSISTENT_VOLUME_CLAIM).delete(NAMESPACE, "orders-backups");

            cluster.create("orders");
            manager.advance(Duration.ofMinutes(1));
            cluster.expect("orders", "Serving");
            // The passwords are others, so the script runs again.
            assertThat(names(JOB)).hasSizeGreaterThan(initialised.size());
            assertThat(cluster.of(SERVICE)
                            .get(NAMESPACE, "orders")
                            .getMetadata()
                            .getOwnerReferences())
                    .extracting(owner -> owner.getUid())
                    .containsExactly(
                            cluster.of(DATABASE).get(NAMESPACE, "orders").uid());
            manager.settles();
        }
    }

    @Test
    void stagesAreOfTheGenerationThatIsThere() throws ApiException {
        try (RunningManager manager = cluster.run()) {
            cluster.create("orders");
            manager.converges();
            cluster.patch("orders", """
                    {"spec": {"users": []}}""");
            manager.converges();

            Database database = cluster.of(DATABASE).get(NAMESPACE, "orders");
            assertThat(database.status().observedGeneration()).isEqualTo(2);
            for (String stage : List.of("Stored", "Running", "Initialised", "Registered", "Ready")) {
                assertThat(Conditions.of(database, stage).getObservedGeneration())
                        .as(stage)
                        .isEqualTo(2);
            }
        }
    }
}
