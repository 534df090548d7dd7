package io.controllermanager.informer.internal;

import io.controllermanager.client.internal.ApiServerMonitor;
import io.controllermanager.client.internal.FailureMessage;
import io.controllermanager.time.Clock;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what goes wrong in a reflector: in the log once for each kind of error, in its status, and to handlers of errors.
 * Written by the reflector's thread; {@link #last} and {@link #missing} are for any.
 */
final class ReflectorErrors {

    private static final Logger log = LoggerFactory.getLogger(ReflectorErrors.class);

    private final ListWatch<?> source;
    private final ApiServerMonitor monitor;
    private final Clock clock;
    private final ReflectorMetrics metrics;
    private final Consumer<Throwable> onError;
    private volatile @Nullable Permission missing;
    private volatile @Nullable Failure last;
    private String verb = "list";
    private @Nullable String logged;

    /** What went wrong last. */
    record Failure(String message, Instant at) {}

    ReflectorErrors(
            ListWatch<?> source,
            ApiServerMonitor monitor,
            Clock clock,
            ReflectorMetrics metrics,
            Consumer<Throwable> onError) {
        this.source = source;
        this.monitor = monitor;
        this.clock = clock;
        this.metrics = metrics;
        this.onError = onError;
    }

    @Nullable
    Failure last() {
        return last;
    }

    /** What the API server refuses with 403, null if nothing. */
    @Nullable
    Permission missing() {
        return missing;
    }

    /** A request with this verb follows: {@code list} or {@code watch}. */
    void asking(String newVerb) {
        verb = newVerb;
    }

    /** What was asked for with this verb is there. */
    void answered(String answeredVerb) {
        Permission lacking = missing;
        if (lacking != null && lacking.verb().equals(answeredVerb)) {
            missing = null;
            metrics.missing(null);
        }
        if (logged != null) {
            log.atInfo()
                    .addKeyValue("resource", source.target())
                    .log("Informer of {}: lists and watches again", source.target());
            logged = null;
        }
    }

    /** Something went wrong that is for the status alone. */
    void note(String message) {
        last = new Failure(message, clock.now());
        log.atDebug().addKeyValue("resource", source.target()).log("Informer: {}", message);
    }

    /** Something went wrong. An API server that is away is the monitor's to report. */
    void report(Exception e, ErrorKind kind) {
        Permission permission = source.permission(verb);
        if (kind == ErrorKind.FORBIDDEN) {
            // Set first, so that whoever sees the failure also sees the missing permission.
            missing = permission;
        }
        note(FailureMessage.words(e));
        onError.accept(e);
        String said = e.getClass().getName() + ErrorKind.code(e) + (kind == ErrorKind.FORBIDDEN ? verb : "");
        if (said.equals(logged) || (kind == ErrorKind.NO_ANSWER && !monitor.reachable())) {
            return;
        }
        logged = said;
        String line = FailureMessage.of(e);
        switch (kind) {
            case FORBIDDEN -> {
                metrics.missing(permission);
                log.atWarn()
                        .addKeyValue("verb", permission.verb())
                        .addKeyValue("resource", permission.resource())
                        .addKeyValue("namespace", permission.namespace())
                        .log("Informer of {}: missing permission to {}: {}", source.target(), permission, line);
            }
            case UNAUTHORIZED -> warn("the API server does not accept the credentials: " + line);
            case NOT_SERVED -> warn("waits, since the API server does not serve the type; is its CRD installed?");
            case NO_ANSWER -> {}
            default -> warn("cannot " + verb + ", and tries again: " + line);
        }
    }

    private void warn(String what) {
        log.atWarn().addKeyValue("resource", source.target()).log("Informer of {}: {}", source.target(), what);
    }
}
