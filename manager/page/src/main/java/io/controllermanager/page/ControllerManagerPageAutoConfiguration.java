package io.controllermanager.page;

import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint;
import io.controllermanager.spring.autoconfigure.ControllerManagerEndpointAutoConfiguration;
import io.controllermanager.spring.config.ControllerManagerProperties;
import jakarta.servlet.DispatcherType;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** The page at {@code controller-manager.page.path}; what it shows comes from the actuator's endpoints. */
@AutoConfiguration(after = ControllerManagerEndpointAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(ControllersEndpoint.class)
public final class ControllerManagerPageAutoConfiguration {

    /** The page, where its files are, and where the page finds the endpoints. */
    @Bean
    RouterFunction<ServerResponse> controllerManagerPage(
            ControllerManagerProperties properties, Environment environment, WebEndpointProperties endpoints)
            throws IOException {
        String path = path(properties);
        PageAddress address = PageAddress.of(
                path,
                environment.getProperty("management.server.base-path", "") + endpoints.getBasePath(),
                switch (ManagementPortType.get(environment)) {
                    case SAME -> null;
                    case DIFFERENT -> environment.getProperty("management.server.port", Integer.class);
                    case DISABLED -> -1;
                });
        String html = html(address);
        RouterFunctions.Builder router = RouterFunctions.route();
        if (!path.equals("/")) {
            // What the page refers to is relative to it, which needs the slash.
            router.GET(
                    path,
                    request -> ServerResponse.temporaryRedirect(
                                    // Relative, since a proxy may have another name, and TLS.
                                    URI.create(path.substring(path.lastIndexOf('/') + 1) + "/"))
                            .build());
        }
        return router.GET(
                        below(path, ""),
                        request -> ServerResponse.ok()
                                .contentType(MediaType.TEXT_HTML)
                                .cacheControl(CacheControl.noCache())
                                .body(html))
                .GET(
                        below(path, "page/config.json"),
                        request -> ServerResponse.ok()
                                .cacheControl(CacheControl.noCache())
                                .body(address))
                .add(RouterFunctions.resources(
                        below(path, "page/**"),
                        new ClassPathResource("files/", ControllerManagerPageAutoConfiguration.class),
                        // Browsers ask each time whether their copy is still right; its ETag says so.
                        (file, headers) -> headers.setCacheControl(CacheControl.noCache())))
                .build();
    }

    /** Whether a browser's copy is still right is told by the content: the time of a file in a jar says nothing. */
    @Bean
    FilterRegistrationBean<ShallowEtagHeaderFilter> controllerManagerPageEtags(
            ControllerManagerProperties properties, WebEndpointProperties endpoints, Environment environment) {
        ShallowEtagHeaderFilter etags = new ShallowEtagHeaderFilter();
        // Tomcat compresses nothing that has a strong one.
        etags.setWriteWeakETag(true);
        FilterRegistrationBean<ShallowEtagHeaderFilter> filter = new FilterRegistrationBean<>(etags);
        // Of many controllers the list is long, and the same as before while they have nothing to do.
        filter.setUrlPatterns(urls(path(properties), environment, endpoints.getBasePath() + "/controllers"));
        filter.setDispatcherTypes(DispatcherType.REQUEST);
        return filter;
    }

    @Bean
    FilterRegistrationBean<PageHeaders> controllerManagerPageHeaders(
            ControllerManagerProperties properties, WebEndpointProperties endpoints, Environment environment) {
        FilterRegistrationBean<PageHeaders> filter = new FilterRegistrationBean<>(new PageHeaders());
        String base = endpoints.getBasePath();
        // Where they are at the front, they cannot be told from what else is there.
        filter.setUrlPatterns(urls(path(properties), environment, base.isEmpty() ? null : base + "/*"));
        return filter;
    }

    /** The page's own URLs, as a servlet container writes them, and those of endpoints if they are on the same port. */
    private static List<String> urls(String path, Environment environment, @Nullable String ofEndpoints) {
        List<String> urls = new ArrayList<>(List.of(path.equals("/") ? "" : path + "/", below(path, "page/*")));
        if (ofEndpoints != null && ManagementPortType.get(environment) == ManagementPortType.SAME) {
            urls.add(ofEndpoints);
        }
        return urls;
    }

    private static String below(String path, String file) {
        return (path.equals("/") ? "/" : path + "/") + file;
    }

    private static String path(ControllerManagerProperties properties) {
        String path = properties.page().path();
        // What cannot be is reported with all other mistakes, before the host starts.
        return ControllerManagerProperties.Page.isPath(path) ? path : "/";
    }

    /** The page, with links to the endpoints for browsers without JavaScript. */
    private static String html(PageAddress address) throws IOException {
        try (InputStream file = Objects.requireNonNull(
                ControllerManagerPageAutoConfiguration.class.getResourceAsStream("index.html"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("href=\"actuator/", "href=\"" + address.url());
        }
    }
}
