package io.controllermanager.test;

import io.controllermanager.test.Wire.Mishap;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import okhttp3.Response;

/**
 * Loses the process after each write of a scenario: that write reaches the server, its answer and all after it do not, and a
 * new process starts on what the server has. The scenario has to end as it does undisturbed. Finds controllers that live on
 * what they remember, that cannot go on with what is half done, and that do things in the wrong order.
 *
 * <p>Controllers run with as many workers as they say, and write in another order each time. So a write is told by what it is and
 * whether it is the first, second or third such one: {@code patch websites/status default/hello}. Where a play does not come to
 * it, nothing goes wrong there.
 */
public final class CrashPoints {

    private final Supplier<? extends Scenario> scenario;

    private CrashPoints(Supplier<? extends Scenario> scenario) {
        this.scenario = scenario;
    }

    /**
     * Of a scenario.
     *
     * @param scenario makes it, for each play anew
     */
    public static CrashPoints of(Supplier<? extends Scenario> scenario) {
        return new CrashPoints(scenario);
    }

    /**
     * Plays it undisturbed, with the process lost before its first write, and with it lost after each.
     *
     * @throws AssertionError with the writes after which it ends otherwise, and the difference
     */
    public void check() {
        Trials trials = new Trials("Crash points", scenario);
        List<SentWrite> writes = trials.writes();
        trials.play("the process is lost before its first write", lostBeforeTheFirst());
        for (int number = 1; number <= writes.size(); number++) {
            SentWrite write = writes.get(number - 1);
            trials.play(
                    "the process is lost after write " + number + " of " + writes.size() + ", " + write,
                    lostAfter(write));
        }
        trials.verdict();
    }

    private static Mishap lostBeforeTheFirst() {
        AtomicBoolean lost = new AtomicBoolean();
        return (write, attempt) -> {
            if (lost.compareAndSet(false, true)) {
                throw attempt.lose();
            }
            return attempt.send();
        };
    }

    private static Mishap lostAfter(SentWrite last) {
        return (write, attempt) -> {
            Response response = attempt.send();
            if (write.equals(last)) {
                response.close();
                throw attempt.lose();
            }
            return response;
        };
    }
}
