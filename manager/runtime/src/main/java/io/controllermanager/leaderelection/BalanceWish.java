package io.controllermanager.leaderelection;

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

    boolean isOpen() {
        return asker != null && stage == Stage.OPEN;
    }

    boolean isRefused() {
        return stage == Stage.REFUSED;
    }

    BalanceWish underConsideration() {
        return new BalanceWish(asker, since, Stage.UNDER_CONSIDERATION);
    }

    /** A wish that stands is considered again at the next renewal. */
    BalanceWish considered(boolean stands) {
        return new BalanceWish(asker, since, stands ? Stage.OPEN : Stage.REFUSED);
    }
}
