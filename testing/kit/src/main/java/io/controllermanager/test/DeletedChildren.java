package io.controllermanager.test;

import io.controllermanager.test.Wire.Mishap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Deletes each object that the controllers have made, one after the other, when a scenario has come to its end. What has gone
 * has to come back as it was. Finds controllers that do not watch what they make.
 */
public final class DeletedChildren {

    private final Supplier<? extends Scenario> scenario;
    private final Set<String> kept;

    private DeletedChildren(Supplier<? extends Scenario> scenario, Set<String> kept) {
        this.scenario = scenario;
        this.kept = kept;
    }

    /**
     * Of a scenario.
     *
     * @param scenario makes it, for each play anew
     */
    public static DeletedChildren of(Supplier<? extends Scenario> scenario) {
        return new DeletedChildren(scenario, Set.of());
    }

    /**
     * Leaves children alone that are made once and never again, such as a Secret with a password that was drawn.
     *
     * @param children by kind, namespace and name, as failures call them: {@code Secret default/password}
     */
    public DeletedChildren except(String... children) {
        return new DeletedChildren(scenario, Set.of(children));
    }

    /**
     * Plays it undisturbed, deletes what was made, and waits until the controllers have converged.
     *
     * @throws AssertionError with the objects after whose deletion it ends otherwise, and the difference
     * @throws IllegalArgumentException if the controllers do not make what is to be left alone
     */
    public void check() {
        Trials trials = new Trials("Deleted children", scenario);
        Map<String, String> made = trials.made();
        for (String child : kept) {
            if (!made.containsKey(child)) {
                throw new IllegalArgumentException(
                        "the controllers do not make '" + child + "', which is to be left alone, but " + made.keySet());
            }
        }
        made.keySet().removeAll(kept);
        for (Map.Entry<String, String> child : made.entrySet()) {
            trials.play(
                    child.getKey() + " is deleted at the end",
                    Mishap.NONE,
                    play -> {
                        play.delete(child.getValue());
                        play.converges();
                    },
                    play -> List.of());
        }
        trials.verdict();
    }
}
