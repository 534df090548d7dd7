package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.apiserver.json.Manifests;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.kubernetes.client.openapi.apis.ApiextensionsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.CustomObjectsApi;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is installed from files, in tests and demos. */
@EmbeddedApiServer
class ManifestsTest {

    private static final String CRD = """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata:
              creationTimestamp: null
              name: things.example.com
            spec:
              group: example.com
              scope: Namespaced
              names: {plural: things, kind: Thing}
              versions:
              - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
            """;

    private static final String THING = """
            apiVersion: example.com/v1
            kind: Thing
            metadata:
              name: a
              namespace: made
            """;

    private static final String NAMESPACE_AND_CONFIG_MAP = """
            # nothing
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: c}
            ---
            apiVersion: v1
            kind: Namespace
            metadata: {name: made}
            ---
            """;

    @TempDir
    private Path directory;

    private Path write(String name, String content) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    @Test
    void areServedWhateverTheirOrder(ApiServer server) throws Exception {
        write("a/thing.yaml", THING);
        write("b/crd.yaml", CRD);
        write("b/kustomization.yaml", "resources: [crd.yaml]");
        write("both.yaml", NAMESPACE_AND_CONFIG_MAP);

        server.apply(directory + "/**.yaml");

        assertThat(new CustomObjectsApi(server.client())
                        .getNamespacedCustomObject("example.com", "v1", "made", "things", "a")
                        .execute())
                .isNotNull();
        assertThat(new CoreV1Api(server.client())
                        .readNamespacedConfigMap("c", "default")
                        .execute())
                .isNotNull();
    }

    @Test
    void areAppliedAgainAsTheyAre(ApiServer server) throws Exception {
        String crd = write("crd.yaml", CRD).toString();
        server.apply(crd);
        String before = version(server);
        server.apply(crd);
        assertThat(version(server)).isEqualTo(before);
    }

    private static String version(ApiServer server) throws Exception {
        return new ApiextensionsV1Api(server.client())
                .readCustomResourceDefinition("things.example.com")
                .execute()
                .getMetadata()
                .getResourceVersion();
    }

    @Test
    void areThereFromTheStart() throws Exception {
        try (ApiServer server =
                ApiServer.builder().manifests(write("crd.yaml", CRD).toString()).start()) {
            assertThat(version(server)).isNotEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "classpath:crds/a.yaml, 1",
        "classpath:crds/*.yaml, 2",
        "classpath:crds/**.yaml, 3",
        "classpath:**/c.yaml, 1"
    })
    void areReadFromTheClassPath(String location, int documents) throws IOException {
        write("classes/crds/a.yaml", THING);
        Path jar = directory.resolve("some.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(file)) {
            for (String entry : List.of("crds/", "crds/b.yaml", "crds/under/", "crds/under/c.yaml")) {
                entries.putNextEntry(new JarEntry(entry));
                entries.write((entry.endsWith("/") ? "" : THING).getBytes(StandardCharsets.UTF_8));
            }
        }
        Path folder = write("classes/under/c.yaml", THING).getParent().getParent();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {folder.toUri().toURL(), jar.toUri().toURL()}, null)) {
            Thread.currentThread().setContextClassLoader(loader);
            assertThat(Manifests.read(List.of(location))).hasSize(documents);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @Test
    void thatAreWrongAreNamed(ApiServer server) throws IOException {
        assertThatThrownBy(() -> server.apply("crds/*.yaml"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "no manifest at crds/*.yaml, seen from %s", Path.of("").toAbsolutePath());
        assertThatThrownBy(() -> server.apply("classpath:crds/foos.yaml"))
                .hasMessage("no manifest at classpath:crds/foos.yaml");
        Path broken = write("broken.yaml", "a: [");
        assertThatThrownBy(() -> server.apply(broken.toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(broken + " cannot be read as YAML: ");
        Path list = write("list.yaml", "- a");
        assertThatThrownBy(() -> server.apply(list.toString()))
                .hasMessage("%s holds something that is no object: [\"a\"]", list);
        Path unknown = write("unknown.yaml", THING);
        assertThatThrownBy(() -> server.apply(unknown.toString()))
                .hasMessage("%s: the embedded API server serves no Thing of example.com/v1", unknown);
        Path refused = write("refused.yaml", CRD.replace("scope: Namespaced", "scope: Everywhere"));
        assertThatThrownBy(() -> server.apply(refused.toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(refused + ": CustomResourceDefinition.apiextensions.k8s.io "
                        + "\"things.example.com\" is invalid: spec.scope: ");
    }
}
