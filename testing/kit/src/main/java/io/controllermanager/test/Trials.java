package io.controllermanager.test;

import io.controllermanager.test.Wire.Mishap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plays a scenario undisturbed and then with one thing after another going wrong, and collects where it ends otherwise. Logs one
 * line for each play.
 */
final class Trials {

    private static final Logger log = LoggerFactory.getLogger(Trials.class);

    /** So many failures are told of. */
    private static final int TOLD = 5;

    private final String check;
    private final Supplier<? extends Scenario> scenario;
    private final List<SentWrite> writes;
    private final List<SentWrite> outside;
    private final Map<String, String> made;
    private final EndState end;
    private final List<String> failures = new ArrayList<>();
    private int trials;

    /**
     * Plays it undisturbed.
     *
     * @param check which check it is
     */
    Trials(String check, Supplier<? extends Scenario> scenario) {
        this.check = check;
        this.scenario = scenario;
        try (Play play = new Play(scenario.get(), Mishap.NONE)) {
            play.run();
            this.writes = play.writes();
            this.outside = play.outside();
            this.made = play.made();
            this.end = play.state();
        }
    }

    /** What the controllers wrote, undisturbed. */
    List<SentWrite> writes() {
        return writes;
    }

    /** What they wrote to the system outside, undisturbed. */
    List<SentWrite> outside() {
        return outside;
    }

    /** The objects that the controllers made, undisturbed: the path of each, by what {@link EndState#label} calls it. */
    Map<String, String> made() {
        return made;
    }

    /** Plays it once more. */
    void play(String what, Mishap mishap) {
        play(what, mishap, play -> {}, play -> List.of());
    }

    /**
     * Plays it once more.
     *
     * @param what what goes wrong, for people
     * @param mishap the same, for the wire
     * @param afterwards done at its end, before that is compared
     * @param further what else is wrong with the end
     */
    void play(String what, Mishap mishap, Consumer<Play> afterwards, Function<Play, List<String>> further) {
        trials++;
        List<String> wrong;
        QuietHosts.begin();
        try (Play play = new Play(scenario.get(), mishap)) {
            try {
                play.run();
                afterwards.accept(play);
                wrong = new ArrayList<>(end.differences(play.state()));
                wrong.addAll(further.apply(play));
            } catch (AssertionError e) {
                wrong = List.of(String.valueOf(e.getMessage()));
            }
        } finally {
            QuietHosts.end();
        }
        log.info("{}: {}: {}", check, what, wrong.isEmpty() ? "ends as undisturbed" : "ends otherwise");
        if (!wrong.isEmpty()) {
            failures.add(what + ":\n    " + String.join("\n    ", wrong));
        }
    }

    /** Demands that none has failed. */
    void verdict() {
        if (!failures.isEmpty()) {
            throw new AssertionError(check + ": " + failures.size() + " of " + trials
                    + " plays end otherwise than the undisturbed one (undisturbed → disturbed)\n  "
                    + String.join("\n  ", failures.subList(0, Math.min(TOLD, failures.size())))
                    + (failures.size() > TOLD ? "\n  …" : ""));
        }
    }
}
