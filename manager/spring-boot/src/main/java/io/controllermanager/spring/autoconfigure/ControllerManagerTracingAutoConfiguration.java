package io.controllermanager.spring.autoconfigure;

import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Has traces of reconciles tell what happened before and within them, where something traces. */
@AutoConfiguration(
        afterName = "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration")
@ConditionalOnClass(Tracer.class)
@ConditionalOnBean({Tracer.class, Propagator.class})
@ConditionalOnBooleanProperty(name = "controller-manager.enabled", matchIfMissing = true)
public final class ControllerManagerTracingAutoConfiguration {

    @Bean
    RequestSpans requestSpans(Tracer tracer, Propagator propagator) {
        return new RequestSpans(tracer, propagator);
    }

    /** Before Micrometer's own, since the first that wants an observation gets it. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    ReconcileSpans reconcileSpans(Tracer tracer, RequestSpans requests) {
        return new ReconcileSpans(tracer, requests);
    }
}
