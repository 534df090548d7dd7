package io.controllermanager.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint;
import io.controllermanager.spring.config.ControllerManagerProperties;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The page in an application that has other things at its front. */
class PageTests {

    @ParameterizedTest
    @CsvSource({
        "/,/actuator,actuator/",
        "/,'',''",
        "/controllers,/actuator,../actuator/",
        "/a/b,/manage/actuator,../../manage/actuator/",
        "/a,'',../"
    })
    void findsTheEndpointsFromWhereThePageIs(String page, String basePath, String url) {
        assertThat(PageAddress.of(page, basePath, null).url()).isEqualTo(url);
    }

    @Test
    void isAtAPathOfItsOwnAndLeavesTheRestAlone() throws Exception {
        try (ServletWebServerApplicationContext context = run()) {
            HttpResponse<String> page = get(context, "/controller-manager");
            assertThat(page.uri().getPath()).isEqualTo("/controller-manager/");
            assertThat(page.body()).contains("<title>Controller Manager</title>", "href=\"../actuator/controllers\"");
            assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
            HttpResponse<String> script = get(context, "/controller-manager/page/main.js");
            assertThat(script.statusCode()).isEqualTo(200);
            assertThat(script.headers().firstValue("Cache-Control")).contains("no-cache");
            assertThat(script.headers().firstValue("ETag")).isPresent();
            assertThat(get(context, "/controller-manager/page/config.json").body())
                    .contains("\"url\":\"../actuator/\"");
            HttpResponse<String> front = get(context, "/");
            assertThat(front.statusCode()).isEqualTo(404);
            assertThat(front.headers().firstValue("Content-Security-Policy")).isEmpty();
        }
    }

    @Test
    void itsPolicyIsNotThatOfTheRestWhereEndpointsAreAtTheFront() throws Exception {
        try (ServletWebServerApplicationContext context =
                run("--management.endpoints.web.base-path=/", "--server.servlet.context-path=/app")) {
            assertThat(get(context, "/app/front").headers().firstValue("Content-Security-Policy"))
                    .isEmpty();
            assertThat(get(context, "/app/controller-manager").body()).contains("href=\"../controllers\"");
            HttpResponse<String> list = get(context, "/app/controllers");
            assertThat(list.statusCode()).isEqualTo(200);
            assertThat(list.headers().firstValue("ETag")).isPresent();
        }
    }

    @ParameterizedTest
    @CsvSource({"/controller-manager, controller-manager/", "/a/b, b/"})
    void isRedirectedToWhereverAProxyHasIt(String path, String location) throws Exception {
        try (ServletWebServerApplicationContext context =
                run("--controller-manager.page.path=" + path, "--server.servlet.context-path=/app")) {
            HttpResponse<String> redirect = get(context, HttpClient.Redirect.NEVER, "/app" + path);
            assertThat(redirect.statusCode()).isEqualTo(307);
            assertThat(redirect.headers().firstValue("Location")).hasValue(location);
        }
    }

    @Test
    void itsPolicyIsNotThatOfTheRestWhereEndpointsHaveAPortOfTheirOwn() throws Exception {
        try (ServletWebServerApplicationContext context = run("--management.server.port=0")) {
            assertThat(get(context, "/controller-manager").headers().firstValue("Content-Security-Policy"))
                    .isPresent();
            assertThat(get(context, "/actuator/mine").headers().firstValue("Content-Security-Policy"))
                    .isEmpty();
        }
    }

    private static ServletWebServerApplicationContext run(String... arguments) {
        return (ServletWebServerApplicationContext) SpringApplication.run(
                Application.class,
                Stream.concat(
                                Stream.of(
                                        "--server.port=0",
                                        "--controller-manager.enabled=false",
                                        "--management.endpoints.web.exposure.include=*"),
                                Stream.of(arguments))
                        .toArray(String[]::new));
    }

    private static HttpResponse<String> get(ServletWebServerApplicationContext context, String path) throws Exception {
        return get(context, HttpClient.Redirect.NORMAL, path);
    }

    private static HttpResponse<String> get(
            ServletWebServerApplicationContext context, HttpClient.Redirect redirect, String path) throws Exception {
        return HttpClient.newBuilder()
                .followRedirects(redirect)
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:"
                                        + context.getWebServer().getPort() + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableConfigurationProperties(ControllerManagerProperties.class)
    static class Application {

        @Bean
        ControllersEndpoint controllersEndpoint() {
            return new ControllersEndpoint(List::of, () -> {
                throw new IllegalStateException("nothing is run here");
            });
        }
    }
}
