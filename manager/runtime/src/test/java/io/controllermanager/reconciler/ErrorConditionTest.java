package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.TerminalException;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import java.io.InterruptedIOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorConditionTest {

    private static final class QuotaUsedUpException extends TerminalException {
        private static final long serialVersionUID = 1L;

        QuotaUsedUpException() {
            super("no room\n for it");
        }
    }

    private static ApiException answer(int code, String reason) {
        return new ApiException(
                code,
                Map.of(),
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"reason\":\"" + reason + "\",\"message\":\"said\"}");
    }

    @Test
    void saysWhatFailed() {
        assertThat(ErrorCondition.of(new QuotaUsedUpException(), null, null, false))
                .isEqualTo(new StatusCondition("Ready", "False", "QuotaUsedUp", "reconcile failed: no room for it"));
        assertThat(ErrorCondition.of(new IllegalStateException("x", answer(422, "Invalid")), null, null, false))
                .isEqualTo(new StatusCondition(
                        "Ready",
                        "False",
                        "Invalid",
                        "reconcile failed: IllegalStateException: x: ApiException: 422 said"));
        assertThat(ErrorCondition.of(answer(418, ""), null, null, false))
                .extracting(StatusCondition::reason)
                .isEqualTo("HTTP418");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 401, 408, 409, 429, 500, 503})
    void saysNothingOfWhatPassesUnlessItLastsOrIsNotTriedAgain(int code) {
        assertThat(ErrorCondition.of(new IllegalStateException(answer(code, "Conflict")), null, null, false))
                .isNull();
        assertThat(ErrorCondition.of(new IllegalStateException(answer(code, "Conflict")), null, null, true))
                .extracting(StatusCondition::reason)
                .isEqualTo("Conflict");
        assertThat(ErrorCondition.of(new TerminalException("x", answer(code, "Conflict")), null, null, false))
                .extracting(StatusCondition::reason)
                .isEqualTo("Conflict");
        assertThat(ErrorCondition.of(new IllegalStateException(new InterruptedIOException()), null, null, true))
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            used 5 of 7,              used 6 of 7,              used 5 of 7
            at 2030-01-01T00:00:00Z,  at 2031-02-03T10:11:12Z,  at 2030-01-01T00:00:00Z
            no room,                  no space,                 no space
            """)
    void aFailureThatRepeatsSaysTheSame(String before, String now, String said) {
        V1Condition present =
                new V1Condition().status("False").reason("IllegalState").message("reconcile failed: " + before);

        assertThat(ErrorCondition.of(new IllegalStateException(now), present, null, false))
                .isEqualTo(new StatusCondition("Ready", "False", "IllegalState", "reconcile failed: " + said));
        assertThat(ErrorCondition.of(new IllegalStateException(now), present.status("True"), null, false))
                .extracting(StatusCondition::message)
                .isEqualTo("reconcile failed: " + now);
    }

    @Test
    void aFailureAfterAnEditSaysWhatIsWrongNow() {
        V1Condition present = new V1Condition()
                .status("False")
                .reason("IllegalState")
                .message("reconcile failed: port 80 is taken")
                .observedGeneration(1L);

        assertThat(ErrorCondition.of(new IllegalStateException("port 81 is taken"), present, 2L, false))
                .extracting(StatusCondition::message)
                .isEqualTo("reconcile failed: port 81 is taken");
    }
}
