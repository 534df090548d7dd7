package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.controller.internal.ControllerSnapshot.Failure;
import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Which keys fail, and what of it is logged. {@link FailureNews} says which failures are told of and which have a stack
 * trace; at DEBUG each is and each has.
 *
 * <ul>
 *   <li>WARN: the API server has answered with an error or could not be reached, or a {@link TerminalException} tells of a
 *       mistake in the object, which its author mends. The line says all; there is no stack trace.
 *   <li>ERROR: any other exception, which is probably a mistake in the reconciler.
 * </ul>
 *
 * Lines are written after the reconciler has returned, when the MDC has been cleared, and carry what was in it as key
 * and value: structured formats do not take the same name from both. The message is {@code cause}: {@code error} is an
 * object with the stack trace in the Elastic Common Schema, and a line that has both would not be written.
 */
final class FailureLog {

    private static final Logger log = LoggerFactory.getLogger(Controller.class);

    /** With messages of at most 500 characters that is some 15 KB for a controller at most. */
    static final int RECENT = 10;

    private final String controller;
    private final Clock clock;
    final FailureNews news;

    /** Of each of the keys that failed last the newest failure, the newest first. */
    private final Map<String, Failure> recent = Collections.synchronizedMap(new BoundedMap<>(RECENT));

    FailureLog(String controller, Clock clock, KeyMemories memories) {
        this.controller = controller;
        this.clock = clock;
        this.news = new FailureNews(clock, memories);
    }

    /**
     * The reconcile failed.
     *
     * @param cause of the failure
     * @param retry when the key comes again without a change of its object, null if it does not
     */
    void failed(ReconcileRun run, Throwable failure, FailureCause cause, @Nullable Duration retry) {
        String message = FailureMessage.of(failure);
        recent.put(run.key(), new Failure(run.key(), message, clock.now()));
        FailureNews.Telling telling = news.failed(run.request, cause, retry != null);
        Level level = !telling.line() ? Level.DEBUG : retry == null || cause.known() ? Level.WARN : Level.ERROR;
        LoggingEventBuilder event = event(log.atLevel(level), run).addKeyValue("cause", message);
        if (telling.stack() || log.isDebugEnabled()) {
            event = event.setCause(failure);
        }
        event.log(
                "Reconcile of {} {} {}, and {}: {}{}",
                controller,
                run.key(),
                what(run, telling),
                retry == null ? "waits for a change" : "is retried in " + text(retry),
                message,
                telling.leftOut() == 0 ? "" : "; " + telling.leftOut() + " lines like this were left out");
    }

    private static String what(ReconcileRun run, FailureNews.Telling telling) {
        String once = run.timedOut ? "was interrupted at its time limit" : "failed";
        return telling.times() == 1 ? once : once + " " + telling.times() + " times within " + text(telling.within());
    }

    private static String text(Duration time) {
        return time.toMillis() < 10_000 ? time.toMillis() + " ms" : time.toSeconds() + " s";
    }

    /** For people to look at, of the ten keys that failed last the newest failure of each; the newest first. */
    List<Failure> recent() {
        List<Failure> failures = new ArrayList<>(recent.values());
        Collections.reverse(failures);
        return failures;
    }

    LoggingEventBuilder event(LoggingEventBuilder builder, ReconcileRun run) {
        LoggingEventBuilder event = builder.addKeyValue("controller", controller);
        if (run.request.getNamespace() != null) {
            event = event.addKeyValue("namespace", run.request.getNamespace());
        }
        return event.addKeyValue("name", run.request.getName()).addKeyValue("reconcileID", run.id);
    }
}
