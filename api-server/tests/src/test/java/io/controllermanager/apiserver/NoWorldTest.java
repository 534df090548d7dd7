package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.support.Command;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is not switched on costs nothing: of the world no class is loaded then. */
class NoWorldTest {

    /** A server that gets a Pod and loses it. */
    static final class Program {

        public static void main(String... arguments) throws ApiException {
            boolean world = Boolean.parseBoolean(arguments[0]);
            try (ApiServer server = ApiServer.builder().world(world).start()) {
                V1PodSpec spec = new V1PodSpec()
                        .addContainersItem(new V1Container().name("c").image("i"));
                CoreV1Api api = new CoreV1Api(server.client());
                api.createNamespacedPod(
                                "default",
                                new V1Pod()
                                        .metadata(new V1ObjectMeta().name("a"))
                                        .spec(spec))
                        .execute();
                api.deleteNamespacedPod("a", "default").execute();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void loadsTheWorldOnlyWhereThereIsOne(boolean world, @TempDir Path directory) {
        String output = Command.run(
                directory,
                Map.of(),
                "",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load",
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName(),
                Boolean.toString(world));
        assertThat(output).contains(" " + ApiServer.class.getName() + " ");
        List<String> loaded = output.lines()
                .filter(line -> line.contains(" " + ApiServer.class.getPackageName() + ".world."))
                .toList();
        assertThat(loaded.isEmpty()).as("%s", loaded).isEqualTo(!world);
    }
}
