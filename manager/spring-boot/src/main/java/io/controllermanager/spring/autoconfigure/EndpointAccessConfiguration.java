package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.spring.actuate.access.AccessReviews;
import io.controllermanager.spring.actuate.access.ApiServerReviews;
import io.controllermanager.spring.actuate.access.CachedReviews;
import io.controllermanager.spring.actuate.access.EndpointAccessFilter;
import io.controllermanager.spring.actuate.zpages.Flagz;
import io.controllermanager.spring.actuate.zpages.Statusz;
import io.controllermanager.spring.actuate.zpages.ZPage;
import io.controllermanager.spring.application.EffectiveFlags;
import io.controllermanager.spring.config.AuthenticationProperties;
import io.controllermanager.spring.config.ControllerManagerProperties;
import io.controllermanager.time.Clock;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/**
 * Has the actuator's endpoints ask for a token, in the context that they are in: the application's own, or that of a
 * management port. Whether it does is decided as the context starts and is no condition, so that a prepared context serves both.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
final class EndpointAccessConfiguration {

    static final String ENABLED = "controller-manager.endpoints.authentication.enabled";

    private static final String FLAGZ = "/flagz";
    private static final String STATUSZ = "/statusz";

    private EndpointAccessConfiguration() {}

    private static boolean isEnabled(ObjectProvider<ControllerManagerProperties> properties, Environment environment) {
        ControllerManagerProperties bound = properties.getIfAvailable();
        return bound == null
                ? Boolean.parseBoolean(environment.getProperty(ENABLED))
                : bound.endpoints().authentication().enabled();
    }

    /**
     * Registers what guards endpoints, and the pages that are there only where it does.
     *
     * @param filter in its place among others; null for none
     * @param pages by their paths
     */
    record EndpointAccess(@Nullable FilterRegistrationBean<EndpointAccessFilter> filter, Map<String, ZPage> pages)
            implements ServletContextInitializer, Ordered {

        /** After what restores a request that came through a proxy, and before all that looks at it. */
        private static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 20;

        @Override
        public void onStartup(ServletContext context) throws ServletException {
            if (filter != null) {
                filter.onStartup(context);
                pages.forEach((path, page) -> context.addServlet(page.getClass().getSimpleName(), page)
                        .addMapping(path));
            }
        }

        @Override
        public int getOrder() {
            return ORDER;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(Filter.class)
    static class Servlet {

        @Bean
        @Lazy
        @ConditionalOnMissingBean
        AccessReviews controllerManagerAccessReviews(
                ObjectProvider<ControllerManagerHost> hosts,
                ObjectProvider<ApiConnection> connections,
                ObjectProvider<ControllerManagerProperties> properties,
                ObjectProvider<Clock> clock) {
            ControllerManagerHost host = hosts.getIfAvailable();
            if (host == null) {
                throw new IllegalStateException(ENABLED
                        + "=true: tokens are checked over the controller manager's connection, but no controller"
                        + " manager is hosted here");
            }
            AuthenticationProperties settings =
                    properties.getObject().endpoints().authentication();
            return new CachedReviews(
                    new ApiServerReviews(
                            connections.getObject().reviewClient(settings.timeout()),
                            host::isConnected,
                            settings.audiences()),
                    clock.getObject(),
                    new CachedReviews.Lifetimes(
                            settings.cacheTtl(), settings.allowedCacheTtl(), settings.deniedCacheTtl()));
        }

        @Bean
        EndpointAccess controllerManagerEndpointAccess(
                ObjectProvider<ControllerManagerProperties> properties,
                ConfigurableEnvironment environment,
                ObjectProvider<AccessReviews> reviews,
                ObjectProvider<Clock> clock,
                WebEndpointProperties endpoints) {
            if (!isEnabled(properties, environment)) {
                return new EndpointAccess(null, Map.of());
            }
            Map<String, String> mapping = endpoints.getPathMapping();
            String health = endpoints.getBasePath() + "/" + mapping.getOrDefault("health", "health");
            // First, since it says best what is missing.
            AccessReviews asked = reviews.getObject();
            Map<String, ZPage> pages = pages(environment, properties.getObject(), endpoints.getBasePath());
            EndpointAccessFilter filter = new EndpointAccessFilter(
                    asked,
                    clock.getObject(),
                    endpoints.getBasePath(),
                    pages.keySet(),
                    Set.of(health + "/liveness", health + "/readiness"));
            return new EndpointAccess(new FilterRegistrationBean<>(filter), pages);
        }

        private static Map<String, ZPage> pages(
                ConfigurableEnvironment environment, ControllerManagerProperties properties, String basePath) {
            String component = environment.getProperty("spring.application.name", "controller-manager");
            String version = environment.getProperty("spring.application.version", "unknown");
            return Map.of(
                    FLAGZ, new Flagz(component, new EffectiveFlags(environment, properties)),
                    STATUSZ, new Statusz(component, version, List.of(basePath, FLAGZ, STATUSZ)));
        }
    }

    /** Where the filter cannot be, nothing is shown rather than everything. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class Reactive {

        Reactive(ObjectProvider<ControllerManagerProperties> properties, Environment environment) {
            if (!isEnabled(properties, environment)) {
                return;
            }
            throw new IllegalStateException(ENABLED + "=true needs a servlet web server, such as that of"
                    + " spring-boot-starter-webmvc; a reactive application guards the actuator by Spring Security");
        }
    }
}
