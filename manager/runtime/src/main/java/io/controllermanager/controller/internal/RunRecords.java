package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.connection.RequestTrail;
import io.controllermanager.controller.internal.journal.Journal;
import io.controllermanager.controller.internal.journal.ReconcileRecord;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says of each reconcile why it ran and what it did: to the journal, and at DEBUG to the log. */
final class RunRecords {

    private static final Logger log = LoggerFactory.getLogger(RunRecords.class);

    private final String controller;
    private final Journal journal;

    RunRecords(String controller, Journal journal) {
        this.controller = controller;
        this.journal = journal;
    }

    /** A reconcile has ended, and what becomes of its key is known. */
    void ended(ReconcileRun run, ReconcileResult result) {
        boolean logs = log.isDebugEnabled();
        boolean quiet = run.failure == null && !run.trail.isEventful();
        if (journal.isKept() && quiet) {
            journal.addQuiet(controller, run.request, run.at);
        }
        if (!logs && (quiet || !journal.isKept())) {
            return;
        }
        ReconcileRecord record = record(run, result);
        if (journal.isKept() && !quiet) {
            journal.add(controller, run.request, record);
        }
        if (logs) {
            log.debug("Reconcile of {} {}: {}", controller, run.key(), record);
        }
    }

    private static ReconcileRecord record(ReconcileRun run, ReconcileResult result) {
        RequestTrail trail = run.trail;
        FailureCause cause = run.failure == null ? null : FailureCause.of(run.failure);
        return new ReconcileRecord(
                run.at,
                Duration.ofNanos(run.endedAt - run.startedAt),
                run.id,
                run.traceId,
                run.taken.priority(),
                Duration.ofNanos(run.taken.waitedNanos()),
                run.taken.causes().delay(),
                Duration.ofNanos(run.taken.causes().delayNanos()),
                run.taken.causes().all().stream()
                        .map(ReconcileRecord.Reason::of)
                        .toList(),
                run.taken.causes().more(),
                result.label(),
                cause == null ? "" : cause.name(),
                cause != null && cause.terminal(),
                run.again,
                trail.writes(),
                trail.moreWrites(),
                trail.failures(),
                trail.moreFailures());
    }
}
