package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.faults.Fault;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Readiness of leader and standby while the API server answers 401 to everything. */
class RefusedCredentialsTests {

    private final ApiServer server = ApiServer.start();

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        server.close();
    }

    private ApplicationContextRunner replica(String name) throws Exception {
        Path kubeconfig = Files.writeString(folder.resolve(name), server.kubeconfig());
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(ControllerManagerAutoConfiguration.class))
                .withBean(KubernetesConnectionDetails.class, () -> () -> kubeconfig)
                .withBean(
                        ControllerDescriptor.class,
                        () -> ControllerDescriptor.named("maps")
                                .forType(ResourceTypes.CONFIG_MAP)
                                .reconciler(request -> new Result(false))
                                .build());
    }

    private String refusal(String name) {
        return "the API server refuses our credentials (401 Unauthorized): kubeconfig " + folder.resolve(name)
                + ", context embedded";
    }

    @Test
    void leaderAndStandbyAreNotReadyForAsLongAsTheirCredentialsAreRefused() throws Exception {
        replica("one")
                .run(one -> replica("two").run(two -> {
                    ControllerManagerHost first = one.getBean(ControllerManagerHost.class);
                    ControllerManagerHost second = two.getBean(ControllerManagerHost.class);
                    await("both are ready and one leads")
                            .until(() -> first.readiness().healthy()
                                    && second.readiness().healthy()
                                    && first.leadership().leading()
                                            != second.leadership().leading());

                    Fault refused = server.faults().when(RequestMatcher.any()).respond(401);
                    await("the first is not ready")
                            .until(() -> first.readiness().reasons().contains(refusal("one")));
                    await("the second is not ready")
                            .until(() -> second.readiness().reasons().contains(refusal("two")));
                    assertThat(first.liveness().healthy()).isTrue();

                    refused.remove();
                    await("both are ready again")
                            .until(() -> first.readiness().healthy()
                                    && second.readiness().healthy());
                    await("one leads")
                            .until(() -> first.leadership().leading()
                                    != second.leadership().leading());
                }));
    }
}
