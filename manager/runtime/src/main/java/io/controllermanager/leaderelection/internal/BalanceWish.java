package io.controllermanager.leaderelection.internal;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A process's wish for a Lease, as the Lease says it.
 *
 * @param asker who wishes for it, null for nobody
 * @param since since when this process has known of it
 * @param stage what has become of it; of use to the holder alone
 */
record BalanceWish(@Nullable String asker, long since, Stage stage) {

    static final BalanceWish NONE = new BalanceWish(null, 0, Stage.OPEN);

    enum Stage {
        OPEN,
        UNDER_CONSIDERATION,
        REFUSED
    }

    /** The wish after the Lease was seen; a new one if somebody else wishes for it now. */
    BalanceWish seen(@Nullable String askerNow, long now) {
        return Objects.equals(askerNow, asker) ? this : new BalanceWish(askerNow, now, Stage.OPEN);
    }

    boolean isAt(Stage asked) {
        return asker != null && stage == asked;
    }

    BalanceWish at(Stage next) {
        return new BalanceWish(asker, since, next);
    }
}
