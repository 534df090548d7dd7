package io.controllermanager.spring.autoconfigure;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;

/**
 * How large the heap may become, and what comes then.
 *
 * @param bytes the largest size
 * @param ends whether the process ends when the heap is full
 */
record HeapLimit(long bytes, boolean ends) {

    private static final Set<String> ENDING = Set.of("-XX:+ExitOnOutOfMemoryError", "-XX:+CrashOnOutOfMemoryError");

    static HeapLimit ofThisProcess() {
        return of(
                Runtime.getRuntime().maxMemory(),
                ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    /** Of a JVM with these options, wherever it has them from. */
    static HeapLimit of(long bytes, List<String> options) {
        return new HeapLimit(bytes, options.stream().anyMatch(ENDING::contains));
    }

    /** For the log, where nothing can be said any more once the heap is full. */
    String inWords() {
        return "The heap may grow to " + (bytes >> 20) + " MiB; when it is full the process "
                + (ends ? "ends" : "goes on without what failed, unless Java has -XX:+ExitOnOutOfMemoryError");
    }
}
