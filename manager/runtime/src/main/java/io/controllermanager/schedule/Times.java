package io.controllermanager.schedule;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The times of a schedule, at least a minute apart. */
interface Times {

    /**
     * The first time after another one, null if there is none.
     *
     * @param created when the object was created that has the schedule
     */
    @Nullable
    Instant next(Instant created, Instant after);
}
