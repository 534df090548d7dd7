package io.controllermanager.informer;

import static org.assertj.core.api.Assertions.assertThat;

import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WrittenPathTest {

    private static @Nullable WrittenPath read(String serverPath, String path) {
        return WrittenPath.of(HttpUrl.get("https://server" + path), serverPath);
    }

    private static @Nullable WrittenPath read(String path) {
        return read("/", path);
    }

    @Test
    void readsCollectionsAndObjects() {
        assertThat(read("/api/v1/namespaces/n/pods")).isEqualTo(new WrittenPath("", "v1", "pods", "n", null, null));
        assertThat(read("/api/v1/namespaces/n/pods/p?fieldManager=x"))
                .isEqualTo(new WrittenPath("", "v1", "pods", "n", "p", null));
        assertThat(read("/apis/apps/v1/namespaces/n/deployments/d/status"))
                .isEqualTo(new WrittenPath("apps", "v1", "deployments", "n", "d", "status"));
        assertThat(read("/apis/apps/v1/deployments"))
                .isEqualTo(new WrittenPath("apps", "v1", "deployments", null, null, null));
        assertThat(read("/api/v1/nodes/node/status"))
                .isEqualTo(new WrittenPath("", "v1", "nodes", null, "node", "status"));
    }

    @Test
    void isNotMisledByNames() {
        assertThat(read("/api/v1/namespaces/apis/configmaps/api"))
                .isEqualTo(new WrittenPath("", "v1", "configmaps", "apis", "api", null));
        assertThat(read("/api/v1/namespaces/n")).isEqualTo(new WrittenPath("", "v1", "namespaces", null, "n", null));
        assertThat(read("/api/v1/namespaces/n/finalize"))
                .isEqualTo(new WrittenPath("", "v1", "namespaces", null, "n", "finalize"));
    }

    @Test
    void tellsWhatIsNotAnsweredByTheApiServerItself() {
        assertThat(read("/api/v1/namespaces/n/pods/p/proxy/api/v1")).isNotNull().matches(WrittenPath::isProxied);
        assertThat(read("/api/v1/namespaces/n/services/s/proxy")).isNotNull().matches(WrittenPath::isProxied);
        assertThat(read("/api/v1/namespaces/n/pods/proxy/status")).isNotNull().matches(path -> !path.isProxied());
        assertThat(read("/api/v1/namespaces/n/pods/proxy")).isNotNull().matches(path -> !path.isProxied());
    }

    @Test
    void readsThePathBehindAProxy() {
        assertThat(read("/api/clusters/c/", "/api/clusters/c/api/v1/nodes/a"))
                .isEqualTo(new WrittenPath("", "v1", "nodes", null, "a", null));
        assertThat(read("/k8s/", "/elsewhere/api/v1/nodes/a")).isNull();
    }

    @Test
    void leavesOtherPathsAlone() {
        assertThat(read("/healthz")).isNull();
        assertThat(read("/api/v1")).isNull();
        assertThat(read("/")).isNull();
    }
}
