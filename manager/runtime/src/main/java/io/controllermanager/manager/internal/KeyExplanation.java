package io.controllermanager.manager.internal;

import io.controllermanager.controller.internal.journal.ReconcileRecord;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a controller's key in this process.
 *
 * @param controller the controller's name
 * @param key {@code namespace/name}, or just the name
 * @param waits in one sentence, what the key waits for, and what can be done about it
 * @param reconciles the last reconciles that changed something or failed, the newest first
 * @param quiet how many reconciles besides changed nothing
 * @param lastQuiet when the last of those began, null for none
 */
public record KeyExplanation(
        String controller,
        String key,
        String waits,
        List<ReconcileRecord> reconciles,
        int quiet,
        @Nullable Instant lastQuiet) {}
