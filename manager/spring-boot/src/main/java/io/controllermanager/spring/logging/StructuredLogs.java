package io.controllermanager.spring.logging;

import ch.qos.logback.classic.LoggerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Where logs are JSON, has no line lost because of its fields' names: right after Spring Boot has set logging up. */
final class StructuredLogs implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        Environment environment = event.getEnvironment();
        boolean structured = StringUtils.hasText(environment.getProperty("logging.structured.format.console"))
                || StringUtils.hasText(environment.getProperty("logging.structured.format.file"));
        if (structured && LoggerFactory.getILoggerFactory() instanceof LoggerContext logback) {
            DistinctLogFields distinct = new DistinctLogFields();
            distinct.setContext(logback);
            distinct.start();
            logback.getLogger(Logger.ROOT_LOGGER_NAME)
                    .iteratorForAppenders()
                    .forEachRemaining(appender -> appender.addFilter(distinct));
        }
    }

    @Override
    public int getOrder() {
        return LoggingApplicationListener.DEFAULT_ORDER + 1;
    }
}
