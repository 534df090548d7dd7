package io.controllermanager.test;

import io.controllermanager.apiserver.writes.RecordedWrite;
import io.controllermanager.controller.internal.journal.ReconcileRecord;
import io.controllermanager.manager.internal.ControllerManager;
import io.controllermanager.manager.internal.ControllerState;
import io.controllermanager.manager.internal.KeyExplanation;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Says why keys were reconciled, so that a test that fails does. */
final class Explanations {

    private static final int RECORDS = 10;
    private static final int WRITES = 4;

    private Explanations() {}

    /** What a key waits for, and its last reconciles, the newest first. */
    static String of(KeyExplanation known) {
        return known.waits()
                + known.reconciles().stream()
                        .limit(RECORDS)
                        .map(record -> "\n  " + record.at() + " " + record)
                        .collect(Collectors.joining())
                + (known.quiet() == 0 ? "" : "\n  " + known.quiet() + " reconciles besides changed nothing");
    }

    /** Why the last reconciles ran that made these writes; empty where nothing is known. */
    static String of(ControllerManager manager, List<RecordedWrite> writes) {
        List<String> keys = writes.stream()
                .map(write -> write.namespace().isEmpty() ? write.name() : write.namespace() + "/" + write.name())
                .distinct()
                .toList();
        return manager.controllers().stream()
                .filter(controller -> controller.state() == ControllerState.RUNNING)
                .flatMap(controller -> manager.search(controller.name(), "").stream()
                        .flatMap(key -> lines(manager, controller.name(), key, keys)))
                .limit(WRITES)
                .map(line -> "\n  " + line)
                .collect(Collectors.joining());
    }

    private static Stream<String> lines(
            ControllerManager manager, String controller, Request key, List<String> written) {
        KeyExplanation known = manager.explain(controller, key);
        return known.reconciles().stream()
                .limit(2)
                .filter(record -> writes(record, written))
                .map(record -> controller + " reconciled " + known.key() + ": " + record);
    }

    private static boolean writes(ReconcileRecord record, List<String> keys) {
        return record.writes().stream().anyMatch(write -> keys.contains(write.key()));
    }
}
