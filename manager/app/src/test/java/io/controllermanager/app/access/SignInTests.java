package io.controllermanager.app.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.page.Browser;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.util.Config;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may use the page, which shows what the endpoints say. */
@RealControlPlane
@Tag("system")
class SignInTests {

    @Test
    void thePageAsksForAToken(ControlPlane plane, FreshNamespace namespace, @TempDir Path directory) throws Exception {
        Tokens tokens =
                new Tokens(plane, Config.fromConfig(plane.kubeconfigFile().toString()), namespace.name());
        tokens.account("scraper", "get", "/actuator", "/actuator/*");
        tokens.account("nobody", "get");
        try (HostedManager manager = HostedManager.start(
                        "--controller-manager.kubeconfig=" + plane.kubeconfigFile(),
                        "--controller-manager.endpoints.authentication.enabled=true");
                Browser browser = Browser.open()) {
            browser.go("http://localhost:" + manager.port() + "/");
            browser.awaitText("#sign-in-reason", "only to those who may see it");
            browser.enterToken("made.up.token");
            browser.awaitText("#sign-in-reason", "was not accepted");
            browser.enterToken(tokens.of("nobody"));
            browser.awaitText("#refused", "may not get /actuator/controllers");
            browser.enterToken(tokens.of("scraper"));
            browser.awaitText("#controllers", "network");
            assertThat(browser.find("#sign-in").isDisplayed()).isFalse();
            assertThat(browser.find("#refused").isDisplayed()).isFalse();
            assertThat(browser.text("#connection")).startsWith("Updated");
        }
    }
}
