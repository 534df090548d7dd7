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
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Readiness of leader and standby while the API server turns everything away. */
class OverloadedApiServerTests {

    private final ApiServer server = ApiServer.start();

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        server.close();
    }

    private ApplicationContextRunner replica() throws Exception {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(ControllerManagerAutoConfiguration.class))
                .withBean(KubernetesConnectionDetails.class, () -> () -> kubeconfig)
                .withBean(
                        ControllerDescriptor.class,
                        () -> ControllerDescriptor.named("maps")
                                .forType(ResourceTypes.CONFIG_MAP)
                                .reconciler(request -> new Result(false))
                                .build())
                .withPropertyValues(
                        "controller-manager.leader-election.lease-duration=3s",
                        "controller-manager.leader-election.renew-deadline=2s",
                        "controller-manager.leader-election.retry-period=200ms");
    }

    @Test
    void leaderAndStandbySayTheSame() throws Exception {
        replica()
                .run(one -> replica().run(two -> {
                    ControllerManagerHost first = one.getBean(ControllerManagerHost.class);
                    ControllerManagerHost second = two.getBean(ControllerManagerHost.class);
                    await("both are ready and one leads")
                            .until(() -> first.readiness().healthy()
                                    && second.readiness().healthy()
                                    && first.leadership().leading()
                                            != second.leadership().leading());

                    Fault overload = server.faults().when(RequestMatcher.any()).respond(429);

                    String overloaded = "the API server is overloaded: GET /readyz answers HTTP 429";
                    await("both say why")
                            .until(() -> first.readiness().reasons().contains(overloaded)
                                    && second.readiness().reasons().contains(overloaded));
                    await("neither leads")
                            .until(() -> !first.leadership().leading()
                                    && !second.leadership().leading());
                    List<String> all = List.of(
                            overloaded,
                            "leader election: Lease default/controller-manager: the API server is overloaded: HTTP 429"
                                    + " TooManyRequests: refused on demand");
                    await("both say the same").untilAsserted(() -> {
                        // A watch may have ended meanwhile, in one of the two.
                        for (ControllerManagerHost host : List.of(first, second)) {
                            assertThat(host.readiness().reasons())
                                    .filteredOn(reason -> !reason.startsWith("the informer of"))
                                    .isEqualTo(all);
                        }
                    });

                    overload.remove();
                    await("both are ready again")
                            .until(() -> first.readiness().healthy()
                                    && second.readiness().healthy());
                }));
    }
}
