package io.controllermanager.client.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResourcePathTest {

    private static @Nullable ResourcePath read(String serverPath, String path) {
        return ResourcePath.of(HttpUrl.get("https://server" + path), HttpUrl.get("https://server" + serverPath));
    }

    private static @Nullable ResourcePath read(String path) {
        return read("/", path);
    }

    @Test
    void readsCollectionsAndObjects() {
        assertThat(read("/api/v1/namespaces/n/pods")).isEqualTo(new ResourcePath("", "v1", "pods", "n", null, null));
        assertThat(read("/api/v1/namespaces/n/pods/p?fieldManager=x"))
                .isEqualTo(new ResourcePath("", "v1", "pods", "n", "p", null));
        assertThat(read("/apis/apps/v1/namespaces/n/deployments/d/status"))
                .isEqualTo(new ResourcePath("apps", "v1", "deployments", "n", "d", "status"));
        assertThat(read("/apis/apps/v1/deployments"))
                .isEqualTo(new ResourcePath("apps", "v1", "deployments", null, null, null));
        assertThat(read("/api/v1/nodes/node/status"))
                .isEqualTo(new ResourcePath("", "v1", "nodes", null, "node", "status"));
    }

    @Test
    void isNotMisledByNames() {
        assertThat(read("/api/v1/namespaces/apis/configmaps/api"))
                .isEqualTo(new ResourcePath("", "v1", "configmaps", "apis", "api", null));
        assertThat(read("/api/v1/namespaces/n")).isEqualTo(new ResourcePath("", "v1", "namespaces", null, "n", null));
        assertThat(read("/api/v1/namespaces/n/finalize"))
                .isEqualTo(new ResourcePath("", "v1", "namespaces", null, "n", "finalize"));
    }

    @Test
    void tellsWhatIsNotAnsweredByTheApiServerItself() {
        assertThat(read("/api/v1/namespaces/n/pods/p/proxy/api/v1")).isNotNull().matches(ResourcePath::isProxied);
        assertThat(read("/api/v1/namespaces/n/services/s/proxy")).isNotNull().matches(ResourcePath::isProxied);
        assertThat(read("/api/v1/namespaces/n/pods/proxy/status")).isNotNull().matches(path -> !path.isProxied());
        assertThat(read("/api/v1/namespaces/n/pods/proxy")).isNotNull().matches(path -> !path.isProxied());
    }

    @Test
    void readsThePathBehindAProxy() {
        assertThat(read("/api/clusters/c/", "/api/clusters/c/api/v1/nodes/a"))
                .isEqualTo(new ResourcePath("", "v1", "nodes", null, "a", null));
        assertThat(read("/k8s/", "/elsewhere/api/v1/nodes/a")).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "'', ''",
        "/, /",
        "/k8s/clusters/x, /k8s/clusters/x",
        "/k8s/clusters/x/, /k8s/clusters/x",
        "/k8s/clusters/x/, /k8s/clusters/x/",
        "/api, /api",
        "/apis/v1, /apis/v1",
        "/with%20space, /with%20space",
    })
    void isNotMisledByNamesWhereverTheServerIs(String server, String prefix) {
        for (String word : List.of("api", "apis", "namespaces", "status", "proxy")) {
            String core = prefix + "/api/v1/namespaces/" + word + "/configmaps";
            assertThat(read(server, core)).isEqualTo(new ResourcePath("", "v1", "configmaps", word, null, null));
            assertThat(read(server, core + "/" + word + "?watch=true"))
                    .isEqualTo(new ResourcePath("", "v1", "configmaps", word, word, null));
            assertThat(read(server, prefix + "/apis/apps/v1/namespaces/" + word + "/deployments/" + word + "/status"))
                    .isEqualTo(new ResourcePath("apps", "v1", "deployments", word, word, "status"));
        }
    }

    @Test
    void makesTheCollectionsPath() {
        ResourcePath pods = new ResourcePath("", "v1", "pods", "n", "p", "log");
        assertThat(pods.type().path(null)).isEqualTo("/api/v1/pods");
        ResourcePath deployments = new ResourcePath("apps", "v1", "deployments", null, null, null);
        assertThat(deployments.type().path("apis")).isEqualTo("/apis/apps/v1/namespaces/apis/deployments");
    }

    @Test
    void leavesOtherPathsAlone() {
        assertThat(read("/healthz")).isNull();
        assertThat(read("/api/v1")).isNull();
        assertThat(read("/")).isNull();
    }
}
