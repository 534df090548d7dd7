package io.controllermanager.spring.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.Yaml;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the console says where a controller cannot work, the API server is away, or the Lease is not to be had. */
@ExtendWith(OutputCaptureExtension.class)
class HostConsoleTests {

    private static final ResourceType<V1ConfigMap> WEBSITE =
            ResourceType.namespaced(V1ConfigMap.class, "example.com", "v1", "Website", "websites");

    private ConsoleTrial trial;

    @BeforeEach
    void begin(CapturedOutput output, @TempDir Path directory) {
        trial = new ConsoleTrial(output, directory);
    }

    @AfterEach
    void end() {
        trial.close();
    }

    @Test
    void aCrdThatIsMissing() {
        trial.start(List.of(website()));
        trial.awaitLine("waits");

        trial.judge(
                ConsoleTrial.QUIET,
                "Controller website: waits: the API server does not serve websites.example.com/v1; is its CRD installed?");
    }

    @Test
    void aCrdThatIsDeleted() throws Exception {
        ResourceClient<V1CustomResourceDefinition> definitions =
                new ResourceClient<>(trial.server.client(), ResourceTypes.CUSTOM_RESOURCE_DEFINITION);
        V1CustomResourceDefinition definition = definitions.create(definition());
        await("its type is served").until(() -> isServed());
        trial.start(List.of(website()));
        trial.awaitLine("workers started");
        assertThat(definitions.delete(null, "websites.example.com")).isTrue();
        trial.awaitLine("is its CRD installed?");
        definition.setMetadata(new V1ObjectMeta().name("websites.example.com"));
        definition.setStatus(null);
        V1CustomResourceDefinition ignored = definitions.create(definition);
        trial.awaitLine("lists and watches again");

        trial.judge(
                ConsoleTrial.QUIET + 2,
                "Informer of websites.example.com: waits, since the API server does not serve the type; is its CRD installed?",
                "Informer of websites.example.com: lists and watches again");
    }

    @Test
    void aRightToListThatIsMissing() {
        trial.server.faults().when(RequestMatcher.list("configmaps")).respond(403);
        trial.reconcile(name -> {}, "cache-sync-timeout=1s");
        trial.awaitLine("caches are not synced");

        trial.judge(
                ConsoleTrial.QUIET + 2,
                "Informer of configmaps: missing permission to list configmaps in all namespaces: ",
                "Controller shop: caches are not synced after 1 s: missing permission to list configmaps in all namespaces");
    }

    @Test
    void aRightToWatchThatIsMissing() {
        trial.server.faults().when(RequestMatcher.watch("configmaps")).respond(403);
        trial.reconcile(name -> {});
        trial.awaitLine("missing permission");

        trial.judge(
                ConsoleTrial.QUIET + 1,
                "Informer of configmaps: missing permission to watch configmaps in all namespaces, so that it is listed again");
    }

    @Test
    void anObjectThatDoesNotFitItsClass() throws ApiException {
        trial.server.faults().when(RequestMatcher.watch("configmaps")).replaceEvents((before, event) -> {
            String text = new String(event, StandardCharsets.UTF_8);
            return List.of(text.replace("{\"colour\":\"red\"}", "\"red\"").getBytes(StandardCharsets.UTF_8));
        });
        trial.reconcile(name -> {});
        trial.awaitLine("workers started");
        trial.create("a");
        trial.awaitLine("does not fit");

        trial.judge(
                ConsoleTrial.QUIET + 1, "Informer of configmaps: default/a does not fit its class and is left out: ");
    }

    @Test
    void aControllerThatCannotBeMade() {
        trial.start(List.of(broken(ControllerOptions.DEFAULTS)));
        trial.awaitLine("Controller broken failed");

        trial.judge(
                ConsoleTrial.QUIET + 1 + ConsoleTrial.STACK,
                "Controller broken failed, and the others run without it: could not be started: "
                        + "java.lang.IllegalStateException: no licence");
    }

    @Test
    void anEssentialControllerThatCannotBeMade() {
        trial.start(List.of(broken(ControllerOptions.DEFAULTS.withEssential(true))));
        await("the process is ended").until(() -> trial.exits.get() == 1);

        trial.judge(
                ConsoleTrial.QUIET + 1,
                "Controller broken is essential and failed, so the process ends: could not be started: "
                        + "java.lang.IllegalStateException: no licence");
    }

