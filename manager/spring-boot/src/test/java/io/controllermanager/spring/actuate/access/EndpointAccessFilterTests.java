package io.controllermanager.spring.actuate.access;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.MappingMatch;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletMapping;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** What takes servlets or an API server that are hard to come by; the rest is asked of a running manager. */
class EndpointAccessFilterTests {

    private final ListAppender<ILoggingEvent> logs = new ListAppender<>();
    private final SettableClock clock = new SettableClock(0);
    private final EndpointAccessFilter filter = new EndpointAccessFilter(
            new NobodyKnows(), clock, "/actuator", Set.of("/flagz"), Set.of("/actuator/health/liveness"));

    @BeforeEach
    void listen() {
        logs.start();
        logger().addAppender(logs);
    }

    @AfterEach
    void end() {
        logger().detachAppender(logs);
    }

    @Test
    void whatAnotherServletHasBelowTheEndpointsPathIsAnEndpoint() throws Exception {
        HttpServletMapping mapping = new MockHttpServletMapping("dump", "/actuator/heap/*", "heap", MappingMatch.PATH);
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/actuator/heap/dump");
        request.setServletPath("/actuator/heap");
        request.setPathInfo("/dump");
        request.setHttpServletMapping(mapping);
        assertThat(status(request)).isEqualTo(401);
    }

    @Test
    void controlCharactersDoNotReachTheLog() throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/actuator/x%0Aforged");
        request.setServletPath("/actuator/x\nforged");
        request.addHeader("Authorization", "Bearer token");
        assertThat(status(request)).isEqualTo(400);
        assertThat(logs.list)
                .noneMatch(line -> (line.getFormattedMessage() + line.getKeyValuePairs()).contains("forged"));
    }

    @Test
    void howeverManyAskTheLogIsWarnedOnceAMinute() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertThat(status(endpoint("Bearer token"))).isEqualTo(503);
            assertThat(status(endpoint(null))).isEqualTo(401);
        }
        assertThat(warnings()).isEqualTo(1);
        clock.advance(EndpointAccessFilter.WARNING_INTERVAL);
        assertThat(status(endpoint("Bearer token"))).isEqualTo(503);
        assertThat(warnings()).isEqualTo(2);
    }

    private long warnings() {
        return logs.list.stream()
                .filter(line -> line.getFormattedMessage().contains("was not answered"))
                .count();
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(EndpointAccessFilter.class);
    }

    private static MockHttpServletRequest endpoint(@Nullable String authorization) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/actuator/info");
        request.setServletPath("/actuator/info");
        if (authorization != null) {
            request.addHeader("Authorization", authorization);
        }
        return request;
    }

    private int status(MockHttpServletRequest request) throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();
        filter.doFilter(request, response, new MockFilterChain());
        return response.getStatus();
    }

    private static final class NobodyKnows implements AccessReviews {

        @Override
        public @Nullable Caller authenticate(String token) throws ReviewFailedException {
            throw new ReviewFailedException("the API server is away", "away since " + Duration.ofSeconds(1), null);
        }

        @Override
        public boolean isAllowed(Caller caller, String verb, String path) {
            return false;
        }
    }
}
