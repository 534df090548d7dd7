package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** {@code build.sh} as {@link Binaries} calls it, with a Go that compiles nothing. */
@ExtendWith(OutputCaptureExtension.class)
class BinariesBuildTest {

    @TempDir
    private Path directory;

    private FakeGo go;

    @BeforeEach
    void installGo() throws IOException {
        go = new FakeGo(directory);
    }

    @Test
    void buildsTheProgramAskedForAndNoOther() throws IOException {
        Path etcd = go.binaries().program("etcd");

        assertThat(etcd).isRegularFile().hasFileName("etcd");
        assertThat(go.builds()).containsExactly("./cmd/etcd");
        assertThat(go.cached()).containsExactly("etcd");
    }

    @Test
    void buildsHelmFromItsOwnModule() throws IOException {
        assertThat(go.binaries().program("helm")).isRegularFile();
        assertThat(go.builds()).containsExactly("helm.sh/helm/v4/cmd/helm");
    }

    @Test
    void buildsNothingTheSecondTimeAndNeedsNoGoForIt() throws IOException {
        Path first = go.binaries().program("etcd");
        go.removeGo();

        assertThat(go.binaries().program("etcd")).isEqualTo(first);
        assertThat(go.builds()).hasSize(1);
    }

    @Test
    void addsWhatIsAskedForLater() throws IOException {
        Binaries binaries = go.binaries();
        Path etcd = binaries.program("etcd");
        Path kubectl = binaries.program("kubectl");

        assertThat(go.builds()).containsExactly("./cmd/etcd", "./cmd/kubectl");
        assertThat(kubectl.getParent()).isEqualTo(etcd.getParent());
        assertThat(go.cached()).containsExactly("etcd", "kubectl");
    }

    @Test
    void buildsWhatAPlaneNeedsInOneGo() throws IOException {
        Binaries binaries = go.binaries();
        binaries.require(
                ControlPlane.builder().controllers(Controllers.HOUSEKEEPER).configuration());

        assertThat(go.builds()).containsExactly("./cmd/etcd ./cmd/kube-apiserver ./cmd/housekeeper");

        binaries.require(ControlPlane.builder()
                .controllers(Controllers.ALL)
                .scheduler(true)
                .kwokNodes(1)
                .configuration());

        assertThat(go.builds())
                .hasSize(2)
                .last()
                .isEqualTo("./cmd/kube-controller-manager ./cmd/kube-scheduler ./cmd/kwok");
        assertThat(binaries.kwokStages()).content().contains("pod-ready.yaml");
        assertThat(go.cached())
                .containsExactly(
                        "etcd",
                        "housekeeper",
                        "kube-apiserver",
                        "kube-controller-manager",
                        "kube-scheduler",
                        "kwok",
                        "kwok-stages.yaml");
    }

    @Test
    void buildsOnlyWhatTheAssetsLack() throws IOException {
        Path assets = Files.createDirectory(directory.resolve("assets"));
        Files.createFile(assets.resolve("etcd"));
        Files.createFile(assets.resolve("kube-apiserver"));
        Map<String, String> environment = go.environment();
        environment.put("KUBEBUILDER_ASSETS", assets.toString());

        Binaries.locate(environment)
                .require(ControlPlane.builder().controllers(Controllers.ALL).configuration());

        assertThat(go.builds()).containsExactly("./cmd/kube-controller-manager");
    }

    @Test
    void compilesNothingForManifests() throws IOException {
        Binaries binaries = go.binaries();

        assertThat(binaries.sampleControllerManifest("crd.yaml")).isRegularFile();
        assertThat(binaries.kwokStages()).isRegularFile();
        assertThat(go.builds()).isEmpty();
    }

    @Test
    void saysWhatItHasWhenAskedForSomethingElse() {
        Binaries binaries = go.binaries();

        assertThatExceptionOfType(ControlPlaneException.class)
                .isThrownBy(() -> binaries.program("kube-proxy"))
                .withMessageContaining("there is no kube-proxy, but: etcd kube-apiserver ");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leavesNothingOfABuildThatFails(boolean flock) throws IOException {
        if (!flock) {
            go.removeFlock();
        }
        go.fail();
        Binaries binaries = go.binaries();

        assertThatExceptionOfType(ControlPlaneException.class)
                .isThrownBy(() -> binaries.program("etcd"))
                .withMessageContaining("exit code 1")
                .withMessageContaining("does not compile");
        assertThat(go.cached()).isEmpty();

        go.recover();
        assertThat(binaries.program("etcd")).isRegularFile();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void countsNothingOfABuildThatIsCutOff(boolean flock) throws IOException {
        if (!flock) {
            go.removeFlock();
        }
        Binaries binaries = go.binaries();
        go.cutOff();

        assertThatExceptionOfType(ControlPlaneException.class).isThrownBy(() -> binaries.program("etcd"));

        go.recover();
        assertThat(binaries.program("etcd")).isRegularFile();
        assertThat(go.builds()).hasSize(2);
        assertThat(go.cached()).containsExactly("etcd");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void letsASecondCallerWaitForTheFirst(boolean flock, CapturedOutput output) throws Exception {
        if (!flock) {
            go.removeFlock();
        }
        go.hold();
        ExecutorService callers = Executors.newFixedThreadPool(2);
        try {
            Future<Path> first = callers.submit(() -> go.binaries().program("etcd"));
            await().until(() -> go.builds().size() == 1);
            Future<Path> second = callers.submit(() -> go.binaries().program("etcd"));
            await().until(() -> output.getErr().contains("waiting for a build that is already under way"));
            go.recover();

            assertThat(List.of(first.get(), second.get())).containsOnly(first.get());
            assertThat(go.builds()).hasSize(1);
            assertThat(go.cached()).containsExactly("etcd");
        } finally {
            go.recover();
            callers.shutdownNow();
        }
    }
}