    @Test
    void anApiServerThatGoesAwayAndComesBack() throws ApiException {
        trial.create("a");
        trial.reconcile(name -> {});
        trial.awaitAttempts(1);
        int port = trial.server.url().getPort();
        trial.server.close();
        trial.awaitLine("cannot be reached");
        // The new one begins with empty storage.
        trial.besides = "etcd was put back to an older state: .+";
        try (ApiServer again = ApiServer.builder().port(port).start()) {
            trial.awaitLine("reachable again");

            trial.judge(
                    2 * ConsoleTrial.QUIET,
                    "API server " + again.url() + " cannot be reached: ",
                    "API server " + again.url() + " reachable again after ");
        }
    }

    @Test
    void aRightToTheLeaseThatIsMissing() {
        trial.server.faults().when(RequestMatcher.any().resource("leases")).respond(403);
        trial.reconcile(name -> {});
        trial.awaitLine("Leader election");

        trial.judge(
                ConsoleTrial.QUIET + 2,
                "Leader election: missing permission: get leases.coordination.k8s.io \"the-lease\" in namespace \"default\": ");
    }

    @Test
    void aRightToWatchTheLeaseThatIsMissing() {
        trial.server.faults().when(RequestMatcher.watch("leases")).respond(403);
        trial.reconcile(name -> {});
        trial.awaitLine("became leader");
        trial.awaitLine("missing permission");

        trial.judge(
                ConsoleTrial.QUIET + 1,
                "missing permission: watch leases.coordination.k8s.io \"the-lease\" in namespace \"default\"; ");
    }

    @Test
    void aLeaseThatAnotherHas() throws ApiException {
        leases().create(new V1Lease()
                .metadata(new V1ObjectMeta().namespace("default").name(ConsoleTrial.LEASE))
                .spec(new V1LeaseSpec()
                        .holderIdentity("another")
                        .leaseDurationSeconds(60)
                        .acquireTime(OffsetDateTime.now())
                        .renewTime(OffsetDateTime.now())));
        trial.reconcile(name -> {});
        trial.awaitLine("held by");

        trial.judge(ConsoleTrial.QUIET, "Lease default/the-lease: held by another; standing by");
    }

    @Test
    void aLeaseThatIsLost() throws ApiException {
        trial.reconcile(name -> {});
        trial.awaitLine("workers started");
        V1Lease ignored = leases().patch(
                        "default", ConsoleTrial.LEASE, new Patch.Merge("{\"spec\":{\"holderIdentity\":\"another\"}}"));
        trial.awaitLine("workers stopped");

        trial.judge(
                ConsoleTrial.QUIET + 3,
                "Lease default/the-lease: leadership lost, held by another; standing by",
                "Controller shop: workers stopped, since leadership was lost");
    }

    @Test
    void aReconcileThatDoesNotEndWhenTheApplicationIsStopped() throws ApiException {
        CountDownLatch release = new CountDownLatch(1);
        trial.create("a");
        trial.reconcile(
                name -> {
                    while (release.getCount() > 0) {
                        try {
                            release.await();
                        } catch (InterruptedException e) {
                            // That is the point.
                        }
                    }
                },
                "shutdown-timeout=1s");
        trial.awaitAttempts(1);
        try {
            trial.judge(
                    ConsoleTrial.QUIET + 2,
                    "Controller shop: some reconciles have not ended by the shutdown timeout of ",
                    "Lease default/the-lease: not released, since not all work has ended; ");
        } finally {
            release.countDown();
        }
    }

    private ControllerDescriptor website() {
        return ControllerDescriptor.named("website")
                .forType(WEBSITE)
                .reconciler(request -> new Result(false))
                .build();
    }

    private static ControllerDescriptor broken(ControllerOptions options) {
        return ControllerDescriptor.named("broken")
                .forType(ResourceTypes.CONFIG_MAP)
                .reconcilerFactory(context -> {
                    throw new IllegalStateException("no licence");
                })
                .options(options)
                .build();
    }

    private boolean isServed() {
        try {
            return new ResourceClient<>(trial.server.client(), WEBSITE)
                    .list("default")
                    .isEmpty();
        } catch (ApiException notYet) {
            return false;
        }
    }

    private static V1CustomResourceDefinition definition() {
        return Yaml.loadAs("""
                        apiVersion: apiextensions.k8s.io/v1
                        kind: CustomResourceDefinition
                        metadata:
                          name: websites.example.com
                        spec:
                          group: example.com
                          scope: Namespaced
                          names:
                            kind: Website
                            plural: websites
                          versions:
                          - name: v1
                            served: true
                            storage: true
                            schema:
                              openAPIV3Schema:
                                type: object
                                x-kubernetes-preserve-unknown-fields: true
                        """, V1CustomResourceDefinition.class);
    }

    private ResourceClient<V1Lease> leases() {
        return new ResourceClient<>(trial.server.client(), ResourceTypes.LEASE);
    }
}
