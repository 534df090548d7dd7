package io.controllermanager.spring.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

/** Why the process is not ready, as something beside the host sees it; empty if it is. A bean counts in the readiness probe. */
@FunctionalInterface
public interface ReadinessReasons extends Supplier<List<String>> {

    /**
     * Whether caches that are not synced, or have lost their watch, keep the process from being ready. Not where others may have to
     * reach it before they can be: a Service leads to ready pods alone, and what fills the caches may come from there.
     */
    default boolean waitsForCaches() {
        return true;
    }
}
