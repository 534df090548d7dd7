package io.controllermanager.spring.actuate.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.util.concurrent.TimeUnit;

/** CPU time in seconds, under the name that Prometheus's client libraries give it ({@code process_cpu_seconds_total}). */
public final class ProcessCpuMetrics implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        if (system instanceof com.sun.management.OperatingSystemMXBean process) {
            FunctionCounter.builder(
                            "process.cpu",
                            process,
                            bean -> bean.getProcessCpuTime() / (double) TimeUnit.SECONDS.toNanos(1))
                    .baseUnit("seconds")
                    .description("CPU time that the process has used, in user and system mode.")
                    .register(registry);
        }
    }
}
