package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.util.Yaml;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** When claims go that are deleted: with the last Pod that uses them. */
@EmbeddedApiServer
class ProtectionTest {

    private static V1PersistentVolumeClaim claim() throws IOException {
        return (V1PersistentVolumeClaim) Yaml.load("""
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: c}
                spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}""");
    }

    private static V1Pod pod() throws IOException {
        return (V1Pod) Yaml.load("""
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec:
                  containers: [{name: c, image: i}]
                  volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]""");
    }

    private static int claims(CoreV1Api core) throws ApiException {
        return core.listNamespacedPersistentVolumeClaim("default")
                .execute()
                .getItems()
                .size();
    }

    @Test
    void keepsAClaimForAsLongAsAPodUsesIt(ApiServer server) throws ApiException, IOException {
        CoreV1Api core = new CoreV1Api(server.client());
        core.createNamespacedPersistentVolumeClaim("default", claim()).execute();
        core.createNamespacedPod("default", pod()).execute();
        core.deleteNamespacedPersistentVolumeClaim("c", "default").execute();
        assertThat(claims(core)).isOne();
        core.deleteNamespacedPod("p", "default").execute();
        assertThat(claims(core)).isZero();
    }

    @Test
    void letsAClaimGoThatNoPodUses(ApiServer server) throws ApiException, IOException {
        CoreV1Api core = new CoreV1Api(server.client());
        core.createNamespacedPersistentVolumeClaim("default", claim()).execute();
        core.deleteNamespacedPersistentVolumeClaim("c", "default").execute();
        assertThat(claims(core)).isZero();
    }
}
