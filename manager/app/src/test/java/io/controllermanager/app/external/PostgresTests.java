package io.controllermanager.app.external;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.test.KubernetesAssertions;
import io.controllermanager.test.NamedFault;
import io.controllermanager.test.RunningManager;
import io.controllermanager.test.Scenario;
import io.controllermanager.test.Stage;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows in a real PostgreSQL. */
@Tag("system")
class PostgresTests {

    @TempDir
    private static Path directory;

    private static PostgresServer postgres;

    @BeforeAll
    static void start() throws Exception {
        postgres = PostgresServer.start(directory);
    }

    @AfterAll
    static void stop() {
        postgres.close();
    }

    @BeforeEach
    void makeTables() throws SQLException {
        empty();
    }

    private static void empty() throws SQLException {
        execute("""
                drop table if exists tenants, tickets;
                create table tenants (name text primary key, plan text not null, owner text not null);
                create table tickets (id bigserial primary key, token text unique, text text not null)""");
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = postgres.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> rows() {
        try (Connection connection = postgres.connect();
                Statement statement = connection.createStatement()) {
            List<String> found = new ArrayList<>();
            for (ResultSet rows = statement.executeQuery(
                            "select name || ' ' || plan from tenants union all select text from tickets order by 1");
                    rows.next(); ) {
                found.add(rows.getString(1));
            }
            return found;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static V1ConfigMap tenant(String name, String plan) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace("default").name(name))
                .data(Map.of("plan", plan));
    }

    private static ControllerDescriptor controller() {
        return TypedController.descriptor(
                "tenants", ResourceTypes.CONFIG_MAP, new TenantReconciler(() -> postgres.connect()));
    }

    @Test
    void keepsRowsThroughARestartOfTheDatabase() throws Exception {
        try (ApiServer server = ApiServer.start();
                RunningManager manager = RunningManager.startInVirtualTime(server, controller())) {
            ResourceClient<V1ConfigMap> objects = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
            objects.create(tenant("acme", "small"));
            objects.create(tenant("gone", "small"));
            manager.settles();
            assertThat(rows())
                    .containsExactly("acme pays for small", "acme small", "gone pays for small", "gone small");

            execute("update tenants set plan = 'free'; delete from tickets");
            manager.advance(TenantReconciler.POLL.multipliedBy(2));
            assertThat(rows())
                    .containsExactly("acme pays for small", "acme small", "gone pays for small", "gone small");

            postgres.kill();
            objects.delete("default", "gone");
            objects.patch("default", "acme", new Patch.Merge("{\"data\":{\"plan\":\"large\"}}"));
            manager.advance(Duration.ofMinutes(1));
            V1ConfigMap waiting = objects.get("default", "gone");
            KubernetesAssertions.assertThat(waiting).hasFinalizer("example.com/tenants");
            await().untilAsserted(() ->
                    KubernetesAssertions.assertThatEvents(server).of(waiting).contains("Normal", "TicketUnreachable"));

            postgres.start();
            manager.advance(Duration.ofMinutes(3));
            assertThat(rows()).containsExactly("acme large", "acme pays for large");
            assertThat(objects.get("default", "gone")).isNull();
            manager.settles();
        }
    }

    /** One is edited and one is deleted. */
    private static final class Tenancy implements Scenario {

        Tenancy() {
            try {
                empty();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(controller());
        }

        @Override
        public void play(Stage stage) throws ApiException {
            ResourceClient<V1ConfigMap> objects = stage.client(ResourceTypes.CONFIG_MAP);
            objects.create(tenant("acme", "small"));
            objects.create(tenant("gone", "small"));
            stage.converges();
            objects.patch("default", "acme", new Patch.Merge("{\"data\":{\"plan\":\"large\"}}"));
            objects.delete("default", "gone");
        }

        @Override
        public Object outside() {
            return rows();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PROCESS_LOST", "WRITE_REFUSED", "CONNECTION_CUT"})
    void comesToTheSameEnd(NamedFault fault) {
        fault.check(Tenancy::new);
    }
}
