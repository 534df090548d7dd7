package io.controllermanager.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.internal.connection.Availability.State;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AvailabilityTest {

    /**
     * Events: {@code down} a request that failed, {@code 401} a request that was refused, {@code ok} one that was not;
     * {@code /200} and so on a probe's answer, {@code /down} a probe that got none.
     */
    @ParameterizedTest(name = "{0}: {1} after {2}")
    @CsvSource({
        "nothing has happened,               REACHABLE,   ''",
        "answers as ever,                    REACHABLE,   ok ok",
        "a request failed,                   SUSPECT,     down",
        "it was that request's own trouble,  REACHABLE,   down /200",
        "an outage,                          UNREACHABLE, down /down",
        "coming up,                          UNREACHABLE, down /down /500 /403 /403 /503 /403 /403 /403 /403",
        "up again,                           REACHABLE,   down /down /500 /200",
        "may not ask,                        REACHABLE,   down /down /403 /403 /403 /403 /403",
        "knows no /readyz,                   REACHABLE,   down /404 /404 /404 /404 /404",
        "a single 401,                       SUSPECT,     401",
        "somebody else's 401 passed on,      REACHABLE,   401 /200",
        "a 401 while /readyz is forbidden,   REACHABLE,   401 /403 /403 /403 /403 /403",
        "refused for a moment,               REACHABLE,   401 401 /401 /401 /401 /401 /200",
        "refused,                            REFUSING,    401 401 /401 /401 401 /401 /401 /401",
        "refused on,                         REFUSING,    401 /401 /401 /401 /401 /401 401 /401 401",
        "renewed as a probe finds,           REACHABLE,   401 /401 /401 /401 /401 /401 /200",
        "renewed and may not ask,            REACHABLE,   401 /401 /401 /401 /401 /401 /403",
        "renewed as a request finds,         REACHABLE,   401 /401 /401 /401 /401 /401 ok",
        "renewed in time,                    REACHABLE,   401 /401 /401 ok /401 /401 /401",
        "a proxy's 401 for /readyz alone,    REACHABLE,   down /401 /401 /401 /401 /401",
        "the same beside one for a request,  REACHABLE,   401 ok 401 /401 /401 /401 401 /401 /401",
        "an outage while refused,            UNREACHABLE, 401 /401 /401 /401 /401 /401 /down",
        "refused after an outage,            REFUSING,    down /down 401 /401 /401 /401 /401 /401",
        "refused before and after an outage, REFUSING,    401 /401 /down /503 /401 /401 /401 /401 /401",
        "an outage while being asked,        UNREACHABLE, 401 /401 /401 /503"
    })
    void tellsFromHowRequestsAndProbesEnded(String what, State state, String events) {
        Availability availability = Availability.UNQUESTIONED;
        for (String event : events.split(" ", -1)) {
            availability = after(availability, event);
        }

        assertThat(availability.state()).isEqualTo(state);
    }

    private static Availability after(Availability before, String event) {
        return switch (event) {
            case "" -> before;
            case "down" -> before.failed();
            case "401" -> before.refused();
            case "ok" -> before.accepted();
            case "/down" -> before.unanswered("cannot be reached: connection refused");
            default -> before.probed(Integer.parseInt(event.substring(1)));
        };
    }
}
