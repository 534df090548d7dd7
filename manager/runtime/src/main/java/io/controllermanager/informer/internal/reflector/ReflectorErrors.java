package io.controllermanager.informer.internal.reflector;

import io.controllermanager.client.internal.connection.ApiServerMonitor;
import io.controllermanager.client.internal.request.ErrorKind;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.client.internal.request.Permission;
import io.controllermanager.time.Clock;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what goes wrong in a reflector: in the log once for each kind of error, in its status, and to handlers of errors.
 * Written by the reflector's thread; {@link #last} and {@link #obstacle} are for any.
 */
public final class ReflectorErrors {

    private static final Logger log = LoggerFactory.getLogger(ReflectorErrors.class);

    /** How often no answer comes before that is said, where the API server answers others. */
    private static final int DOUBTED = 3;

    private final ListWatch<?> source;
    private final ApiServerMonitor monitor;
    private final Clock clock;
    private final ReflectorMetrics metrics;
    private final Consumer<Throwable> onError;
    private volatile @Nullable Obstacle obstacle;
    private volatile @Nullable Failure last;
    private String verb = "list";
    private @Nullable String logged;
    private int unanswered;

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

    /** What is in the way of listing or watching, null if nothing. */
    @Nullable
    Obstacle obstacle() {
        return obstacle;
    }

    /** A request with this verb follows: {@code list} or {@code watch}. */
    void asking(String newVerb) {
        verb = newVerb;
    }

    /** What was asked for with this verb is there. */
    void answered(String answeredVerb) {
        unanswered = 0;
        Obstacle overcome = obstacle;
        if (overcome != null && overcome.permission().verb().equals("watch") && answeredVerb.equals("list")) {
            return;
        }
        obstacle = null;
        metrics.missing(null);
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

    /**
     * Something went wrong. An API server that is away is the monitor's to report; one that answers others is doubted only
     * if it goes on.
     */
    void report(Exception e, ErrorKind kind) {
        Permission permission = source.permission(verb);
        String line = FailureMessage.of(e);
        // Set first, so that whoever sees the failure also sees what is in the way.
        obstacle = new Obstacle(kind, permission, FailureMessage.words(e));
        note(FailureMessage.words(e));
        onError.accept(e);
        unanswered = kind == ErrorKind.NO_ANSWER ? unanswered + 1 : 0;
        // What differs in words with digits alone, such as a port, a time or an id, is the same.
        String said = kind + verb + ErrorKind.code(e) + line.replaceAll("[\\w-]*\\d[\\w-]*", "");
        if (said.equals(logged) || (kind == ErrorKind.NO_ANSWER && (unanswered < DOUBTED || !monitor.reachable()))) {
            return;
        }
        logged = said;
        switch (kind) {
            case FORBIDDEN -> {
                metrics.missing(permission);
                log.atWarn()
                        .addKeyValue("verb", permission.verb())
                        .addKeyValue("resource", permission.resource())
                        .addKeyValue("namespace", permission.namespace())
                        .log(
                                "Informer of {}: missing permission to {}{}: {}",
                                source.target(),
                                permission,
                                verb.equals("watch") ? ", so that it is listed again and again" : "",
                                line);
            }
            case UNAUTHORIZED -> warn("the API server does not accept the credentials: " + line);
            case NOT_SERVED -> warn("waits, since the API server does not serve the type; is its CRD installed?");
            default -> warn("cannot " + verb + ", and tries again: " + line);
        }
    }

    private void warn(String what) {
        log.atWarn().addKeyValue("resource", source.target()).log("Informer of {}: {}", source.target(), what);
    }
}
