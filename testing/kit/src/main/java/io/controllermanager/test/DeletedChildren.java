package io.controllermanager.test;

import io.controllermanager.test.Wire.Mishap;
import java.util.List;
import java.util.function.Supplier;

/**
 * Deletes each object that the controllers have made, one after the other, when a scenario has come to its end. What has gone
 * has to come back as it was. Finds controllers that do not watch what they make.
 */
public final class DeletedChildren {

    private final Supplier<? extends Scenario> scenario;

    private DeletedChildren(Supplier<? extends Scenario> scenario) {
        this.scenario = scenario;
    }

    /**
     * Of a scenario.
     *
     * @param scenario makes it, for each play anew
     */
    public static DeletedChildren of(Supplier<? extends Scenario> scenario) {
        return new DeletedChildren(scenario);
    }

    /**
     * Plays it undisturbed, deletes what was made, and waits until the controllers have converged.
     *
     * @throws AssertionError with the objects after whose deletion it ends otherwise, and the difference
     */
    public void check() {
        Trials trials = new Trials(scenario);
        for (String child : trials.made()) {
            trials.play(
                    child + " is deleted at the end",
                    Mishap.NONE,
                    play -> {
                        play.delete(child);
                        play.converges();
                    },
                    play -> List.of());
        }
        trials.verdict("Deleted children");
    }
}
