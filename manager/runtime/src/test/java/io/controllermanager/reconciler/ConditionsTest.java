package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConditionsTest {

    private static final Instant NOW = Instant.parse("2030-01-02T03:04:05.678Z");
    private static final StatusCondition READY = new StatusCondition("Ready", "True", "Served", "2 of 2");
    private static final String OTHER = "{'type':'Other','status':'True','foreign':'field'}";
    private static final String STALE = "{'type':'Ready','status':'%s','reason':'R','message':'m',"
            + "'observedGeneration':1,'lastTransitionTime':'2020-01-01T00:00:00Z'}";

    private static JsonArray json(String text) {
        return JsonParser.parseString(text.replace('\'', '"')).getAsJsonArray();
    }

    @Test
    void aNewOneBeginsNow() {
        assertThat(Conditions.merge(json("[]"), List.of(READY), 2L, NOW))
                .isEqualTo(json("[{'type':'Ready','status':'True','reason':'Served','message':'2 of 2',"
                        + "'observedGeneration':2,'lastTransitionTime':'2030-01-02T03:04:05Z'}]"));
    }

    @Test
    void theTimeStaysAsLongAsTheStatusDoes() {
        assertThat(Conditions.merge(json("[" + STALE.formatted("True") + "]"), List.of(READY), 2L, NOW)
                        .toString())
                .contains("2020-01-01T00:00:00Z", "Served", "\"observedGeneration\":2");
        assertThat(Conditions.merge(json("[" + STALE.formatted("False") + "]"), List.of(READY), 2L, NOW)
                        .toString())
                .contains("2030-01-02T03:04:05Z");
    }

    @Test
    void othersStayAsTheyAreAndAllKeepTheirOrder() {
        JsonArray present = json("[" + STALE.formatted("True") + "," + OTHER + "]");

        JsonArray merged =
                Conditions.merge(present, List.of(new StatusCondition("New", "Unknown", "New", ""), READY), null, NOW);

        assertThat(merged).hasSize(3);
        assertThat(merged.get(0).toString()).contains("Served", "\"observedGeneration\":1");
        assertThat(merged.get(1)).isEqualTo(present.get(1));
        assertThat(merged.get(2).toString()).contains("Unknown");
    }

    @Test
    void refusesWhatTheApiServerWould() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StatusCondition("Ready", "true", "R", ""))
                .withMessage("status of condition Ready must be True, False or Unknown, but is \"true\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StatusCondition("Ready", "True", "not one word", ""))
                .withMessage("reason of condition Ready must be one word, but is \"not one word\"");
    }
}
