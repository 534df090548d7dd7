package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BinariesTest {

    private static final List<String> TOOLS = List.of(
            "awk", "cat", "cut", "dirname", "find", "flock", "mkdir", "sh", "sha256sum", "shasum", "sort", "uname");

    @TempDir
    private Path directory;

    @Test
    void saysInOneSentenceWhatToInstall() throws IOException {
        Binaries binaries = Binaries.locate(withoutGo());

        assertThatExceptionOfType(ControlPlaneException.class)
                .isThrownBy(() -> binaries.program("etcd"))
                .withMessage(
                        "The test control plane needs Go 1.26 or later on PATH (https://go.dev/dl) to build etcd and"
                                + " kube-apiserver, or KUBEBUILDER_ASSETS set to a directory that holds them.");
    }

    @Test
    void takesWhatTheAssetsHoldAndNeedsNoGoForIt() throws IOException {
        Path assets = Files.createDirectory(directory.resolve("assets"));
        Path etcd = Files.createFile(assets.resolve("etcd"));
        Map<String, String> environment = withoutGo();
        environment.put("KUBEBUILDER_ASSETS", assets.toString());
        Binaries binaries = Binaries.locate(environment);

        assertThat(binaries.program("etcd")).isEqualTo(etcd);
        assertThatExceptionOfType(ControlPlaneException.class)
                .isThrownBy(() -> binaries.program("kwok"))
                .withMessageContaining("to build kwok, which KUBEBUILDER_ASSETS (" + assets + ") does not hold");
    }

    @Test
    @Tag("control-plane")
    void hasTheManifestsOfTheSampleController() {
        Binaries binaries = Binaries.locate();

        assertThat(Stream.of("crd.yaml", "crd-status-subresource.yaml", "example-foo.yaml"))
                .allSatisfy(file -> assertThat(binaries.sampleControllerManifest(file))
                        .content()
                        .contains("samplecontroller.k8s.io"));
        assertThatExceptionOfType(ControlPlaneException.class)
                .isThrownBy(() -> binaries.sampleControllerManifest("nothing.yaml"));
    }

    /** An empty cache, and a PATH on which the script finds what it uses, but no Go. */
    private Map<String, String> withoutGo() throws IOException {
        Path programs = FakeGo.tools(directory.resolve("bin"), TOOLS);
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.put("PATH", programs.toString());
        environment.put("XDG_CACHE_HOME", directory.resolve("cache").toString());
        environment.remove("KUBEBUILDER_ASSETS");
        return environment;
    }
}
