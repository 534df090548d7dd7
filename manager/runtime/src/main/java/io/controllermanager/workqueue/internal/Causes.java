package io.controllermanager.workqueue.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a key is queued: everything that led to it since it was last taken. Immutable.
 *
 * @param all at most {@value #MOST}, in the order in which they first came; what is like one that is there is counted with it
 * @param more how many others there were
 * @param delay what had the key wait before it was ready, null for nothing
 * @param delayNanos for how long, the longest of all
 */
public record Causes(List<Cause> all, int more, @Nullable Delay delay, long delayNanos) {

    /** A key's reconcile is explained by a few: a namespace that is deleted changes thousands of objects. */
    public static final int MOST = 8;

    /** Nothing that is known. */
    public static final Causes NONE = new Causes(List.of(), 0, null, 0);

    /** What has a key wait that is not ready. */
    public enum Delay {
        /** The rate limiter, after a failure. */
        BACKOFF,
        /** The reconcile before asked for it. */
        ASKED,
        /** Less than the shortest interval had passed since the reconcile before. */
        MIN_INTERVAL,
        /** Somebody undoes what its reconciles write. */
        UNDONE_WRITES
    }

    /** One cause, about no object. */
    public static Causes of(Cause.Kind kind) {
        return of(new Cause(kind, "", "", "", null, null, 1));
    }

    /** One cause. */
    public static Causes of(Cause cause) {
        return new Causes(List.of(cause), 0, null, 0);
    }

    /** These, of a key that has to wait. */
    public Causes delayed(Delay why, long nanos) {
        return new Causes(all, more, why, nanos);
    }

    /** These and those that come after them. */
    Causes and(Causes later) {
        if (all.isEmpty() && delay == null) {
            return later;
        }
        if (later.all.isEmpty() && later.delay == null) {
            return this;
        }
        List<Cause> merged = new ArrayList<>(all);
        int left = more + later.more;
        for (Cause next : later.all) {
            int place = 0;
            while (place < merged.size() && !merged.get(place).isLike(next)) {
                place++;
            }
            if (place < merged.size()) {
                merged.set(place, merged.get(place).and(next));
            } else if (place < MOST) {
                merged.add(next);
            } else {
                left += next.times();
            }
        }
        boolean longer = later.delayNanos > delayNanos;
        return new Causes(
                List.copyOf(merged), left, longer ? later.delay : delay, longer ? later.delayNanos : delayNanos);
    }
}
