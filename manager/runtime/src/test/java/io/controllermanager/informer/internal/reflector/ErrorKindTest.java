package io.controllermanager.informer.internal.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.internal.request.ErrorKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How errors of lists and watches are classified, and what follows: the table of docs/informers.md. */
class ErrorKindTest {

    @ParameterizedTest
    @CsvSource({
        "410, gone, EXPIRED",
        "500, too old resource version: 5 (7), EXPIRED",
        "500, etcdserver: mvcc: required revision has been compacted, EXPIRED",
        "504, Too large resource version: 9, TOO_LARGE_VERSION",
        "500, Too large resource version: 9, TOO_LARGE_VERSION",
        "503, Too large resource version: 9, OTHER",
        "400, bad, INVALID",
        "422, invalid, INVALID",
        "401, who?, UNAUTHORIZED",
        "403, no, FORBIDDEN",
        "404, not found, NOT_SERVED",
        "429, later, TURNED_AWAY",
        "500, broken, OTHER",
        "503, , OTHER",
        "0, connection reset, NO_ANSWER",
        "0, , NO_ANSWER"
    })
    void classifies(int code, String message, ErrorKind expected) {
        assertThat(ErrorKind.of(code, message)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "EXPIRED, false, false, READ_AGAIN",
        "EXPIRED, true, false, READ_AGAIN_LATER",
        "EXPIRED, false, true, READ_AGAIN",
        "NOT_SERVED, true, false, AWAIT_TYPE",
        "NOT_SERVED, false, true, AWAIT_TYPE",
        "NO_ANSWER, false, false, RETRY_LATER",
        "NO_ANSWER, false, true, RETRY",
        "TURNED_AWAY, true, false, RETRY_LATER",
        "FORBIDDEN, true, false, RETRY_LATER",
        "UNAUTHORIZED, false, false, RETRY_LATER",
        "TOO_LARGE_VERSION, true, false, RETRY_LATER",
        "INVALID, false, false, RETRY_LATER",
        "OTHER, true, false, RETRY_LATER"
    })
    void saysWhatFollows(ErrorKind kind, boolean reading, boolean stale, ErrorKind.Reaction expected) {
        assertThat(kind.reaction(reading, stale)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "EXPIRED, false, true, EXPIRED",
        "TOO_LARGE_VERSION, false, true, FAILED",
        "INVALID, true, false, FAILED",
        "UNAUTHORIZED, false, false, FAILED",
        "FORBIDDEN, true, false, FAILED",
        "NOT_SERVED, true, false, FAILED",
        "TURNED_AWAY, false, false, FAILED",
        "NO_ANSWER, false, false, CUT",
        "OTHER, true, false, FAILED"
    })
    void saysWhatAWatchListIsFollowedBy(ErrorKind kind, boolean list, boolean mostRecent, Watcher.End end) {
        assertThat(kind.isBetterListed()).isEqualTo(list);
        assertThat(kind.forgetsVersion()).isEqualTo(mostRecent);
        assertThat(Watcher.End.of(kind)).isEqualTo(end);
    }

    @Test
    void takesAnExceptionOfNoRequestForAnotherError() {
        assertThat(ErrorKind.of(new IOException())).isEqualTo(ErrorKind.NO_ANSWER);
        assertThat(ErrorKind.of(new UncheckedIOException(new IOException()))).isEqualTo(ErrorKind.NO_ANSWER);
        assertThat(ErrorKind.of(new IllegalStateException())).isEqualTo(ErrorKind.OTHER);
    }
}
