package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1Condition;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which objects count though they have no slot. */
class BudgetReadinessTest {

    private static final Index<Gadget> BY_SIZE =
            Index.of("size", gadget -> gadget.spec().size());

    private static Gadget gadget(@Nullable String status, @Nullable String message) {
        Gadget gadget = Gadget.named("ns", "g", new Gadget.Spec("S", List.of(), null));
        if (status != null) {
            V1Condition ready =
                    new V1Condition().type("Ready").status(status).reason("R").message(message);
            gadget.setStatus(new Gadget.Status(1L, null, List.of(ready)));
        }
        return gadget;
    }

    @ParameterizedTest(name = "Ready {0}, \"{1}\", going {2}: counts {3}")
    @CsvSource({
        "True, '', false, false",
        "False, it starts, false, true",
        "Unknown, '', false, true",
        ", , false, true",
        "False, reconcile failed: the API server is away, false, false",
        "False, it starts, true, false",
        ", , true, false"
    })
    void whatIsNotReadyCounts(@Nullable String status, @Nullable String message, boolean going, boolean counts) {
        Gadget gadget = gadget(status, message);
        gadget.getMetadata().setDeletionTimestamp(going ? OffsetDateTime.MIN : null);
        Budget<Gadget> budget = new Budget<>(BY_SIZE, 1, Budget::saysReady);

        assertThat(budget.isReady(gadget)).isEqualTo(!counts);
        assertThat(budget.notReady.values().apply(gadget)).isEqualTo(counts ? List.of("S") : List.of());
    }

    @Test
    void anAuthorsOwnWordCountsInstead() {
        Budget<Gadget> budget =
                new Budget<>(BY_SIZE, 1, gadget -> gadget.spec().parts().isEmpty());

        assertThat(budget.isReady(gadget("False", "it starts"))).isTrue();
    }
}
