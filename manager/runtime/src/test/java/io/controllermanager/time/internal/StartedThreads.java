package io.controllermanager.time.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The threads of one name that were started since this was made. Those of other tests, which may be about to end, are not
 * among them.
 */
public final class StartedThreads {

    private final String prefix;
    private final Set<Thread> before;

    /** From now on. */
    public StartedThreads(String prefix) {
        this.prefix = prefix;
        this.before = Set.copyOf(Thread.getAllStackTraces().keySet());
    }

    /** Those that live, and where each is. */
    public Map<Thread, StackTraceElement[]> living() {
        Map<Thread, StackTraceElement[]> living = new HashMap<>(Thread.getAllStackTraces());
        living.keySet()
                .removeIf(thread -> before.contains(thread) || !thread.getName().startsWith(prefix));
        return living;
    }

    /** Waits until none of them lives. */
    public void awaitEnd() {
        await().untilAsserted(() -> assertThat(living()).isEmpty());
    }
}
