package io.controllermanager.spring.actuate.endpoint;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects to which nothing happens since a right is missing, and the sentence by which the endpoint says which. */
class StuckWithoutRightsTests {

    private static final String NOT_LISTED = missing("list", "refused");
    private static final String NOT_WATCHED = missing("watch", "listed");

    private final ApiServer server = ApiServer.builder().authorization(true).start();

    @TempDir
    Path directory;

    private static String missing(String verb, String namespace) {
        return ("missing permission to %1$s configmaps in namespace %2$s: %1$s configmaps in %2$s: HTTP 403 Forbidden:"
                        + " configmaps is forbidden: User \"jane\" cannot %1$s resource \"configmaps\" in API group \"\" in the"
                        + " namespace \"%2$s\"")
                .formatted(verb, namespace);
    }

    @BeforeEach
    void makeNamespaces() {
        server.apply("classpath:stuck/rights.yaml");
    }

    @AfterEach
    void close() {
        server.close();
    }

    private AskedReplica start(String user, String... properties) throws Exception {
        Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), server.kubeconfigFor(user));
        return AskedReplica.start(kubeconfig, List.of(named("shop").build(), across()), Map.of(), properties);
    }

    private static ControllerDescriptor.Builder named(String name) {
        return ControllerDescriptor.named(name)
                .forType(ResourceTypes.CONFIG_MAP)
                .reconciler(request -> new Result(false));
    }

    /** It reads more than a namespace at a time, and so waits for all. */
    private static ControllerDescriptor across() {
        return named("across")
                .watches(
                        ResourceTypes.CONFIG_MAP,
                        map -> Set.of(new Request("served", map.getMetadata().getName())))
                .build();
    }

    @Test
    void inNamespacesThatMayNotBeRead() throws Exception {
        new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP)
                .create(new V1ConfigMap()
                        .metadata(new V1ObjectMeta().namespace("listed").name("a")));
        try (AskedReplica replica =
                start("jane", "leader-election.enabled=false", "namespaces=served,listed,refused")) {
            replica.says(
                    "shop",
                    "refused",
                    "a",
                    "Controller shop does not work in namespace \"refused\" until it may read what is there: "
                            + NOT_LISTED + ".");
            replica.says(
                    "shop",
                    "elsewhere",
                    "a",
                    "Controller shop does not watch namespace \"elsewhere\", only [listed, refused, served]: see"
                            + " controller-manager.namespaces.");
            replica.saysAllOf(
                    "across",
                    "served",
                    "a",
                    "Controller across has not read all its objects yet: caches are not synced",
                    NOT_WATCHED,
                    NOT_LISTED,
                    ". If this does not end, mend what /actuator/informers shows.");
            replica.says(
                    "shop",
                    "listed",
                    "a",
                    "listed/a waits for nothing that this replica knows of. It may have missed something: "
                            + NOT_WATCHED + ". Mend that.");
        }
    }

    @Test
    void withoutTheLease() throws Exception {
        try (AskedReplica replica = start("jane", "namespaces=served", "leader-election.resource-name=cm")) {
            replica.says(
                    "shop",
                    "served",
                    "a",
                    "No replica works on controller shop yet. If this does not end, see /actuator/leaderelection.");
        }
    }

    @Test
    void withALeaseOfWhichNobodyKnowsWhetherItCounts() throws Exception {
        try (AskedReplica replica = start(
                "kim",
                "namespaces=served",
                "leader-election.resource-name=cm",
                "controller.shop.shards=2",
                "controller.shop.shard-by=name")) {
            replica.says(
                    "shop",
                    "served",
                    "a",
                    "This replica has the Lease of shard 1 of controller shop and does not work on it yet: missing"
                            + " permission: list leases.coordination.k8s.io in namespace \"default\": ApiException: 403"
                            + " leases.coordination.k8s.io is forbidden: User \"kim\" cannot list resource \"leases\" in"
                            + " API group \"coordination.k8s.io\" in the namespace \"default\". If this does not end, see"
                            + " /actuator/leaderelection.");
        }
    }
}
