package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.process.HttpAnswer;
import io.controllermanager.testing.controlplane.Ports;
import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;

/**
 * An application out of the archetype that its author has changed: it owns a claim, a Job and a StatefulSet, and waits for each.
 * Its sources are in {@code src/test/operator}.
 */
@Tag("deep")
class WorkloadsOperatorIT {

    private static final String PORT = ".port(18080)";

    @TempDir
    Path directory;

    @Test
    void isTestedAndBecomesReadyByItself() throws Exception {
        Path project = directory.resolve("database-operator");
        try (BuiltArtifacts artifacts = new BuiltArtifacts(directory.resolve("repository"))) {
            artifacts.maven(directory, artifacts.archetype("database-operator", "-Dkind=Database"));
            FileSystemUtils.copyRecursively(Path.of("src/test/operator"), project);
            artifacts.maven(
                    project,
                    "process-classes",
                    "controller-manager:generate",
                    "-Dcontroller-manager.allow-breaking-changes=true",
                    artifacts.versionOption());
            artifacts.maven(project, "verify", artifacts.versionOption());
            assertThat(project.resolve("target/surefire-reports/TEST-com.example.app.DatabaseOperatorTests.xml"))
                    .content()
                    .contains("becomesReady", "saysWhatItWaitsFor", "growsAndShrinks");

            int port = usePort(project.resolve("src/test/java/com/example/app/TestDatabaseOperator.java"));
            Process testRun = artifacts.start(
                    project,
                    "spring-boot:test-run",
                    "-Dspring-boot.run.arguments=--server.port=0",
                    artifacts.versionOption());
            try {
                awaitReady(port);
            } finally {
                testRun.descendants().forEach(ProcessHandle::destroy);
                testRun.destroy();
                Waiting.on(testRun);
            }
        }
    }

    /** The one of the archetype may be taken. */
    private static int usePort(Path file) throws IOException {
        assertThat(file).content().contains(PORT);
        int port = Ports.free();
        Files.writeString(file, Files.readString(file).replace(PORT, ".port(" + port + ")"));
        return port;
    }

    private static void awaitReady(int port) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + port + "/apis/example.com/v1/namespaces/default/databases/orders"))
                .build();
        await("the sample is ready")
                .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                .untilAsserted(() -> assertThat(HttpAnswer.to(request).body()).contains("\"reason\":\"Serving\""));
    }
}
