package io.controllermanager.informer.internal;

import static io.controllermanager.client.internal.connection.Connected.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.Connected;
import io.controllermanager.client.internal.connection.StorageHistory;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A copy of a real etcd's data is put back, as a backup without {@code --bump-revision}. */
@RealControlPlane(dedicated = true)
@Tag("deep")
class RestoredEtcdTest {

    private static final int WRITES = 300;

    private final ControlPlane plane;
    private final String namespace;
    private final Connected api;
    private final Connected other;
    private final InformerFactory factory;
    private final HostInformer<V1ConfigMap> informer;

    RestoredEtcdTest(ControlPlane plane) {
        this.plane = plane;
        this.namespace = plane.createNamespace("restored");
        this.api = new Connected(plane);
        this.other = new Connected(plane);
        this.factory = new InformerFactory(
                api.connection(),
                Clock.system(),
                api.timer(),
                InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)));
        this.informer = factory.informer(ResourceTypes.CONFIG_MAP);
    }

    @BeforeEach
    void start() throws Exception {
        for (String name : new String[] {"changed", "gone", "kept"}) {
            other.configMaps().create(configMap(namespace, name, "1"));
        }
        informer.subscribe("test", new EventLog<>(), Duration.ZERO);
        informer.run();
        awaitShown(Map.of("changed", "1", "gone", "1", "kept", "1"));
        await().until(() -> informer.status().connected());
    }

    @AfterEach
    void close() {
        factory.close();
        api.close();
        other.close();
    }

    private void awaitShown(Map<String, String> expected) {
        ShownConfigMaps.await(informer, expected);
    }

    /** Far from where the API server's own writes bring it by the time that anybody looks. */
    private void writeMuch() throws Exception {
        for (int i = 2; i < WRITES; i++) {
            other.configMaps().update(configMap(namespace, "changed", String.valueOf(i)));
        }
        other.configMaps().delete(namespace, "gone");
        api.configMaps().create(configMap(namespace, "ours", "1"));
        awaitShown(Map.of("changed", String.valueOf(WRITES - 1), "kept", "1", "ours", "1"));
    }

    @Test
    void theCacheIsAsTheCopyAndFollowsWhatIsWrittenSince() throws Exception {
        plane.copyEtcd("before");
        writeMuch();

        plane.restoreEtcd("before");

        awaitShown(Map.of("changed", "1", "gone", "1", "kept", "1"));
        assertThat(StorageHistory.restores(api.connection().apiClient())).isEqualTo(1);
        assertThat(informer.status().ownWrites()).isZero();
        await().ignoreExceptions().until(() -> other.configMaps().update(configMap(namespace, "kept", "2")) != null);
        awaitShown(Map.of("changed", "1", "gone", "1", "kept", "2"));
    }

    @Test
    void aRestartWithTheSameDataHasNothingReadAgain() throws Exception {
        writeMuch();
        plane.copyEtcd("now");

        plane.restoreEtcd("now");

        await().ignoreExceptions().until(() -> other.configMaps().update(configMap(namespace, "kept", "2")) != null);
        awaitShown(Map.of("changed", String.valueOf(WRITES - 1), "kept", "2", "ours", "1"));
        assertThat(StorageHistory.restores(api.connection().apiClient())).isZero();
    }
}
