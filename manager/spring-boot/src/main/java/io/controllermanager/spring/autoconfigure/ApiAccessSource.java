package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.ApiAccess;
import io.controllermanager.client.internal.ApiAccessResolver;
import io.controllermanager.spring.config.ControllerManagerProperties;
import org.jspecify.annotations.Nullable;

/**
 * Says where the API server is: connection details first, then properties, then what is found in the environment.
 *
 * @param details null if there are none
 * @param clientGiven whether the application brings a client of its own, which is left as it is unless details or
 *     properties say something else
 */
record ApiAccessSource(
        ControllerManagerProperties properties, @Nullable KubernetesConnectionDetails details, boolean clientGiven) {

    /**
     * Looks for the API server; nothing is sent.
     *
     * @return null if the client is to be left as it is
     * @throws io.controllermanager.client.internal.ApiAccessException if there is no way to it
     */
    @Nullable
    ApiAccess find() {
        ApiAccessResolver resolver = new ApiAccessResolver();
        if (details != null) {
            return resolver.resolve(details.getKubeconfig().toString(), null);
        }
        String kubeconfig = blankToNull(properties.getKubeconfig());
        String master = blankToNull(properties.getMaster());
        if (clientGiven && kubeconfig == null && master == null) {
            return null;
        }
        return resolver.resolve(kubeconfig, master);
    }

    private static @Nullable String blankToNull(@Nullable String text) {
        return text == null || text.isBlank() ? null : text;
    }
}
