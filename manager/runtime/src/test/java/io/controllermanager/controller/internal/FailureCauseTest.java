package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.TerminalException;
import io.kubernetes.client.openapi.ApiException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class FailureCauseTest {

    @Test
    void anAnswerOfTheApiServerIsItsCodeWhateverHasWrappedIt() {
        ApiException conflict = new ApiException("Conflict", 409, Map.of(), "{}");
        FailureCause cause = new FailureCause("HTTP 409", true, false);
        assertThat(FailureCause.of(conflict)).isEqualTo(cause);
        assertThat(FailureCause.of(new IllegalStateException("cannot write", new CompletionException(conflict))))
                .isEqualTo(cause);
    }

    @Test
    void aServerThatIsAwayIsKnown() {
        ApiException away = new ApiException(new ConnectException("Failed to connect to /127.0.0.1:6443"));
        assertThat(FailureCause.of(new IllegalStateException("x", away)).known())
                .isTrue();
        assertThat(FailureCause.of(new UncheckedIOException(new SocketTimeoutException("timeout")))
                        .known())
                .isTrue();
        assertThat(FailureCause.of(new UncheckedIOException(new NoSuchFileException("template")))
                        .known())
                .as("a reconciler's own file")
                .isFalse();
    }

    @Test
    void anythingElseIsTheClassAtTheBottomAndWhereItWasThrown() {
        FailureCause one = FailureCause.of(new IllegalStateException("a", broken("b")));
        FailureCause same = FailureCause.of(new IllegalStateException("c", broken("d")));
        assertThat(one).isEqualTo(same);
        assertThat(one.known()).isFalse();
        assertThat(one.name())
                .startsWith(
                        "java.lang.NullPointerException at io.controllermanager.controller.internal.FailureCauseTest.broken(");
        assertThat(FailureCause.of(new NullPointerException("elsewhere"))).isNotEqualTo(one);
    }

    @Test
    void onesWithoutAStackAreTheSame() {
        NullPointerException bare = new NullPointerException();
        bare.setStackTrace(new StackTraceElement[0]);
        assertThat(FailureCause.of(bare)).isEqualTo(new FailureCause("java.lang.NullPointerException", false, false));
    }

    @Test
    void aTerminalExceptionIsOneWhateverHasWrappedItAndWhateverHasCausedIt() {
        ApiException invalid = new ApiException("Invalid", 422, Map.of(), "{}");
        TerminalException terminal = new TerminalException("never", invalid);
        assertThat(FailureCause.of(new CompletionException(terminal)))
                .isEqualTo(new FailureCause("HTTP 422", true, true));
        assertThat(FailureCause.of(new ApiException("Invalid", terminal, 422, Map.of()))
                        .terminal())
                .isTrue();
        assertThat(FailureCause.of(invalid).terminal()).isFalse();
    }

    @Test
    void endsWhereCausesGoInACircle() {
        Exception one = new Exception("one");
        Exception two = new Exception(one);
        one.initCause(two);
        assertThat(FailureCause.of(two).known()).isFalse();
    }

    private static Exception broken(String message) {
        return new NullPointerException(message);
    }
}
