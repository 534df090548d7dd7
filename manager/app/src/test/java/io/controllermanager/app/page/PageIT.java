package io.controllermanager.app.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.app.process.RunningJar;
import io.controllermanager.app.support.Manifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page of the executable jar. With {@code -Dpage.screenshots=DIRECTORY} it leaves there what docs/operating.md shows, as
 * {@code page-light.png} and {@code page-dark.png}.
 */
@Tag("system")
class PageIT {

    private static final String CLASH = """
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: taken
            spec:
              selector: {matchLabels: {app: taken}}
              template:
                metadata: {labels: {app: taken}}
                spec: {containers: [{name: main, image: nginx}]}
            ---
            apiVersion: samplecontroller.k8s.io/v1alpha1
            kind: Foo
            metadata:
              name: clash
            spec:
              deploymentName: taken
              replicas: 1
            """;

    @TempDir
    Path directory;

    @Test
    void whatFailsIsShownWithItsKeyWithoutAReload() throws Exception {
        try (ApiServer server = ApiServer.builder().world(true).start()) {
            Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), server.kubeconfig());
            Manifests.applyAll(kubeconfig);
            try (RunningJar jar = RunningJar.start(
                            directory, "--kubeconfig=" + kubeconfig, "--leader-elect-resource-namespace=default");
                    Browser browser = Browser.open()) {
                jar.awaitStatus("/actuator/health/readiness", 200);
                browser.go(jar.url("/"));
                browser.awaitText("#controllers tbody:first-of-type", "Running");
                browser.awaitText("#leader-badge", "Leader");
                browser.run("window.notReloaded = true");
                assertThat(browser.text("#controllers td[data-column=last]")).isEmpty();

                Manifests.apply(server.client(), Files.writeString(directory.resolve("clash.yaml"), CLASH));

                browser.awaitText("#controllers tbody:first-of-type td[data-column=last]", "default/clash");
                browser.click("#controllers .opener");
                browser.awaitText(".detail .errors", "already exists and is not managed by Foo");
                assertThat(browser.text("#informers")).contains("foos.samplecontroller.k8s.io", "Watching");
                browser.awaitText("#versions", "Kubernetes");
                assertThat(browser.text("#versions")).contains("25.0.0", "Spring Boot");
                assertThat(browser.run("return window.notReloaded")).isEqualTo(true);
                assertThat(browser.complaints()).isEmpty();
            }
            keepScreenshots(kubeconfig);
        }
    }

    /** With two controllers more, of which one fails now and then and the other at once: there is more to see. */
    private void keepScreenshots(Path kubeconfig) throws IOException, InterruptedException {
        String wanted = System.getProperty("page.screenshots");
        if (wanted == null) {
            return;
        }
        Path images = Files.createDirectories(Path.of(wanted));
        try (RunningJar host = RunningJar.startWithMoreControllers(
                        directory,
                        "--kubeconfig=" + kubeconfig,
                        "--leader-elect-resource-namespace=default",
                        "--controllers=*,broken,moody");
                Browser browser = Browser.open()) {
            host.awaitStatus("/", 200);
            browser.locale("en-GB");
            browser.size(1440, 400);
            browser.go(host.url("/"));
            browser.awaitText("#controllers", "default/clash");
            browser.awaitText("#leader-badge", "Leader");
            browser.click("#controllers tbody:nth-of-type(2) .opener");
            browser.awaitText(".detail .errors", "already exists and is not managed by Foo");
            browser.awaitText("#versions", "Kubernetes");
            // Enough for a rate.
            browser.awaitAnswers(5);
            long height = (Long) Objects.requireNonNull(browser.run("return document.documentElement.scrollHeight"));
            browser.size(1440, (int) height);
            browser.awaitAnswers(1);
            browser.screenshot(images.resolve("page-light.png"));
            browser.dark(true);
            browser.awaitAnswers(1);
            browser.screenshot(images.resolve("page-dark.png"));
        }
    }
}
