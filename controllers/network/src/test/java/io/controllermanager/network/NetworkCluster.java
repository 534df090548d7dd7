package io.controllermanager.network;

import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controllers.Cluster;
import io.controllermanager.testing.controllers.Manifest;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A cluster in which a user works with Networks. */
final class NetworkCluster extends Cluster {

    private final ResourceClient<Network> networks;

    NetworkCluster(TestedServer server) {
        super(server);
        this.networks = new ResourceClient<>(user(), Network.TYPE);
    }

    ResourceClient<Network> networks() {
        return networks;
    }

    /** Installs the CRD for Network that the repository ships. */
    void installCrd() throws ApiException {
        installCrd(Network.TYPE, crd());
    }

    /** As {@link #installCrd()}, without the rules that keep invalid Networks out: as an older CRD may be. */
    void installPermissiveCrd() throws ApiException {
        Manifest crd = crd();
        removeRules(crd.content());
        installCrd(Network.TYPE, crd);
    }

    private static Manifest crd() {
        return Manifest.ofConfig("crd/bases/sample.k8s.io_networks.yaml");
    }

    private static void removeRules(Object node) {
        if (node instanceof Map<?, ?> map) {
            map.keySet().removeIf(key -> "x-kubernetes-validations".equals(key));
            removeRules(map.values());
        } else if (node instanceof Collection<?> collection) {
            collection.forEach(NetworkCluster::removeRules);
        }
    }

    Network create(String namespace, String name, @Nullable String cidr, @Nullable String gateway) throws ApiException {
        return networks.create(
                new Network(new V1ObjectMeta().namespace(namespace).name(name), new NetworkSpec(cidr, gateway)));
    }

    Network patch(String namespace, String name, String mergePatch) throws ApiException {
        return networks.patch(namespace, name, new Patch.Merge(mergePatch));
    }

    Network network(String namespace, String name) throws ApiException {
        Network network = networks.get(namespace, name);
        if (network == null) {
            throw new AssertionError("no Network " + namespace + "/" + name);
        }
        return network;
    }

    NetworkStatus status(String namespace, String name) throws ApiException {
        NetworkStatus status = network(namespace, name).status();
        if (status == null) {
            throw new AssertionError("no status in " + namespace + "/" + name);
        }
        return status;
    }
}
