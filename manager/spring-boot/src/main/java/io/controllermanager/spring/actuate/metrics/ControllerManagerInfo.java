package io.controllermanager.spring.actuate.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * {@code controller_manager_info}, always 1. Every operator in a cluster exports work queues and Leases under the same
 * names; alerts and dashboards that are for this product alone take the processes that have this one.
 *
 * @param version the application's, as its build says
 */
public record ControllerManagerInfo(String version) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("controller.manager.info", () -> 1)
                .description("Which version runs.")
                .tag("version", version)
                .register(registry);
    }
}
