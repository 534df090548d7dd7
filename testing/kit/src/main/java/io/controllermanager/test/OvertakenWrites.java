package io.controllermanager.test;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import okhttp3.Response;

/**
 * Has another writer get in before each write of a scenario to an object that exists: it sets an annotation of its own on that
 * object. The write must leave the annotation alone, or be refused, and the scenario has to end as it does undisturbed.
 * Finds controllers that overwrite what they have not read.
 */
public final class OvertakenWrites {

    /** The annotation of the other writer. */
    static final String ANNOTATION = "example.com/another-writer";

    private final Supplier<? extends Scenario> scenario;

    private OvertakenWrites(Supplier<? extends Scenario> scenario) {
        this.scenario = scenario;
    }

    /**
     * Of a scenario.
     *
     * @param scenario makes it, for each play anew
     */
    public static OvertakenWrites of(Supplier<? extends Scenario> scenario) {
        return new OvertakenWrites(scenario);
    }

    /**
     * Plays it undisturbed, and with each write overtaken.
     *
     * @throws AssertionError with the writes that lost the other's annotation, or that end otherwise, and the difference
     */
    public void check() {
        Trials trials = new Trials("Overtaken writes", scenario);
        List<SentWrite> writes = trials.writes();
        for (int number = 1; number <= writes.size(); number++) {
            SentWrite write = writes.get(number - 1);
            if (write.method().equals("PUT") || write.method().equals("PATCH")) {
                play(
                        trials,
                        write,
                        "another writer gets in before write " + number + " of " + writes.size() + ", " + write);
            }
        }
        trials.verdict();
    }

    private static void play(Trials trials, SentWrite which, String what) {
        List<String> lost = new CopyOnWriteArrayList<>();
        trials.play(
                what,
                (write, attempt) -> {
                    if (!write.equals(which) || !attempt.annotate(write.path(), ANNOTATION)) {
                        return attempt.send();
                    }
                    Response response = attempt.send();
                    JsonNode after = attempt.read(write.path());
                    if (!after.isMissingNode() && isLost(after)) {
                        lost.add(EndState.label(after) + " has lost the annotation " + ANNOTATION
                                + " that another writer has set");
                    }
                    return response;
                },
                play -> {},
                play -> lost);
    }

    private static boolean isLost(JsonNode object) {
        return object.path("metadata").path("annotations").path(ANNOTATION).isMissingNode();
    }
}
