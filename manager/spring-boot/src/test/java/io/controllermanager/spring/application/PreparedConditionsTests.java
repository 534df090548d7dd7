package io.controllermanager.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreparedConditionsTests {

    private final PreparedConditions conditions = new PreparedConditions(
            Map.of("server.compression.enabled", "true", "empty", ""),
            Set.of("management.server.port", "include[0]", "spring.ssl.bundle"));

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            # name in a source,          property,                    value,   difference
            unknown,                     unknown,                     1,       -
            management.server.port,      management.server.port,      8081,    management.server.port is 8081
            MANAGEMENT_SERVER_PORT,      management.server.port,      8081,    management.server.port is 8081
            management.serverPort,       management.server.port,      8081,    management.server.port is 8081
            INCLUDE_0_,                  include[0],                  a,       include[0] is a
            managementserverport,        management.server.port,      -,       -
            server.compression.enabled,  server.compression.enabled,  false,   server.compression.enabled is false
            SERVER_COMPRESSION_ENABLED,  server.compression.enabled,  true,    -
            server.compression.enabled,  server.compression.enabled,  -,       server.compression.enabled is not set
            empty,                       empty,                       -,       empty is not set
            """)
    void anotherStartIsToldByTheFirstPropertyThatDiffers(
            String name, String property, String value, String difference) {
        String found = conditions.difference(
                Set.of(name),
                asked -> asked.equals(property) ? value : conditions.found().get(asked));

        assertThat(found).isEqualTo(difference);
    }

    @Test
    void theSameStartHasNoDifference() {
        assertThat(conditions.difference(
                        conditions.found().keySet(), name -> conditions.found().get(name)))
                .isNull();
    }

    @Test
    void areReadAsTheyWereWritten() {
        PreparedConditions odd = new PreparedConditions(
                Map.of("a", "", "b.c[0]", "=x # ! : \\ ü\n", "spaced name", " x "), Set.of("missing", "sp aced:=#"));

        assertThat(PreparedConditions.parse(odd.text())).isEqualTo(odd);
    }

    @Test
    void areWrittenInTheOrderOfNames() {
        assertThat(new PreparedConditions(Map.of("b", "1"), Set.of("a", "c")).text())
                .isEqualTo("a = \nb = \\u003d1\nc = \n");
    }
}
