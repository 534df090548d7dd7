package io.controllermanager.spring.logging;

import ch.qos.logback.classic.LoggerContext;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.slf4j.LoggerFactory;

/** {@code logback_events_dropped_total}, beside Micrometer's {@code logback_events_total}, which counts what was logged. */
public final class DroppedLogLines implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            FunctionCounter.builder("logback.events.dropped", context, console -> new LogbackConsole(console).dropped())
                    .description("Log lines that were not written, since nobody read the console fast enough.")
                    .register(registry);
        }
    }
}
