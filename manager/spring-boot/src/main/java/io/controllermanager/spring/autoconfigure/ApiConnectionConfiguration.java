package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.ApiConnection;
import io.controllermanager.client.internal.HttpSettings;
import io.controllermanager.client.internal.RequestLimits;
import io.controllermanager.spring.config.ControllerManagerProperties;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The API client: the application's own where it has one, else one that points nowhere until the host starts. */
final class ApiConnectionConfiguration {

    private ApiConnectionConfiguration() {}

    private static ApiConnection.Builder builder(
            Clock clock,
            SystemTimer timer,
            ControllerManagerProperties properties,
            Environment environment,
            ObjectProvider<MeterRegistry> meters) {
        ControllerManagerProperties.Client client = properties.getClient();
        // Values that make no sense are reported with all others, after beans have been made.
        boolean limited = client.getQps() > 0 && Double.isFinite(client.getQps()) && client.getBurst() > 0;
        String name = environment.getProperty("spring.application.name", "controller-manager");
        String version = environment.getProperty("spring.application.version", "unknown");
        ApiConnection.Builder builder = ApiConnection.builder(clock, timer)
                .http(HttpSettings.DEFAULTS
                        .withLimits(
                                limited ? new RequestLimits(client.getQps(), client.getBurst()) : RequestLimits.NONE)
                        .withUserAgent(name + "/" + version));
        meters.ifAvailable(builder::metrics);
        return builder;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSingleCandidate(ApiClient.class)
    @ConditionalOnMissingBean(ApiConnection.class)
    static class GivenClient {

        @Bean
        ApiConnection kubernetesApiConnection(
                ApiClient given,
                Clock clock,
                SystemTimer timer,
                ControllerManagerProperties properties,
                Environment environment,
                ObjectProvider<MeterRegistry> meters,
                ObjectProvider<ApiClientCustomizer> customizers) {
            customizers.orderedStream().forEach(customizer -> customizer.customize(given));
            return builder(clock, timer, properties, environment, meters)
                    .apiClient(given)
                    .build();
        }

        @Bean
        ApiAccessSource kubernetesApiAccessSource(
                ControllerManagerProperties properties, ObjectProvider<KubernetesConnectionDetails> details) {
            return new ApiAccessSource(properties, details.getIfAvailable(), true);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean({ApiClient.class, ApiConnection.class})
    static class OwnClient {

        @Bean
        ApiConnection kubernetesApiConnection(
                Clock clock,
                SystemTimer timer,
                ControllerManagerProperties properties,
                Environment environment,
                ObjectProvider<MeterRegistry> meters,
                ObjectProvider<ApiClientCustomizer> customizers) {
            ApiConnection connection =
                    builder(clock, timer, properties, environment, meters).build();
            customizers.orderedStream().forEach(customizer -> customizer.customize(connection.apiClient()));
            return connection;
        }

        @Bean
        ApiClient kubernetesApiClient(ApiConnection connection) {
            return connection.apiClient();
        }

        @Bean
        ApiAccessSource kubernetesApiAccessSource(
                ControllerManagerProperties properties, ObjectProvider<KubernetesConnectionDetails> details) {
            return new ApiAccessSource(properties, details.getIfAvailable(), false);
        }
    }
}
