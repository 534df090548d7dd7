package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.annotations.SerializedName;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusShapeTest {

    record Counted(int count) {}

    record Renamed(@SerializedName("conditions") List<Object> states) {}

    @CustomResource(group = "example.com", version = "v1")
    static final class None extends CustomObject<String, Void> {}

    @CustomResource(group = "example.com", version = "v1")
    static final class WithoutConditions extends CustomObject<String, Counted> {}

    @CustomResource(group = "example.com", version = "v1")
    static final class WithConditions extends CustomObject<String, Renamed> {}

    @CustomResource(group = "example.com", version = "v1")
    static final class OfAnyMap extends CustomObject<String, Map<String, Object>> {}

    @CustomResource(group = "example.com", version = "v1")
    static final class OfAnyJson extends CustomObject<String, JsonObject> {}

    enum Objects {
        NONE(None.class),
        WITHOUT_CONDITIONS(WithoutConditions.class),
        WITH_CONDITIONS(WithConditions.class),
        OF_ANY_MAP(OfAnyMap.class),
        OF_ANY_JSON(OfAnyJson.class),
        OF_ANY_TYPE(DynamicKubernetesObject.class),
        CONFIG_MAP(V1ConfigMap.class),
        DEPLOYMENT(V1Deployment.class);

        final Class<? extends KubernetesObject> objectClass;

        Objects(Class<? extends KubernetesObject> objectClass) {
            this.objectClass = objectClass;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "NONE, false, false",
        "WITHOUT_CONDITIONS, true, false",
        "WITH_CONDITIONS, true, true",
        "OF_ANY_MAP, true, true",
        "OF_ANY_JSON, true, true",
        "OF_ANY_TYPE, true, true",
        "CONFIG_MAP, false, false",
        "DEPLOYMENT, true, true"
    })
    void tellsWhatAClassHas(Objects objects, boolean status, boolean conditions) {
        assertThat(DeclaredClass.mayHaveStatus(objects.objectClass)).isEqualTo(status);
        assertThat(DeclaredClass.mayHaveConditions(objects.objectClass)).isEqualTo(conditions);
    }
}
