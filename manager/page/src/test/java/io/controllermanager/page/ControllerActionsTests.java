package io.controllermanager.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.manager.internal.ControllerOperations;
import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint;
import io.controllermanager.spring.actuate.endpoint.StrictWrites;
import io.controllermanager.spring.config.ControllerManagerProperties;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the endpoint {@code controllers} makes of what comes over HTTP and JMX. */
class ControllerActionsTests {

    private ServletWebServerApplicationContext context;
    private Recorded recorded;

    @BeforeEach
    void start() {
        context = (ServletWebServerApplicationContext) SpringApplication.run(
                Application.class,
                "--server.port=0",
                "--controller-manager.enabled=false",
                "--spring.jmx.enabled=true",
                "--spring.jmx.default-domain=actions",
                "--management.endpoints.jmx.exposure.include=controllers",
                "--management.endpoints.web.exposure.include=controllers",
                "--management.endpoint.controllers.access=unrestricted");
        recorded = context.getBean(Recorded.class);
    }

    @AfterEach
    void stop() {
        context.close();
    }

    private HttpResponse<String> post(String path, String body) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:"
                                        + context.getWebServer().getPort() + "/actuator/controllers/" + path))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private List<String> done() {
        return recorded.calls();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {"action":"pause","key":"shop/orders"}    | key is for reconcile, but the action is pause, which is for the whole controller
            {"action":"pause","workers":3}            | workers is for resize, but the action is pause, which is for the whole controller
            {"action":"resize","workers":3,"key":"a"} | key is for reconcile, but the action is resize, which is for the whole controller
            {"action":"reconcile","key":"a","workers":1} | workers is for resize, but the action is reconcile
            {"action":"pause","namespace":"shop"}     | unknown field "namespace": known are action, workers, key
            {"action":"pause","Key":"shop/orders"}    | unknown field "Key": known are action, workers, key
            {"action":"pause","name":"bar"}           | unknown field "name": known are action, workers, key
            {"action":"resize","workers":"many"}      | workers must be a whole number, but is "many"
            {"action":"resize","workers":2.5}         | workers must be a whole number, but is "2.5"
            {"action":"resize","workers":3000000000}  | workers must be a whole number, but is "3000000000"
            {"action":"resize","workers":null}        | workers must be given
            {"action":"resize"}                       | workers must be given
            {"action":"reconcile"}                    | key must be given
            {"action":"reconcile","key":""}           | key must be namespace/name or name, but is ""
            {"action":"reconcile","key":" "}          | key must be namespace/name or name, but is " "
            {"action":"reconcile","key":"a b"}        | key must be namespace/name or name, but is "a b"
            {"action":"reconcile","key":"a/b/c"}      | key must be namespace/name or name, but is "a/b/c"
            {"action":"halt"}                         | action must be one of pause, resume, resize, reconcile, stop, start, but is "halt"
            {"action":""}                             | action must be one of pause, resume, resize, reconcile, stop, start, but is ""
            {"key":"a"}                               | action must be given: one of pause, resume, resize, reconcile, stop, start
            {}                                        | action must be given: one of pause, resume, resize, reconcile, stop, start
            """)
    void whatIsNotUnderstoodIsRefusedWithTheFieldsName(String body, String error) throws Exception {
        HttpResponse<String> answer = post("foo", body);

        assertThat(answer.body()).startsWith("{\"error\":\"" + error.replace("\"", "\\\""));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(done()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "\"pause\"", "{\"action\":[\"pause\"]}", "{\"action\":\"pause\"", "pause"})
    void aBodyThatIsNoObjectOfPlainValuesIsRefused(String body) throws Exception {
        assertThat(post("foo", body).statusCode()).isEqualTo(400);
        assertThat(done()).isEmpty();
    }

    @Test
    void parametersOfTheAddressAreFieldsToo() throws Exception {
        assertThat(post("foo?key=a", "{\"action\":\"pause\"}").statusCode()).isEqualTo(400);
        assertThat(post("foo?dry=true", "{\"action\":\"pause\"}").statusCode()).isEqualTo(400);
        assertThat(post("foo?action=pause", "").statusCode()).isEqualTo(200);
        assertThat(done()).containsExactly("pause[foo]");
    }

    @Test
    void whatIsNotThereIsNotFound() throws Exception {
        assertThat(post("bar", "{\"action\":\"pause\"}").statusCode()).isEqualTo(404);
        assertThat(post("foo", "{\"action\":\"reconcile\",\"key\":\"shop/orders\"}")
                        .statusCode())
                .isEqualTo(404);
        assertThat(done()).containsExactly("pause[bar]", "reconcileNow[foo, " + new Request("shop", "orders") + "]");
    }

    @Test
    void overJmxTheSameIsDone() throws Exception {
        MBeanServer server = context.getBean(MBeanServer.class);
        Set<ObjectName> names = server.queryNames(new ObjectName("*:type=Endpoint,name=Controllers,*"), null);
        String[] signature = {
            String.class.getName(), String.class.getName(), Integer.class.getName(), String.class.getName()
        };

        server.invoke(names.iterator().next(), "operate", new Object[] {"foo", "resize", 3, null}, signature);
        Object refused =
                server.invoke(names.iterator().next(), "operate", new Object[] {"foo", "pause", null, "a"}, signature);

        assertThat(done()).containsExactly("resize[foo, 3]");
        assertThat(String.valueOf(refused)).contains("key is for reconcile");
    }

    /** What has reached the host, which has no controller "bar" and no object at all. */
    private record Recorded(List<String> calls) {

        ControllerOperations operations() {
            return (ControllerOperations) Proxy.newProxyInstance(
                    ControllerOperations.class.getClassLoader(),
                    new Class<?>[] {ControllerOperations.class},
                    (proxy, method, arguments) -> {
                        calls.add(method.getName() + List.of(arguments));
                        if (arguments[0].equals("bar") || method.getName().equals("reconcileNow")) {
                            throw new NoSuchElementException("there is none");
                        }
                        return null;
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableConfigurationProperties(ControllerManagerProperties.class)
    static class Application {

        @Bean
        Recorded recorded() {
            return new Recorded(new CopyOnWriteArrayList<>());
        }

        @Bean
        ControllersEndpoint controllersEndpoint(Recorded recorded) {
            return new ControllersEndpoint(List::of, recorded::operations);
        }

        @Bean
        StrictWrites strictWrites() {
            return new StrictWrites();
        }
    }
}
