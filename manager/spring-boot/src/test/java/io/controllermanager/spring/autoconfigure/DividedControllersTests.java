package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.controller.ControllerDescriptor;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** By which Leases the host's controllers work where some are divided, and that each of them may write. */
@ExtendWith(OutputCaptureExtension.class)
@ResourceLock(Resources.SYSTEM_OUT)
class DividedControllersTests {

    private static final int OBJECTS = 12;

    /** What each controller has written. */
    private final Set<String> written = ConcurrentHashMap.newKeySet();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    EmbeddedApiServerAutoConfiguration.class, ControllerManagerAutoConfiguration.class))
            .withBean(ApiServer.class, ApiServer::start)
            .withBean("split", ControllerDescriptor.class, () -> marking("split", ResourceTypes.CONFIG_MAP))
            .withBean("plain", ControllerDescriptor.class, () -> marking("plain", ResourceTypes.SECRET))
            .withPropertyValues(
                    "controller-manager.leader-election.resource-name=cm",
                    "controller-manager.leader-election.resource-namespace=default",
                    "controller-manager.controller.split.shards=2",
                    "controller-manager.controller.split.shard-by=name");

    @Test
    void withOneLeaseThatIsTheAnchorOfTheDividedOne() {
        runner.run(context -> {
            assertEachWorks(context);
            assertThat(leases(context))
                    .isEqualTo(Map.of(
                            "cm", "split=2/name",
                            "cm-split-0-of-2", "split=2/name",
                            "cm-split-1-of-2", "split=2/name"));
            ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
            assertThat(host.leadership().lease()).isEqualTo("default/cm");
            assertThat(host.divided()).containsOnlyKeys("split");
        });
    }

    @Test
    void withALeaseForEachThatIsTheAnchorOfTheDividedOne() {
        runner.withPropertyValues("controller-manager.leader-election.lease-per-controller=true")
                .run(context -> {
                    assertEachWorks(context);
                    assertThat(leases(context))
                            .isEqualTo(Map.of(
                                    "cm", "*=own,split=2/name",
                                    "cm-plain", "",
                                    "cm-split-0-of-2", "split=2/name",
                                    "cm-split-1-of-2", "split=2/name"));
                    ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
                    assertThat(host.leaderships()).containsOnlyKeys("plain", "split");
                    assertThat(host.divided()).containsOnlyKeys("split");
                });
    }

    @Test
    void withALeaseForEachAndAllDivided() {
        runner.withPropertyValues(
                        "controller-manager.leader-election.lease-per-controller=true",
                        "controller-manager.controller.plain.shards=3",
                        "controller-manager.controller.plain.shard-by=name")
                .run(context -> {
                    assertEachWorks(context);
                    assertThat(leases(context))
                            .isEqualTo(Map.of(
                                    "cm", "*=own,plain=3/name,split=2/name",
                                    "cm-plain-0-of-3", "plain=3/name",
                                    "cm-plain-1-of-3", "plain=3/name",
                                    "cm-plain-2-of-3", "plain=3/name",
                                    "cm-split-0-of-2", "split=2/name",
                                    "cm-split-1-of-2", "split=2/name"));
                    assertThat(context.getBean(ControllerManagerHost.class).divided())
                            .containsOnlyKeys("plain", "split");
                });
    }

    @Test
    void withoutElectionAllIsWorkedOnAndItIsSaidThatNothingIsDivided(CapturedOutput output) {
        runner.withPropertyValues("controller-manager.leader-election.enabled=false")
                .run(context -> {
                    assertEachWorks(context);
                    assertThat(leases(context)).isEmpty();
                    assertThat(context.getBean(ControllerManagerHost.class).divided())
                            .isEmpty();
                    assertThat(output.getAll().lines())
                            .filteredOn(line -> line.contains("has no effect without leader election"))
                            .singleElement()
                            .asString()
                            .contains(
                                    "WARN",
                                    "Controller split: shards=2 has no effect without leader election; every replica"
                                            + " works on all its keys");
                });
    }

    /** Each controller writes for each of its objects, and so does who shares the application's client. */
    private void assertEachWorks(AssertableApplicationContext context) throws ApiException {
        assertThat(context).hasNotFailed();
        ApiServer server = context.getBean(ApiServer.class);
        String namespace = server.createNamespace("divided");
        Set<String> expected = new HashSet<>();
        for (int i = 0; i < OBJECTS; i++) {
            V1ObjectMeta metadata = new V1ObjectMeta().namespace(namespace).name("in-" + i);
            new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP)
                    .create(new V1ConfigMap().metadata(metadata));
            new ResourceClient<>(server.client(), ResourceTypes.SECRET).create(new V1Secret().metadata(metadata));
            expected.add("split " + namespace + "/in-" + i);
            expected.add("plain " + namespace + "/in-" + i);
        }
        await().untilAsserted(() -> assertThat(written).containsAll(expected));
        new ResourceClient<>(context.getBean(ApiConnection.class).apiClient(), ResourceTypes.CONFIG_MAP)
                .create(new V1ConfigMap()
                        .metadata(new V1ObjectMeta().namespace(namespace).name("shared")));
    }

    /** What each Lease says about shards, an empty string for nothing. */
    private static Map<String, String> leases(AssertableApplicationContext context) throws ApiException {
        Map<String, String> leases = new TreeMap<>();
        for (V1Lease lease : new CoordinationV1Api(
                        context.getBean(ApiServer.class).client())
                .listNamespacedLease("default")
                .execute()
                .getItems()) {
            V1ObjectMeta metadata = Objects.requireNonNull(lease.getMetadata());
            Map<String, String> annotations = Objects.requireNonNullElse(metadata.getAnnotations(), Map.of());
            leases.put(
                    Objects.requireNonNull(metadata.getName()),
                    annotations.getOrDefault("controller-manager.io/shards", ""));
        }
        return leases;
    }

    /** A controller that makes a ConfigMap for each object that a test has put there. */
    private ControllerDescriptor marking(String name, ResourceType<? extends KubernetesObject> type) {
        return ControllerDescriptor.named(name)
                .forType(type)
                .reconcilerFactory(context -> request -> {
                    if (request.getName().startsWith("in-")) {
                        V1ObjectMeta metadata = new V1ObjectMeta()
                                .namespace(request.getNamespace())
                                .name("out-" + name + "-" + request.getName());
                        try {
                            new ResourceClient<>(context.apiClient(), ResourceTypes.CONFIG_MAP)
                                    .create(new V1ConfigMap().metadata(metadata));
                            written.add(name + " " + request.getNamespace() + "/" + request.getName());
                        } catch (ApiException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                    return new Result(false);
                })
                .build();
    }
}
