package com.example.labels;

import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
@EmbeddedApiServer
class LabelsApplicationTests {

    @Test
    void labelsAConfigMap(ApiServer server) throws Exception {
        CoreV1Api api = new CoreV1Api(server.client());
        api.createNamespacedConfigMap("default", new V1ConfigMap().metadata(new V1ObjectMeta().name("a")))
                .execute();

        await().until(() -> Map.of("seen", "true")
                .equals(api.readNamespacedConfigMap("a", "default")
                        .execute()
                        .getMetadata()
                        .getLabels()));
    }
}
