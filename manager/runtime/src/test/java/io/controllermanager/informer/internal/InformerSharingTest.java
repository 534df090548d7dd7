package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.clientjava.internal.ClientJavaInformerFactory;
import io.controllermanager.informer.Selection;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who asks for the same objects gets the same informer; nothing is sent. */
class InformerSharingTest {

    @ParameterizedTest
    @ValueSource(strings = {"http://localhost", "http://localhost/k8s/clusters/api", "http://localhost/apis/"})
    void clientJavasCallsShareTheInformerOfTheirType(String server) {
        VirtualTime time = new VirtualTime();
        ApiConnection connection = ApiConnection.builder(time, time)
                .apiClient(new ApiClient().setBasePath(server))
                .build();
        CoreV1Api api = new CoreV1Api(connection.apiClient());
        try (InformerFactory factory = new InformerFactory(connection, time, time, InformerOptions.DEFAULTS)) {
            for (String namespace : Set.of("default", "api", "apis")) {
                SharedIndexInformer<V1ConfigMap> asked = new ClientJavaInformerFactory(factory, connection)
                        .sharedIndexInformerFor(
                                params -> api.listNamespacedConfigMap(namespace)
                                        .resourceVersion(params.resourceVersion)
                                        .timeoutSeconds(params.timeoutSeconds)
                                        .watch(params.watch)
                                        .buildCall(null),
                                V1ConfigMap.class,
                                V1ConfigMapList.class);
                assertThat(asked)
                        .isSameAs(factory.informer(
                                Selection.of(ResourceTypes.CONFIG_MAP).inNamespaces(Set.of(namespace))));
            }
        } finally {
            connection.close();
        }
    }
}
