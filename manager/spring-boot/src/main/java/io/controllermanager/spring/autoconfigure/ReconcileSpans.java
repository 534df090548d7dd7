package io.controllermanager.spring.autoconfigure;

import io.controllermanager.workqueue.internal.Taken;
import io.micrometer.observation.Observation;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Makes a span of each reconcile, linked to the requests that caused it, and below it one of the key's wait in the queue. */
final class ReconcileSpans extends DefaultTracingObservationHandler {

    private final RequestSpans requests;

    ReconcileSpans(Tracer tracer, RequestSpans requests) {
        super(tracer);
        this.requests = requests;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context.containsKey(Taken.class);
    }

    @Override
    public void onStart(Observation.Context context) {
        Taken taken = context.getRequired(Taken.class);
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        Span.Builder reconcile =
                getTracer().spanBuilder().name(getSpanName(context)).startTimestamp(now, TimeUnit.MICROSECONDS);
        taken.causes().all().forEach(cause -> requests.link(reconcile, cause));
        Span span = reconcile.start();
        getTracingContext(context).setSpan(span);
        getTracer()
                .spanBuilder()
                .setParent(span.context())
                .name("wait in queue")
                .startTimestamp(now - TimeUnit.NANOSECONDS.toMicros(taken.waitedNanos()), TimeUnit.MICROSECONDS)
                .tag("priority", taken.priority())
                .start()
                .end(now, TimeUnit.MICROSECONDS);
    }
}
