package peer;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

/** A Foo, as far as the peer reads it. */
public final class Foo implements KubernetesObject {

    private String apiVersion;
    private String kind;
    private V1ObjectMeta metadata;
    private Spec spec;

    /** What is wanted. */
    public static final class Spec {

        private String deploymentName;
        private Integer replicas;
    }

    String deploymentName() {
        return spec.deploymentName;
    }

    Integer replicas() {
        return spec.replicas;
    }

    @Override
    public V1ObjectMeta getMetadata() {
        return metadata;
    }

    @Override
    public String getApiVersion() {
        return apiVersion;
    }

    @Override
    public String getKind() {
        return kind;
    }
}
