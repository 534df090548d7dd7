package io.controllermanager.test;

import io.controllermanager.test.Wire.Mishap;
import java.util.List;
import java.util.function.Supplier;

/**
 * Refuses each write of a scenario once: with an internal error, and where the object exists with a conflict too. The
 * process lives on. The scenario has to end as it does undisturbed. Finds controllers that swallow an error.
 */
public final class RefusedWrites {

    private final Supplier<? extends Scenario> scenario;

    private RefusedWrites(Supplier<? extends Scenario> scenario) {
        this.scenario = scenario;
    }

    /**
     * Of a scenario.
     *
     * @param scenario makes it, for each play anew
     */
    public static RefusedWrites of(Supplier<? extends Scenario> scenario) {
        return new RefusedWrites(scenario);
    }

    /**
     * Plays it undisturbed, and with each write refused.
     *
     * @throws AssertionError with the writes whose refusal makes it end otherwise, and the difference
     */
    public void check() {
        Trials trials = new Trials("Refused writes", scenario);
        List<SentWrite> writes = trials.writes();
        for (int number = 1; number <= writes.size(); number++) {
            SentWrite write = writes.get(number - 1);
            String what = "write " + number + " of " + writes.size() + ", " + write + ", is refused with ";
            trials.play(what + "500 InternalError", refused(write, 500, "InternalError"));
            if (!write.method().equals("POST")) {
                trials.play(what + "409 Conflict", refused(write, 409, "Conflict"));
            }
        }
        trials.verdict();
    }

    private static Mishap refused(SentWrite which, int code, String reason) {
        return (write, attempt) -> write.equals(which) ? attempt.answer(code, reason) : attempt.send();
    }
}
