package io.controllermanager.spring.actuate.access;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.MappingMatch;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletMapping;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** What takes servlets or an API server that are hard to come by; the rest is asked of a running manager. */
@ExtendWith(OutputCaptureExtension.class)
class EndpointAccessFilterTests {

    private final SettableClock clock = new SettableClock(0);
    private final EndpointAccessFilter filter =
            new EndpointAccessFilter(new NobodyKnows(), clock, "/actuator", Set.of("/actuator/health/liveness"));

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
    void controlCharactersDoNotReachTheLog(CapturedOutput output) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/actuator/x%0Aforged");
        request.setServletPath("/actuator/x\nforged");
        request.addHeader("Authorization", "Bearer token");
        assertThat(status(request)).isEqualTo(400);
        assertThat(output.getAll()).doesNotContain("forged");
    }

    @Test
    void howeverManyAskTheLogIsWarnedOnceAMinute(CapturedOutput output) throws Exception {
        for (int i = 0; i < 10; i++) {
            assertThat(status(endpoint("Bearer token"))).isEqualTo(503);
            assertThat(status(endpoint(null))).isEqualTo(401);
        }
        assertThat(warnings(output)).isEqualTo(1);
        clock.advance(EndpointAccessFilter.WARNING_INTERVAL);
        assertThat(status(endpoint("Bearer token"))).isEqualTo(503);
        assertThat(warnings(output)).isEqualTo(2);
    }

    private static long warnings(CapturedOutput output) {
        return output.getAll()
                .lines()
                .filter(line -> line.contains("was not answered"))
                .count();
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
