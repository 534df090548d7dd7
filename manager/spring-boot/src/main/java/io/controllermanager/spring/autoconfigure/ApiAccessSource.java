package io.controllermanager.spring.autoconfigure;

import static org.springframework.util.StringUtils.hasText;

import io.controllermanager.client.internal.access.ApiAccess;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.spring.config.ControllerManagerProperties;
import io.kubernetes.client.openapi.ApiClient;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Says where the API server is: connection details first, then properties, then the application's own client, then what is
 * found in the environment.
 *
 * @param details null if there are none
 * @param followed the application's client; null if there is none or if it does not count
 */
record ApiAccessSource(
        ControllerManagerProperties properties,
        @Nullable KubernetesConnectionDetails details,
        @Nullable Followed followed) {

    /** Name or qualifier of the client that counts, where the application has several. */
    static final String NAME = "controllerManagerApiClient";

    /**
     * Looks among the beans. Clients are made only if they count.
     *
     * @param clients null if there are none but by name
     * @throws ApiAccessException if there are several of a kind, none of which goes before the others
     */
    static ApiAccessSource of(
            ControllerManagerProperties properties,
            ObjectProvider<KubernetesConnectionDetails> allDetails,
            ObjectProvider<ApiClient> named,
            @Nullable ObjectProvider<ApiClient> clients,
            BeanFactory beans) {
        KubernetesConnectionDetails details = sole(allDetails, "KubernetesConnectionDetails", "");
        ApiClient client = null;
        if (details == null && !hasText(properties.kubeconfig()) && !hasText(properties.master())) {
            client = sole(named, "ApiClient", "");
            if (client == null && clients != null) {
                client = sole(clients, "ApiClient", ", or give one the name or qualifier " + NAME);
            }
        }
        if (client == null) {
            return new ApiAccessSource(properties, details, null);
        }
        // For people, and so without a user and password.
        String server = client.getBasePath().replaceFirst("//[^/]*@", "//");
        return new ApiAccessSource(properties, details, new Followed(client, server, nameOf(client, beans)));
    }

    private static <T> @Nullable T sole(ObjectProvider<T> beans, String type, String otherwise) {
        try {
            return beans.getIfAvailable();
        } catch (NoUniqueBeanDefinitionException e) {
            String names = Objects.requireNonNullElse(e.getBeanNamesFound(), List.<String>of()).stream()
                    .map(name -> "\"" + name + "\"")
                    .collect(Collectors.joining(", "));
            throw new ApiAccessException(
                    "which API server to use is not clear: there are " + e.getNumberOfBeansFound() + " beans of type "
                            + type + " (" + names + "); mark one @Primary" + otherwise,
                    e);
        }
    }

    /** By identity, among what has been made; null for the name of one that is made anew each time. */
    private static String nameOf(ApiClient client, BeanFactory beans) {
        BeanFactory next = beans;
        while (next instanceof ConfigurableListableBeanFactory here) {
            for (String name : here.getBeanNamesForType(ApiClient.class, true, false)) {
                if (here.containsSingleton(name) && here.getBean(name) == client) {
                    return "bean \"" + name + "\"";
                }
            }
            next = here.getParentBeanFactory();
        }
        return "a bean of type ApiClient";
    }

    /**
     * Looks for the API server; nothing is sent.
     *
     * @throws ApiAccessException if there is no way to it
     */
    ApiAccess find() {
        ApiAccessResolver resolver = new ApiAccessResolver();
        if (details != null) {
            return resolver.resolve(details.getKubeconfig().toString(), null);
        }
        if (followed != null) {
            return followed;
        }
        return resolver.resolve(properties.kubeconfig(), properties.master());
    }

    /** The way of a client that the host's client follows, with the server that it had when the latter was made. */
    record Followed(ApiClient client, String server, String source) implements ApiAccess {

        /** Where an application that brings a client of its own seems to be. */
        @Override
        public @Nullable String namespace() {
            try {
                return new ApiAccessResolver().namespace();
            } catch (ApiAccessException e) {
                return null;
            }
        }

        @Override
        public void configure(ApiClient target) {
            // It goes there by itself.
        }
    }
}
