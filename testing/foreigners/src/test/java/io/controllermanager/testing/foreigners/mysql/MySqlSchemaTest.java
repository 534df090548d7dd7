package io.controllermanager.testing.foreigners.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.crd.Comments;
import io.controllermanager.crd.CustomResourceDefinition;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.test.RunningManager;
import io.controllermanager.testing.foreigners.SdkOperator;
import io.controllermanager.testing.foreigners.mysql.sdk.MySqlDependents;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The operator does the same on either. */
@Tag("system")
class MySqlSchemaTest {

    private static final ResourceType<MySqlSchema> TYPE = ResourceType.of(MySqlSchema.class);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final String NAMESPACE = "default";
    private static final String NAME = "shop";

    private final ApiServer server = ApiServer.builder().tls(true).start();
    private final ResourceClient<MySqlSchema> schemas = new ResourceClient<>(server.client(), TYPE);
    private final ResourceClient<V1Secret> secrets = new ResourceClient<>(server.client(), ResourceTypes.SECRET);
    private final MySql.InMemory mysql = new MySql.InMemory();

    /** Who runs the operator. */
    private enum Framework {
        SDK,
        OURS
    }

    @BeforeEach
    void install() throws ApiException {
        Map<String, Object> crd = CustomResourceDefinition.of(List.of(MySqlSchema.class), Comments.NONE)
                .get(0)
                .content();
        new ResourceClient<>(server.client(), ResourceTypes.CUSTOM_RESOURCE_DEFINITION)
                .patch(null, "mysqlschemas.example.com", new Patch.Apply(new Gson().toJson(crd), "test", true));
        await().until(() -> server.serves("mysqlschemas.example.com/v1"));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private AutoCloseable run(Framework framework) {
        return framework == Framework.SDK
                ? SdkOperator.start(
                        server,
                        new io.controllermanager.testing.foreigners.mysql.sdk.MySqlSchemaReconciler(),
                        configuration -> configuration.withDependentResourceFactory(new MySqlDependents(mysql, POLL)))
                : RunningManager.start(server, TypedController.descriptor(new MySqlSchemaReconciler(mysql, POLL)));
    }

    @ParameterizedTest
    @EnumSource(Framework.class)
    @SuppressWarnings("try") // The operator works by itself.
    void keepsASchema(Framework framework) throws Exception {
        try (AutoCloseable host = run(framework)) {
            MySqlSchema shop = new MySqlSchema();
            shop.setMetadata(new V1ObjectMeta().namespace(NAMESPACE).name(NAME));
            shop.setSpec(new MySqlSchema.Spec("latin1", List.of("ann")));
            schemas.create(shop);
            await().until(() -> mysql.readers(NAME).equals(Set.of("ann")));
            await().until(() -> schemas.get(NAMESPACE, NAME).status() != null);
            String password = password();
            assertThat(mysql.encoding(NAME)).isEqualTo("latin1");
            assertThat(mysql.password(NAME)).isEqualTo(password);

            change("{\"encoding\":\"utf8mb4\",\"readers\":[\"bob\",\"cara\"]}");
            await().until(() -> "utf8mb4".equals(mysql.encoding(NAME)));
            await().until(() -> mysql.readers(NAME).equals(Set.of("bob", "cara")));

            mysql.drop(NAME);
            await().until(() -> mysql.readers(NAME).equals(Set.of("bob", "cara")));
            assertThat(mysql.encoding(NAME)).isEqualTo("utf8mb4");
            assertThat(mysql.password(NAME)).isEqualTo(password).isEqualTo(password());

            schemas.delete(NAMESPACE, NAME);
            await().until(() -> schemas.get(NAMESPACE, NAME) == null);
            assertThat(mysql.encoding(NAME)).isNull();
            await().until(() -> secrets.get(NAMESPACE, NAME) == null);
        }
    }

    private void change(String spec) throws ApiException {
        schemas.patch(NAMESPACE, NAME, new Patch.Merge("{\"spec\":" + spec + "}"));
    }

    private String password() throws ApiException {
        V1Secret secret = Objects.requireNonNull(secrets.get(NAMESPACE, NAME));
        return new String(secret.getData().get("password"), StandardCharsets.UTF_8);
    }
}
