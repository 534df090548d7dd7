package io.controllermanager.spring.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.logging.LoggingSystemProperty;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with Spring Boot's own logging. */
@ExtendWith(OutputCaptureExtension.class)
class NonBlockingConsoleTests {

    private final List<ConfigurableApplicationContext> running = new ArrayList<>();

    /** Spring Boot leaves its settings to the applications that come after, and sets nothing up while another one runs. */
    @BeforeEach
    void forgetOtherApplications() {
        LoggingSystem.get(getClass().getClassLoader()).cleanUp();
        for (LoggingSystemProperty left : LoggingSystemProperty.values()) {
            System.clearProperty(left.getEnvironmentVariableName());
        }
    }

    @AfterEach
    void end() {
        running.forEach(ConfigurableApplicationContext::close);
        forgetOtherApplications();
    }

    @Test
    void stepsBeforeTheConsoleOnceHoweverOftenApplicationsStart() {
        run();
        assertThat(consoles()).singleElement().isInstanceOf(NonBlockingAppender.class);
        run();
        assertThat(consoles()).singleElement().isInstanceOf(NonBlockingAppender.class);
        end();
        run();
        assertThat(consoles()).singleElement().isInstanceOf(NonBlockingAppender.class);
    }

    @Test
    void whatALineCarriesArrives(CapturedOutput output) {
        run("--logging.structured.format.console=logstash");
        MDC.put("controller", "foo");
        LoggerFactory.getLogger("test")
                .atInfo()
                .addKeyValue("cause", "no reason")
                .log("It happened");
        MDC.clear();
        await().until(() -> output.getOut()
                .lines()
                .anyMatch(line -> line.contains("\"message\":\"It happened\"")
                        && line.contains("\"controller\":\"foo\"")
                        && line.contains("\"cause\":\"no reason\"")));
    }

    @Test
    void countsWhatIsDroppedFromTheStart() {
        run();
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new DroppedLogLines().bindTo(registry);
        assertThat(registry.scrape().lines()).contains("logback_events_dropped_total 0.0");
    }

    @Test
    void leavesAnApplicationAloneThatSwitchesTheStarterOff() {
        run("--controller-manager.enabled=false");
        assertThat(consoles()).singleElement().isNotInstanceOf(NonBlockingAppender.class);
        new LogbackConsole((LoggerContext) LoggerFactory.getILoggerFactory()).prepare();
        assertThat(consoles()).singleElement().isInstanceOf(NonBlockingAppender.class);
    }

    private void run(String... arguments) {
        SpringApplication application = new SpringApplication(NonBlockingConsoleTests.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        running.add(application.run(arguments));
    }

    private static List<Appender<ILoggingEvent>> consoles() {
        List<Appender<ILoggingEvent>> appenders = new ArrayList<>();
        ((LoggerContext) LoggerFactory.getILoggerFactory())
                .getLogger(Logger.ROOT_LOGGER_NAME)
                .iteratorForAppenders()
                .forEachRemaining(appenders::add);
        return appenders;
    }
}
