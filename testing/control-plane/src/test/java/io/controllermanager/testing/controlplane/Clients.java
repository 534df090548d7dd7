package io.controllermanager.testing.controlplane;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;

/** API clients out of a plane's kubeconfigs. */
final class Clients {

    private Clients() {}

    static ApiClient client(String kubeconfig) throws IOException {
        return ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(new StringReader(kubeconfig)))
                .build();
    }
}
