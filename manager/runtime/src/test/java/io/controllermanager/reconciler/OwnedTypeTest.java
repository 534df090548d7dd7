package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnedTypeTest {

    @ParameterizedTest
    @CsvSource({
        "'', true",
        "apps, true",
        "batch, true",
        "policy, true",
        "networking.k8s.io, true",
        "rbac.authorization.k8s.io, true",
        "flowcontrol.apiserver.k8s.io, true",
        "storage.k8s.io, true",
        "gateway.networking.k8s.io, false",
        "snapshot.storage.k8s.io, false",
        "autoscaling.k8s.io, false",
        "cluster.x-k8s.io, false",
        "example.com, false",
    })
    void isBuiltInByItsGroup(String group, boolean builtIn) {
        List<Class<? extends KubernetesObject>> classes = List.of(DynamicKubernetesObject.class, V1NetworkPolicy.class);
        for (Class<? extends KubernetesObject> type : classes) {
            assertThat(OwnedType.isBuiltIn(ResourceType.namespaced(type, group, "v1", "Foo", "foos")))
                    .as(type.getName())
                    .isEqualTo(builtIn);
        }
    }
}
