package io.controllermanager.test;

import io.controllermanager.test.Wire.Mishap;
import java.util.List;
import java.util.function.Supplier;

/**
 * Demands that two scenarios come to the same end, since what controllers make of a wish must not depend on what was wished
 * before: an object that was edited and one that was made so at once, an object that was deleted and one that never was.
 * Finds controllers that leave behind what is wanted no more.
 */
public final class SameEnd {

    private final Supplier<? extends Scenario> longWay;
    private final Supplier<? extends Scenario> shortWay;

    private SameEnd(Supplier<? extends Scenario> longWay, Supplier<? extends Scenario> shortWay) {
        this.longWay = longWay;
        this.shortWay = shortWay;
    }

    /**
     * Of two scenarios.
     *
     * @param longWay makes the one that is judged
     * @param shortWay makes the one whose end is right
     */
    public static SameEnd of(Supplier<? extends Scenario> longWay, Supplier<? extends Scenario> shortWay) {
        return new SameEnd(longWay, shortWay);
    }

    /**
     * Plays both.
     *
     * @throws AssertionError with the difference
     */
    public void check() {
        List<String> differences = play(shortWay).differences(play(longWay));
        if (!differences.isEmpty()) {
            throw new AssertionError(
                    "Same end: the long way ends otherwise than the short one (short way → long way)\n    "
                            + String.join("\n    ", differences));
        }
    }

    private static EndState play(Supplier<? extends Scenario> scenario) {
        try (Play play = new Play(scenario.get(), Mishap.NONE)) {
            play.run();
            return play.state();
        }
    }
}
