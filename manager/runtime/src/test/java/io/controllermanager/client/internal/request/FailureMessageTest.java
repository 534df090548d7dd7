package io.controllermanager.client.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FailureMessageTest {

    private final ApiException notFound = new ApiException(
            "Not Found",
            404,
            Map.of("Content-Type", List.of("application/json")),
            "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"message\":\"foos \\\"a\\\" not found\"}");

    @Test
    void saysWhatTheApiServerSaid() {
        assertThat(FailureMessage.of(notFound)).isEqualTo("ApiException: 404 foos \"a\" not found");
        assertThat(FailureMessage.of(new IllegalStateException(notFound)))
                .isEqualTo("ApiException: 404 foos \"a\" not found");
        assertThat(FailureMessage.of(new IllegalStateException("cannot write status", notFound)))
                .isEqualTo("IllegalStateException: cannot write status: ApiException: 404 foos \"a\" not found");
    }

    @Test
    void saysWhatCameOfARequest() {
        assertThat(FailureMessage.ofRequest(notFound)).isEqualTo("HTTP 404 NotFound: foos \"a\" not found");
        assertThat(FailureMessage.ofRequest(new ApiException("Bad Gateway", 502, Map.of(), "<html>\n  bad\n</html>")))
                .isEqualTo("HTTP 502: <html> bad </html>");
        assertThat(FailureMessage.ofRequest(new ApiException(503, ""))).isEqualTo("HTTP 503");
        assertThat(FailureMessage.ofRequest(new ApiException(new ConnectException("refused"))))
                .isEqualTo("ConnectException: refused");
    }

    @Test
    void saysWhatAnExceptionSaysOrItsClass() {
        assertThat(FailureMessage.words(new IOException(" a\r\nb "))).isEqualTo("a b");
        assertThat(FailureMessage.words(new ConnectException())).isEqualTo("ConnectException");
    }

    @Test
    void saysWhatWasTriedWhereThatIsKnown() {
        assertThat(FailureMessage.of(ApiRequests.failure("watch foos", 503, "apiserver is shutting down", null)))
                .isEqualTo("RequestFailedException: watch foos: apiserver is shutting down");
    }

    @Test
    void takesAnyOtherBodyAsItIsInOneLine() {
        ApiException gateway = new ApiException("Bad Gateway", 502, Map.of(), "<html>\n  bad\n</html>");
        assertThat(FailureMessage.of(gateway)).isEqualTo("ApiException: 502 <html> bad </html>");
        assertThat(FailureMessage.of(new ApiException(500, ""))).isEqualTo("ApiException: 500");
    }

    @Test
    void namesTheCauseOfARequestThatFailedOnItsWay() {
        ApiException unreachable = new ApiException(new ConnectException("Failed to connect to /127.0.0.1:6443"));
        assertThat(FailureMessage.of(unreachable)).isEqualTo("ConnectException: Failed to connect to /127.0.0.1:6443");
    }

    @Test
    void givesWayToTheCauseOnlyWhereItAddsNothing() {
        assertThat(FailureMessage.of(new IllegalStateException("x is gone", new IllegalArgumentException("x is gone"))))
                .isEqualTo("IllegalArgumentException: x is gone");
        // The class of this one says something.
        assertThat(FailureMessage.of(new UncheckedIOException("x is gone", new IOException("x is gone"))))
                .isEqualTo("UncheckedIOException: x is gone");
    }

    @Test
    void keepsOtherMessagesShort() {
        assertThat(FailureMessage.of(new IllegalStateException("no"))).isEqualTo("IllegalStateException: no");
        assertThat(FailureMessage.of(new NullPointerException())).isEqualTo("NullPointerException");
        assertThat(FailureMessage.of(new IllegalStateException("x".repeat(10_000))))
                .hasSizeLessThan(520);
    }

    @Test
    void endsWhereCausesGoInACircle() {
        Exception one = new Exception("one");
        Exception two = new Exception(one);
        one.initCause(two);
        assertThat(FailureMessage.of(two)).contains("one");
    }
}
