package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.HostClient;
import io.controllermanager.spring.config.ControllerManagerProperties;
import io.kubernetes.client.openapi.ApiClient;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;

/**
 * The host's own client, which points nowhere until the host starts, or follows the application's client. Where the
 * application has one, others get that by its type, and the host's by its name.
 */
final class ApiConnectionConfiguration {

    /** The host's client, which is limited, counted and fenced. */
    static final String HOST_CLIENT = "kubernetesApiClient";

    private ApiConnectionConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(value = ApiClient.class, ignored = HostClient.class)
    static class WithoutOther {

        @Bean
        HostClient kubernetesApiClient(ApiConnection connection) {
            return (HostClient) connection.apiClient();
        }

        @Bean
        ApiAccessSource kubernetesApiAccessSource(
                ListableBeanFactory beans,
                ControllerManagerProperties properties,
                ObjectProvider<KubernetesConnectionDetails> details,
                @Qualifier(ApiAccessSource.NAME) ObjectProvider<ApiClient> named) {
            return ApiAccessSource.of(properties, details, named, null, beans);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithOther {

        @Bean(defaultCandidate = false)
        @Fallback
        @ConditionalOnMissingBean(name = HOST_CLIENT, search = SearchStrategy.CURRENT)
        HostClient kubernetesApiClient(ApiConnection connection) {
            return (HostClient) connection.apiClient();
        }

        @Bean
        @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
        ApiAccessSource kubernetesApiAccessSource(
                ListableBeanFactory beans,
                ControllerManagerProperties properties,
                ObjectProvider<KubernetesConnectionDetails> details,
                @Qualifier(ApiAccessSource.NAME) ObjectProvider<ApiClient> named,
                ObjectProvider<ApiClient> clients) {
            return ApiAccessSource.of(properties, details, named, clients, beans);
        }
    }
}
