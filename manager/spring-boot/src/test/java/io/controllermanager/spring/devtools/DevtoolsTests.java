package io.controllermanager.spring.devtools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process with Spring Boot's developer tools, whose classes are compiled anew while it runs. */
class DevtoolsTests {

    private static final ResourceType<V1Lease> LEASE =
            ResourceType.namespaced(V1Lease.class, "coordination.k8s.io", "v1", "Lease", "leases");

    /** VERSION and START are replaced. The threads named are those of which a host has one. */
    private static final String SOURCE = """
            package dev;
            import io.controllermanager.client.ResourceTypes;
            import io.controllermanager.controller.ControllerDescriptor;
            import io.controllermanager.spring.application.ControllerManagerApplication;
            import io.kubernetes.client.extended.controller.reconciler.Result;
            import org.springframework.boot.autoconfigure.SpringBootApplication;
            import org.springframework.context.annotation.Bean;
            @SpringBootApplication(proxyBeanMethods = false)
            public class DevApplication {
                public static void main(String... arguments) {
                    ControllerManagerApplication.run(DevApplication.class, arguments);
                }
                @Bean
                ControllerDescriptor dev() {
                    START
                    return ControllerDescriptor.named("dev").forType(ResourceTypes.CONFIG_MAP).reconciler(request -> {
                        long hosts = Thread.getAllStackTraces().keySet().stream()
                                .filter(thread -> thread.getName().equals("controller-manager-host")).count();
                        System.out.println("VERSION has seen " + request.getName() + " with hosts: " + hosts);
                        return new Result(false);
                    }).build();
                }
            }
            """;

    @TempDir
    Path folder;

    private final ApiServer server = ApiServer.start();
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void close() {
        processes.forEach(Process::destroyForcibly);
        server.close();
    }

    @Test
    void restartsAsOftenAsAClassChangesAndGivesTheLeaseOn() throws Exception {
        compile("first", "");
        Path output = folder.resolve("output");
        Process process = start(output);
        create("a");
        awaitLine(process, output, "first has seen a with hosts: 1");

        compile("second", "");
        awaitLine(process, output, "second has seen a with hosts: 1");
        assertThat(output).content().contains("Lease default/dev: released");
        assertThat(lease().getSpec().getLeaseTransitions()).isPositive();

        // A mistake does not end the process: devtools waits for the next change.
        compile("third", "if (true) throw new IllegalStateException(\"a slip\");");
        awaitLine(process, output, "IllegalStateException: a slip");
        compile("fourth", "");
        awaitLine(process, output, "fourth has seen a with hosts: 1");
        create("b");
        awaitLine(process, output, "fourth has seen b with hosts: 1");

        // As with SpringApplication.run: 128 and the number of SIGTERM.
        process.destroy();
        assertThat(Waiting.on(process)).isEqualTo(143);
        assertThat(lease().getSpec().getHolderIdentity()).isNullOrEmpty();
    }

    private V1Lease lease() throws ApiException {
        return new ResourceClient<>(server.client(), LEASE).get("default", "dev");
    }

    private void create(String name) throws ApiException {
        new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP)
                .create(new V1ConfigMap()
                        .metadata(new V1ObjectMeta().namespace("default").name(name)));
    }

    private static void awaitLine(Process process, Path output, String text) {
        await(text).until(() -> {
            String said = Files.readString(output);
            assertThat(process.isAlive()).as("alive, having said%n%s", said).isTrue();
            return said.contains(text);
        });
    }

    /** What is half written is not seen: devtools waits until nothing has changed for its quiet period. */
    private void compile(String version, String start) throws IOException {
        Path source = Files.createDirectories(folder.resolve("source")).resolve("DevApplication.java");
        Files.writeString(source, SOURCE.replace("VERSION", version).replace("START", start));
        Path classes = Files.createDirectories(folder.resolve("classes"));
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-parameters", "-d", classes.toString(), source.toString());
        assertThat(failed).isZero();
    }

    private Process start(Path output) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dspring.devtools.restart.poll-interval=500ms",
                "-Dspring.devtools.restart.quiet-period=400ms",
                "-Dspring.devtools.livereload.enabled=false",
                "-cp",
                classPath(),
                "dev.DevApplication",
                "--kubeconfig=" + server.kubeconfigFile(),
                "--spring.application.name=dev");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        processes.add(process);
        return process;
    }

    /** The application's own classes, and all others as jars, as an application of somebody else has them. */
    private String classPath() throws IOException {
        List<String> entries = new ArrayList<>();
        entries.add(folder.resolve("classes").toString());
        entries.add(Objects.requireNonNull(System.getProperty("devtools.jar")));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(entry);
            if (!Files.isDirectory(path)) {
                entries.add(entry);
            } else if (!path.endsWith("test-classes")) {
                entries.add(jar(path, folder.resolve(entries.size() + ".jar")).toString());
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private static Path jar(Path directory, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(file);
                Stream<Path> files = Files.walk(directory)) {
            for (Path each : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                entries.putNextEntry(
                        new JarEntry(directory.relativize(each).toString().replace(File.separatorChar, '/')));
                Files.copy(each, entries);
                entries.closeEntry();
            }
        }
        return jar;
    }
}
