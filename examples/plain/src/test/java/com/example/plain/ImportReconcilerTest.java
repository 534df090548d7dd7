package com.example.plain;

import static io.controllermanager.test.KubernetesAssertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.test.RunningManager;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;
import org.junit.jupiter.api.Test;

@EmbeddedApiServer(world = true)
class ImportReconcilerTest {

    @Test
    void runsAJobForAConfigMap(ApiServer server) throws ApiException {
        try (RunningManager manager =
                RunningManager.startInVirtualTime(server, TypedController.descriptor(new ImportReconciler()))) {
            V1ConfigMap settings = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP)
                    .create(new V1ConfigMap()
                            .metadata(new V1ObjectMeta().namespace("default").name("settings"))
                            .data(Map.of("key", "value")));

            manager.settles();

            V1Job job = new ResourceClient<>(server.client(), ResourceTypes.JOB).get("default", "settings");
            assertThat(job).isControlledBy(settings).hasCondition("Complete", "True");
        }
    }
}
