package io.controllermanager.spring.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.controllermanager.spring.config.ConfigurationException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.validation.beanvalidation.OptionalValidatorFactoryBean;

/** What an application has whose {@code main} is Spring Boot's usual one. */
@ExtendWith(OutputCaptureExtension.class)
class ApplicationDefaultsTests {

    @Test
    void staysWithoutAWebServer() {
        try (ConfigurableApplicationContext context = run()) {
            assertThat(context.isRunning()).isTrue();
            assertThat(Thread.getAllStackTraces().keySet())
                    .anyMatch(thread -> thread.isAlive()
                            && !thread.isDaemon()
                            && thread.getName().equals("keep-alive"));
        }
    }

    @Test
    void hostsNothingAndKeepsNothingWhereItIsSwitchedOff() {
        try (ConfigurableApplicationContext context = run("--controller-manager.enabled=false")) {
            assertThat(context.getEnvironment().getProperty("spring.main.keep-alive"))
                    .isNull();
            assertThat(context.getEnvironment().getProperty("management.endpoints.web.exposure.include"))
                    .isNull();
        }
    }

    @Test
    void takesFlags() {
        try (ConfigurableApplicationContext context =
                run("--leader-elect=false", "-concurrent-website-syncs", "9", "--namespace=a", "--namespace=b")) {
            ConfigurableEnvironment environment = context.getEnvironment();
            assertThat(environment.getProperty("controller-manager.leader-election.enabled"))
                    .isEqualTo("false");
            assertThat(environment.getProperty("controller-manager.controller.website.workers"))
                    .isEqualTo("9");
            assertThat(environment.getProperty("controller-manager.namespaces")).isEqualTo("a,b");
        }
    }

    @Test
    void leavesOtherArgumentsToTheApplication() {
        try (ConfigurableApplicationContext context = run("--import=file", "other")) {
            assertThat(context.getEnvironment().getProperty("import")).isEqualTo("file");
        }
    }

    @Test
    void refusesAFlagWithoutItsValue() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> run("--kubeconfig"))
                .withMessageContaining("flag needs a value: --kubeconfig");
    }

    /** jakarta.validation is there for the constraints of types alone. */
    @Test
    void saysNothingOfAMissingValidator() {
        try (ConfigurableApplicationContext context = run()) {
            assertThat(context.isRunning()).isTrue();
            assertThat(LoggerFactory.getLogger(OptionalValidatorFactoryBean.class)
                            .isInfoEnabled())
                    .isFalse();
        }
    }

    @Test
    void isReadyAndShowsEndpointsByDefault() {
        try (ConfigurableApplicationContext context = run()) {
            assertThat(context.getEnvironment().getProperty("management.endpoints.web.exposure.include"))
                    .contains("prometheus", "controllers");
            assertThat(context.getEnvironment().getProperty("logging.group.leader-election"))
                    .isEqualTo("io.controllermanager.leaderelection");
        }
    }

    @Test
    void whatTheApplicationSetsCounts() {
        SpringApplication application = application();
        application.setDefaultProperties(Map.of("spring.main.keep-alive", "false"));
        try (ConfigurableApplicationContext context =
                application.run("--management.endpoints.web.exposure.include=health")) {
            assertThat(context.getEnvironment().getProperty("management.endpoints.web.exposure.include"))
                    .isEqualTo("health");
            assertThat(context.getEnvironment().getProperty("spring.main.keep-alive"))
                    .isEqualTo("false");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "website-operator,website-operator",
        "Website Operator,website-operator",
        "websiteOperator_2.x,websiteoperator-2.x",
        "-.a.-,a",
        "ä,''"
    })
    void aNameBecomesTheLeases(String application, String lease) {
        assertThat(DefaultsPostProcessor.leaseName(application)).isEqualTo(lease);
    }

    @Test
    void theLeaseIsCalledAsTheApplication() {
        try (ConfigurableApplicationContext context = run("--spring.application.name=Website Operator")) {
            assertThat(context.getEnvironment().getProperty("controller-manager.leader-election.resource-name"))
                    .isEqualTo("website-operator");
        }
    }

    @Test
    void warnsOfALeaseThatOthersMayHave(CapturedOutput output) {
        run().close();
        await().untilAsserted(() -> assertThat(output).contains("spring.application.name is not set: the Lease"));
    }

    @Test
    void linesOfAReconcileSayWhichObjectTheyAreAbout(CapturedOutput output) {
        run().close();
        say(
                "Namespaced",
                Map.of("controller", "website", "namespace", "default", "name", "shop", "reconcileID", "a1-2"));
        say("Cluster", Map.of("controller", "website", "name", "shop", "reconcileID", "a1-3"));
        say("Request", Map.of("name", "bob"));
        say("Outside", Map.of());
        await().until(() -> output.toString().contains("Outside"));
        assertThat(line(output, "Namespaced")).contains(" [website default/shop] ");
        assertThat(line(output, "Cluster")).contains(" [website shop] ");
        assertThat(line(output, "Request")).doesNotContain("bob", "[ /");
        assertThat(line(output, "Outside")).doesNotContain("[ /");
    }

    private static void say(String message, Map<String, String> context) {
        MDC.setContextMap(context);
        LoggerFactory.getLogger("com.example.Website").info(message);
        MDC.clear();
    }

    private static String line(CapturedOutput output, String message) {
        return output.toString()
                .lines()
                .filter(line -> line.endsWith(": " + message))
                .findFirst()
                .orElseThrow();
    }

    private static ConfigurableApplicationContext run(String... arguments) {
        return application().run(arguments);
    }

    private static SpringApplication application() {
        SpringApplication application = new SpringApplication(Empty.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        return application;
    }

    @Configuration(proxyBeanMethods = false)
    static class Empty {}
}
