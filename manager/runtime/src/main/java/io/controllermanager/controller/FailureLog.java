package io.controllermanager.controller;

import io.controllermanager.client.FailureMessage;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Which keys fail, and what of it is logged.
 *
 * <ul>
 *   <li>Each failed reconcile is one ERROR line with its stack trace.
 *   <li>A {@link TerminalException} is one WARN line without stack trace: it tells of a mistake in the object, which its
 *       author mends, not of one in the reconciler.
 *   <li>One that failed because the API server could not be reached (an {@code IOException} is among its causes) is one
 *       WARN line without stack trace, and only the first time: the same message for the same key is logged again only
 *       after the key has been reconciled. Thousands of keys that are retried while the server is away would otherwise
 *       bury everything else.
 * </ul>
 *
 * Lines are written after the reconciler has returned, when the MDC has been cleared, and carry what was in it as key
 * and value: structured formats do not take the same name from both. The message is {@code cause}: {@code error} is an
 * object with the stack trace in the Elastic Common Schema, and a line that has both would not be written.
 */
final class FailureLog {

    private static final Logger log = LoggerFactory.getLogger(Controller.class);

    private final String controller;
    private final Clock clock;
    private final Map<Request, String> failing = new ConcurrentHashMap<>();
    private final RecentFailures recent = new RecentFailures();

    FailureLog(String controller, Clock clock) {
        this.controller = controller;
        this.clock = clock;
    }

    /**
     * The reconcile failed.
     *
     * @param retried whether the key comes again without a change of its object
     */
    void failed(ReconcileRun run, Throwable failure, boolean retried) {
        String message = FailureMessage.of(failure);
        String before = retried ? failing.put(run.request, message) : failing.remove(run.request);
        recent.add(new ControllerSnapshot.Failure(run.key(), message, clock.now()));
        if (!retried) {
            event(log.atWarn(), run)
                    .addKeyValue("cause", message)
                    .log("Reconcile of {} {} failed, and waits for a change: {}", controller, run.key(), message);
            return;
        }
        if (FailureMessage.isConnectionFailure(failure)) {
            if (!message.equals(before)) {
                event(log.atWarn(), run)
                        .addKeyValue("cause", message)
                        .log("Reconcile of {} {} failed, and is retried: {}", controller, run.key(), message);
            }
            return;
        }
        event(log.atError(), run)
                .addKeyValue("cause", message)
                .setCause(failure)
                .log("Reconcile of {} {} failed, and is retried: {}", controller, run.key(), message);
    }

    /** The reconcile ended without a failure. */
    void ended(Request request) {
        if (!failing.isEmpty()) {
            failing.remove(request);
        }
    }

    /** How many keys wait for a retry after a failure. */
    int failing() {
        return failing.size();
    }

    RecentFailures recent() {
        return recent;
    }

    LoggingEventBuilder event(LoggingEventBuilder builder, ReconcileRun run) {
        LoggingEventBuilder event = builder.addKeyValue("controller", controller);
        if (run.request.getNamespace() != null) {
            event = event.addKeyValue("namespace", run.request.getNamespace());
        }
        return event.addKeyValue("name", run.request.getName()).addKeyValue("reconcileID", run.id);
    }
}
