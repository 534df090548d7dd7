package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.manager.internal.ControllerState;
import io.controllermanager.manager.internal.ControllerStatus;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Controllers of the namespaces a and b, for an account that may not read all there is in b. */
class MissingRightsTests {

    private static final String USER = "jane";
    private static final String NOT_B =
            "missing permission to list configmaps in namespace b: list configmaps in b: HTTP"
                    + " 403 Forbidden: configmaps is forbidden: User \"jane\" cannot list resource \"configmaps\"";

    private final ApiServer server = ApiServer.builder().authorization(true).start();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    @TempDir
    Path folder;

    @BeforeEach
    void make() throws Exception {
        for (String namespace : List.of("a", "b")) {
            new CoreV1Api(server.client())
                    .createNamespace(new V1Namespace().metadata(new V1ObjectMeta().name(namespace)))
                    .execute();
            create(namespace, "x");
        }
        grant("a", "configmaps", "secrets");
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void create(String namespace, String name) throws ApiException {
        new CoreV1Api(server.client())
                .createNamespacedConfigMap(namespace, new V1ConfigMap().metadata(new V1ObjectMeta().name(name)))
                .execute();
    }

    private void grant(String namespace, String... resources) throws ApiException {
        RbacAuthorizationV1Api rbac = new RbacAuthorizationV1Api(server.client());
        String name = String.join("-", resources);
        rbac.createNamespacedRole(
                        namespace,
                        new V1Role()
                                .metadata(new V1ObjectMeta().name(name))
                                .addRulesItem(new V1PolicyRule()
                                        .addApiGroupsItem("")
                                        .resources(Arrays.asList(resources))
                                        .verbs(List.of("list", "watch"))))
                .execute();
        rbac.createNamespacedRoleBinding(
                        namespace,
                        new V1RoleBinding()
                                .metadata(new V1ObjectMeta().name(name))
                                .roleRef(new V1RoleRef()
                                        .apiGroup("rbac.authorization.k8s.io")
                                        .kind("Role")
                                        .name(name))
                                .addSubjectsItem(new RbacV1Subject()
                                        .apiGroup("rbac.authorization.k8s.io")
                                        .kind("User")
                                        .name(USER)))
                .execute();
    }

    private ApplicationContextRunner runner(ControllerDescriptor... controllers) throws Exception {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfigFor(USER));
        ApplicationContextRunner runner = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(ControllerManagerAutoConfiguration.class))
                .withBean(KubernetesConnectionDetails.class, () -> () -> kubeconfig)
                .withPropertyValues(
                        "controller-manager.leader-election.enabled=false", "controller-manager.namespaces=a,b");
        for (ControllerDescriptor controller : controllers) {
            runner = runner.withBean(controller.name(), ControllerDescriptor.class, () -> controller);
        }
        return runner;
    }

    private ControllerDescriptor.Builder named(String name) {
        return ControllerDescriptor.named(name)
                .forType(ResourceTypes.CONFIG_MAP)
                .reconciler(seenBy(name));
    }

    private Reconciler seenBy(String name) {
        return request -> {
            seen.add(name + " " + request.getNamespace() + "/" + request.getName());
            return new Result(false);
        };
    }

    private static ControllerStatus controller(ControllerManagerHost host, String name) {
        return host.controllers().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static ControllerState state(ControllerManagerHost host, String name) {
        return controller(host, name).state();
    }

    /** Whoever reads more than a namespace at a time waits. */
    private ControllerDescriptor watchesAcross() {
        return named("across")
                .watches(
                        ResourceTypes.CONFIG_MAP,
                        map -> Set.of(new Request("a", map.getMetadata().getName())))
                .build();
    }

    private ControllerDescriptor hasAnIndexAcross() {
        return named("indexed")
                .reconcilerFactory(context -> {
                    context.informer(ResourceTypes.CONFIG_MAP)
                            .addIndexers(Map.of(
                                    "by-name", map -> List.of(map.getMetadata().getName())));
                    return seenBy("indexed");
                })
                .build();
    }

    private ControllerDescriptor readsBesides() {
        return named("besides")
                .reconcilerFactory(context -> {
                    context.informer(ResourceTypes.SECRET);
                    return seenBy("besides");
                })
                .build();
    }

    @Test
    void servesTheNamespacesThatMayBeReadAndTheOthersOnceTheyMayBe() throws Exception {
        runner(named("within").build(), watchesAcross()).run(context -> {
            ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
            await("a is served").until(() -> seen.contains("within a/x"));
            await("what is missing is said")
                    .untilAsserted(() -> assertThat(host.readiness().reasons())
                            .satisfiesExactly(
                                    within -> assertThat(within).startsWith("controller within: " + NOT_B),
                                    across -> assertThat(across)
                                            .startsWith("controller across: caches are not synced: " + NOT_B)));
            assertThat(state(host, "within")).isEqualTo(ControllerState.RUNNING);
            assertThat(controller(host, "within").detail()).startsWith(NOT_B);
            assertThat(state(host, "across")).isEqualTo(ControllerState.WAITING_FOR_CACHES);
            assertThat(controller(host, "across").detail()).startsWith("caches are not synced: " + NOT_B);
            assertThatIllegalStateException()
                    .isThrownBy(() -> host.operations().reconcileNow("within", new Request("b", "x")))
                    .withMessageStartingWith("controller \"within\" does not work in namespace \"b\" until it may"
                            + " read what is there: " + NOT_B);
            assertThatExceptionOfType(NoSuchElementException.class)
                    .isThrownBy(() -> host.operations().reconcileNow("within", new Request("c", "x")))
                    .withMessage("controller \"within\" does not watch namespace \"c\", only [a, b]: see"
                            + " controller-manager.namespaces");
            create("a", "later");
            await("changes are served").until(() -> seen.contains("within a/later"));

            grant("b", "configmaps", "secrets");

            await("b is served").until(() -> seen.contains("within b/x"));
            await("all is well")
                    .untilAsserted(() -> assertThat(host.readiness().reasons()).isEmpty());
            await("both run").until(() -> seen.contains("across b/x"));
            assertThat(controller(host, "within").detail()).isNull();
        });
    }

    @Test
    void waitsWithAnIndexOrAnInformerThatMaySpanNamespaces() throws Exception {
        runner(named("within").owns(ResourceTypes.SECRET).build(), readsBesides())
                .run(context -> {
                    await("a is served").until(() -> seen.contains("within a/x"));
                    await("the other one waits")
                            .until(() -> state(context.getBean(ControllerManagerHost.class), "besides")
                                    == ControllerState.WAITING_FOR_CACHES);
                });
        runner(hasAnIndexAcross()).run(context -> {
            ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
            await("a may be read").until(() -> host.informers().stream().anyMatch(one -> one.objects() > 0));
            await("b may not be")
                    .untilAsserted(() -> assertThat(host.readiness().reasons())
                            .singleElement()
                            .asString()
                            .startsWith("controller indexed: caches are not synced: " + NOT_B));
            assertThat(state(host, "indexed")).isEqualTo(ControllerState.WAITING_FOR_CACHES);
        });
        assertThat(seen).noneMatch(key -> key.startsWith("indexed") || key.startsWith("besides"));
    }

    @Test
    void servesNoNamespaceOfWhichItMayReadAPartOnly() throws Exception {
        grant("b", "configmaps");
        runner(named("owner").owns(ResourceTypes.SECRET).build(), named("alone").build())
                .run(context -> {
                    ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
                    await("a is served").until(() -> seen.contains("owner a/x"));
                    await("whoever needs no more is served in b").until(() -> seen.contains("alone b/x"));
                    create("b", "later");
                    create("a", "later");
                    await("changes are served")
                            .until(() -> seen.contains("owner a/later") && seen.contains("alone b/later"));
                    assertThat(seen).noneMatch(key -> key.startsWith("owner b/"));
                    assertThat(host.readiness().reasons())
                            .singleElement()
                            .asString()
                            .startsWith("controller owner: missing permission to list secrets in namespace b");

                    grant("b", "secrets");

                    await("b is served").until(() -> seen.contains("owner b/x") && seen.contains("owner b/later"));
                    await("all is well").until(() -> host.readiness().healthy());
                });
    }

    @Test
    void isReadyWithoutRightsWhereAPropertySaysSo() throws Exception {
        runner(named("within").build(), watchesAcross())
                .withPropertyValues(
                        "controller-manager.informers.ready-without-rights=true",
                        "controller-manager.informers.disconnect-timeout=1ms")
                .run(context -> {
                    ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
                    await("a is served").until(() -> seen.contains("within a/x"));
                    await("it is a warning")
                            .untilAsserted(() -> assertThat(host.readiness().warnings())
                                    .satisfiesExactly(
                                            within -> assertThat(within).startsWith("controller within: " + NOT_B),
                                            across -> assertThat(across).startsWith("controller across: " + NOT_B)));
                    await("it is ready").until(() -> host.readiness().healthy());
                });
    }
}
