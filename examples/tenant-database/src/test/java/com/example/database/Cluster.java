package com.example.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.database.Tenants.Tenant;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.test.OutsideSystem;
import io.controllermanager.test.RunningManager;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;

/** An API server inside the JVM with a class, the namespaces of users and a table of tenants, for tests in virtual time. */
final class Cluster implements AutoCloseable {

    static final String NAMESPACE = "default";
    static final ResourceType<Database> DATABASE = ResourceType.of(Database.class);
    static final ResourceType<DatabaseClass> CLASS = ResourceType.of(DatabaseClass.class);

    final ApiServer server;
    final OutsideSystem<Tenant> tenants = new OutsideSystem<>();

    Cluster() throws ApiException {
        server = builder().start();
        prepare(server);
    }

    static ApiServerBuilder builder() {
        return ApiServer.builder().manifests("config/crd/*.yaml").world(true);
    }

    static void prepare(ApiServer server) throws ApiException {
        for (String user : List.of("shop", "office")) {
            client(server, ResourceTypes.NAMESPACE).create(new V1Namespace().metadata(new V1ObjectMeta().name(user)));
        }
        client(server, CLASS).create(databaseClass("small"));
    }

    static DatabaseClass databaseClass(String name) {
        DatabaseClass made = new DatabaseClass();
        made.setMetadata(new V1ObjectMeta().name(name));
        made.setSpec(new DatabaseClass.Spec("postgres:17", Quantity.fromString("1Gi")));
        return made;
    }

    /** A Database whose tenant is called the same, with a user in the namespace {@code shop}, and copies each half hour. */
    static Database database(String name) {
        Database made = new Database();
        made.setMetadata(new V1ObjectMeta().namespace(NAMESPACE).name(name));
        made.setSpec(new Database.Spec(
                name,
                "small",
                List.of(new Database.User("shop", "seller")),
                new Database.Backups("*/30 * * * *", "Europe/Berlin", 3, false)));
        return made;
    }

    static ControllerDescriptor controller(OutsideSystem<Tenant> tenants) {
        return TypedController.descriptor(new DatabaseReconciler(tenants.byName()));
    }

    private static <T extends KubernetesObject> ResourceClient<T> client(ApiServer server, ResourceType<T> type) {
        return new ResourceClient<>(server.client(), type);
    }

    <T extends KubernetesObject> ResourceClient<T> of(ResourceType<T> type) {
        return client(server, type);
    }

    RunningManager run() {
        return RunningManager.startInVirtualTime(server, controller(tenants));
    }

    void create(String name) throws ApiException {
        of(DATABASE).create(database(name));
    }

    void patch(String name, String json) throws ApiException {
        of(DATABASE).patch(NAMESPACE, name, new Patch.Merge(json));
    }

    void expect(String name, String reason) throws ApiException {
        assertThat(condition(name, "Ready")).extracting(V1Condition::getReason).isEqualTo(reason);
    }

    V1Condition condition(String name, String type) throws ApiException {
        return Conditions.of(of(DATABASE).get(NAMESPACE, name), type);
    }

    @Override
    public void close() {
        server.close();
    }
}
