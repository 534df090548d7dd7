package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.controller.internal.ControllerSnapshot.Failure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The newest failures of a controller, for people to look at: of each key the newest, so that one key which is retried
 * again and again does not hide the others, and of the ten keys that failed last. With messages of at most 500 characters
 * that is some 15 KB for a controller at most. Safe for use by several threads.
 */
final class RecentFailures {

    static final int KEYS = 10;

    /** In the order of their failures, the newest last. */
    @GuardedBy("this")
    private final Map<String, Failure> byKey = new LinkedHashMap<>();

    @GuardedBy("this")
    private @Nullable Failure last;

    synchronized void add(Failure failure) {
        byKey.remove(failure.key());
        byKey.put(failure.key(), failure);
        if (byKey.size() > KEYS) {
            byKey.remove(byKey.keySet().iterator().next());
        }
        last = failure;
    }

    /** The newest, null if there was none. */
    synchronized @Nullable Failure last() {
        return last;
    }

    /** The newest first. */
    synchronized List<Failure> all() {
        List<Failure> failures = new ArrayList<>(byKey.values());
        Collections.reverse(failures);
        return failures;
    }
}
