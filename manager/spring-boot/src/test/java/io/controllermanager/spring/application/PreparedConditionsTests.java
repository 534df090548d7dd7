package io.controllermanager.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreparedConditionsTests {

    private static final Map<String, String> IN_THE_BUILD = Map.of(
            "server.compression.enabled", "true",
            "empty", "",
            "include[0]", "health",
            "include[1]", "info",
            "shop.tenants.a.url", "http://a");

    private final PreparedConditions conditions = PreparedConditions.of(
            Set.of(
                    "server.compression.enabled",
                    "empty",
                    "management.server.port",
                    "include",
                    "include[0]",
                    "shop.tenants"),
            IN_THE_BUILD.keySet(),
            IN_THE_BUILD::get);

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            # name in a source,          property,                    value,   difference
            unknown,                     unknown,                     1,       -
            management.server.port,      management.server.port,      8081,    management.server.port
            MANAGEMENT_SERVER_PORT,      management.server.port,      8081,    management.server.port
            management.serverPort,       management.server.port,      8081,    management.server.port
            managementserverport,        management.server.port,      -,       -
            server.compression.enabled,  server.compression.enabled,  false,   server.compression.enabled
            SERVER_COMPRESSION_ENABLED,  server.compression.enabled,  true,    -
            server.compression.enabled,  server.compression.enabled,  -,       server.compression.enabled
            empty,                       empty,                       -,       empty
            include[1],                  include[1],                  metrics, include[1]
            include[1],                  include[1],                  -,       include[1]
            include[2],                  include[2],                  metrics, include[2]
            INCLUDE_2_,                  include[2],                  metrics, INCLUDE_2_
            SHOP_TENANTS_B_URL,          shop.tenants.b.url,          http://b, SHOP_TENANTS_B_URL
            shop.tenants.a.url,          shop.tenants.a.url,          http://x, shop.tenants.a.url
            """)
    void anotherStartIsToldByTheFirstPropertyThatDiffers(
            String name, String property, String value, String difference) {
        Map<String, String> now = new HashMap<>(IN_THE_BUILD);
        now.put(property, value);

        assertThat(conditions.difference(Set.of(name), now::get)).isEqualTo(difference);
    }

    @Test
    void theSameStartHasNoDifference() {
        assertThat(conditions.difference(IN_THE_BUILD.keySet(), IN_THE_BUILD::get))
                .isNull();
    }

    @Test
    void areReadAsTheyWereWritten() {
        PreparedConditions odd = PreparedConditions.of(
                List.of("a", "b.c[0]", "spaced name", "sp aced:=#", "missing"),
                List.of(),
                Map.of("a", "", "b.c[0]", "=x # ! : \\ ü\n", "spaced name", " x ")::get);

        assertThat(odd.hashes().values()).filteredOn(hash -> !hash.isEmpty()).hasSize(3);
        assertThat(PreparedConditions.parse(odd.text())).isEqualTo(odd);
    }

    @Test
    void areWrittenInTheOrderOfNamesAndTellNoValue() {
        assertThat(PreparedConditions.of(List.of("b", "a", "c"), List.of(), Map.of("b", "secret")::get)
                        .text())
                .matches("a = \nb = [0-9a-f]{64}\nc = \n")
                .doesNotContain("secret");
    }
}
