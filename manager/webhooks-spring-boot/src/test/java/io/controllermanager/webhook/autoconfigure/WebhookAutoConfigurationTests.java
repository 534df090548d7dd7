package io.controllermanager.webhook.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.spring.autoconfigure.ControllerManagerAutoConfiguration;
import io.controllermanager.spring.autoconfigure.ControllerManagerHost;
import io.controllermanager.webhook.autoconfigure.Doors.NobodyAsks;
import io.controllermanager.webhook.autoconfigure.Doors.OneKeyEach;
import io.controllermanager.webhook.autoconfigure.Doors.Repaint;
import io.controllermanager.webhook.autoconfigure.Doors.Second;
import io.controllermanager.webhook.autoconfigure.Doors.White;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;

class WebhookAutoConfigurationTests {

    /** Beans are made, and nothing is started. */
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(ControllerManagerAutoConfiguration.class, WebhookAutoConfiguration.class))
            .withPropertyValues("management.endpoints.web.exposure.include=webhooks")
            .withBean("lifecycleProcessor", NoLifecycle.class);

    @Test
    void withoutAWebhookNothingIsThere() {
        application.run(context -> assertThat(context)
                .doesNotHaveBean(WebhookLifecycle.class)
                .doesNotHaveBean(ControllerDescriptor.class));
    }

    @Test
    void whatIsWrittenIsServed() {
        application
                .withBean(Repaint.class)
                .withBean(OneKeyEach.class)
                .withBean(White.class)
                .run(context -> {
                    assertThat(context.getBean(WebhookBeans.class).reviews().paths())
                            .containsExactlyInAnyOrder(
                                    "/convert", "/validate/doors.example.com/v2", "/mutate/doors.example.com/v2");
                    assertThat(context.getBean(ControllerDescriptor.class).name())
                            .isEqualTo("storage-migration");
                    assertThat(context.getBeansOfType(SmartLifecycle.class).values().stream()
                                    .map(SmartLifecycle::getPhase)
                                    .sorted()
                                    .toList())
                            .as("webhooks, the host")
                            .containsExactly(ControllerManagerHost.PHASE - 1, ControllerManagerHost.PHASE);
                });
    }

    @Test
    void whatStartsBeforeTheHostDoesNotDependOnIt() {
        application
                .withBean(White.class)
                .run(context -> assertThat(context.getBeanFactory().getDependenciesForBean("webhookLifecycle"))
                        .doesNotContain("controllerManagerHost"));
    }

    @Test
    void withoutAConverterNothingIsMigrated() {
        application
                .withBean(White.class)
                .run(context -> assertThat(context)
                        .hasSingleBean(WebhookLifecycle.class)
                        .doesNotHaveBean(ControllerDescriptor.class));
    }

    @Test
    void whatIsSwitchedOffIsNotThere() {
        application
                .withBean(White.class)
                .withPropertyValues("controller-manager.webhooks.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(WebhookLifecycle.class));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            port=70000                     | port=70000: a port is from 0 to 65535
            name=                          | name=: it must be a DNS label, as the name of a Service is
            name=My.Hooks                  | name=My.Hooks: it must be a DNS label, as the name of a Service is
            client-names=a                 | client-names=[a]: it needs client-ca-file, or nobody is asked for a certificate
            certificate.inject-ca-bundle=false | certificate.inject-ca-bundle=false: nobody else can write it where the process makes certificates
            url=http://a:1                 | url=http://a:1: the API server calls https://host:port alone
            url=a                          | url=a: the API server calls https://host:port alone
            """)
    void whatIsWrongIsNamed(String property, String message) {
        application
                .withBean(White.class)
                .withPropertyValues("controller-manager.webhooks." + property)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("controller-manager.webhooks." + message));
    }

    @Test
    void certificatesComeFromOnePlace() {
        application
                .withBean(White.class)
                .withPropertyValues(
                        "controller-manager.webhooks.certificate.directory=/tls",
                        "controller-manager.webhooks.certificate.secret-name=tls")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("controller-manager.webhooks.certificate.directory=/tls:"
                                + " certificate.secret-name is given too"));
    }

    @Test
    void aBeanThatNobodyAsksIsNamed() {
        application
                .withBean("idle", NobodyAsks.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("the bean idle is a Validator that nobody asks: add @ValidatingWebhook to "
                                + NobodyAsks.class.getName()
                                + ", a class with a name, since its registration is made of it"));
    }

    @Test
    void twoForOneTypeAreNamed() {
        application
                .withBean(OneKeyEach.class)
                .withBean(Second.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .message()
                        .contains(OneKeyEach.class.getName(), Second.class.getName(), "doors.example.com"));
    }
}
