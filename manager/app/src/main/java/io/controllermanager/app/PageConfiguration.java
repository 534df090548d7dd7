package io.controllermanager.app;

import jakarta.servlet.DispatcherType;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * The live page at {@code /}: its files are in {@code static/}, and what it shows comes from the actuator's endpoints. In
 * the executable alone, since an application that uses the starter has a front page of its own.
 */
@Configuration(proxyBeanMethods = false)
class PageConfiguration {

    /** Whether a browser's copy is still right is told by the content: the time of a file in a jar says nothing. */
    @Bean
    FilterRegistrationBean<ShallowEtagHeaderFilter> pageEtags(WebEndpointProperties endpoints) {
        ShallowEtagHeaderFilter etags = new ShallowEtagHeaderFilter();
        // Tomcat compresses nothing that has a strong one.
        etags.setWriteWeakETag(true);
        FilterRegistrationBean<ShallowEtagHeaderFilter> filter = new FilterRegistrationBean<>(etags);
        // Of many controllers the list is long, and the same as before while they have nothing to do.
        filter.addUrlPatterns("/index.html", "/page/*", endpoints.getBasePath() + "/controllers");
        // "/" is forwarded to the first of these, after which nothing can be added to its answer any more.
        filter.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.FORWARD);
        return filter;
    }

    @Bean
    FilterRegistrationBean<PageHeaders> pageHeaders() {
        return new FilterRegistrationBean<>(new PageHeaders());
    }

    /** Where the page finds the endpoints. */
    @Bean
    RouterFunction<ServerResponse> pageConfig(Environment environment, WebEndpointProperties endpoints) {
        EndpointsAddress address = new EndpointsAddress(
                environment.getProperty("management.server.base-path", "") + endpoints.getBasePath(),
                switch (ManagementPortType.get(environment)) {
                    case SAME -> null;
                    case DIFFERENT -> environment.getProperty("management.server.port", Integer.class);
                    case DISABLED -> -1;
                });
        return RouterFunctions.route()
                .GET("/page/config.json", request -> ServerResponse.ok().body(address))
                .build();
    }
}
