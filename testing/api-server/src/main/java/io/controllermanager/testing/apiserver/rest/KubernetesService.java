package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.storage.Key;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * The Service that stands for the API server inside a cluster, which the server makes itself (kubernetes,
 * pkg/controlplane/controller/kubernetesservice). Its addresses are made up, and the same on all servers.
 */
public final class KubernetesService {

    private static final String SERVICE = """
            {"kind": "Service", "apiVersion": "v1",
             "metadata": {"name": "kubernetes", "namespace": "default",
                          "labels": {"component": "apiserver", "provider": "kubernetes"}},
             "spec": {"type": "ClusterIP", "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"],
                      "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "internalTrafficPolicy": "Cluster",
                      "sessionAffinity": "None",
                      "ports": [{"name": "https", "protocol": "TCP", "port": 443, "targetPort": 6443}]},
             "status": {"loadBalancer": {}}}""";

    private static final String ENDPOINTS = """
            {"kind": "Endpoints", "apiVersion": "v1",
             "metadata": {"name": "kubernetes", "namespace": "default",
                          "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}},
             "subsets": [{"addresses": [{"ip": "192.0.2.1"}],
                          "ports": [{"name": "https", "protocol": "TCP", "port": 6443}]}]}""";

    private KubernetesService() {}

    /** Makes it. */
    public static void create(Commits commits, Supplier<String> uids) {
        create(commits, "services", SERVICE, uids.get());
        create(commits, "endpoints", ENDPOINTS, uids.get());
    }

    private static void create(Commits commits, String resource, String text, String uid) {
        ObjectNode object = Json.readOwn(text.getBytes(StandardCharsets.UTF_8));
        Meta.of(object).put("uid", uid).put("creationTimestamp", commits.now());
        commits.put(new Key(resource, "default", "kubernetes"), null, object);
    }
}
