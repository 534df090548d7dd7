package io.controllermanager.spring.actuate.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.manager.internal.KeyExplanation;
import io.controllermanager.spring.autoconfigure.KubernetesConnectionDetails;
import io.kubernetes.client.extended.controller.Controller;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** An application with the starter alone, whose endpoint is asked what keys wait for. */
final class AskedReplica implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private AskedReplica(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /**
     * Starts one.
     *
     * @param foreign controllers with workers of their own, by name
     * @param properties without {@code controller-manager.}
     */
    static AskedReplica start(
            Path kubeconfig,
            List<ControllerDescriptor> controllers,
            Map<String, Controller> foreign,
            String... properties) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.addInitializers(made -> {
            GenericApplicationContext beans = (GenericApplicationContext) made;
            beans.registerBean(KubernetesConnectionDetails.class, () -> () -> kubeconfig);
            controllers.forEach(
                    controller -> beans.registerBean(controller.name(), ControllerDescriptor.class, () -> controller));
            foreign.forEach((name, controller) -> beans.registerBean(name, Controller.class, () -> controller));
        });
        return new AskedReplica(application.run(Stream.concat(
                        Stream.of(
                                "--management.endpoints.web.exposure.include=*",
                                "--controller-manager.leader-election.resource-namespace=default"),
                        Stream.of(properties).map(property -> "--controller-manager." + property))
                .toArray(String[]::new)));
    }

    ControllersEndpoint endpoint() {
        return context.getBean(ControllersEndpoint.class);
    }

    /** Waits until the endpoint says this of a key; of each time it says only its unit, {@code N s}. */
    void says(String controller, String namespace, String object, String sentence) {
        await(controller + " " + namespace + "/" + object)
                .untilAsserted(() ->
                        assertThat(sentence(controller, namespace, object)).isEqualTo(sentence));
    }

    /** As the other one, of a sentence whose parts come in any order, with more between them. */
    void saysAllOf(String controller, String namespace, String object, String... parts) {
        await(controller + " " + namespace + "/" + object)
                .untilAsserted(() ->
                        assertThat(sentence(controller, namespace, object)).contains(parts));
    }

    private String sentence(String controller, String namespace, String object) {
        Object answer = endpoint().key(controller, "keys", namespace, object).getBody();
        return answer instanceof KeyExplanation known
                ? known.waits().replaceAll("\\b\\d+ m?s\\b", "N s")
                : String.valueOf(answer);
    }

    @Override
    public void close() {
        context.close();
    }
}
