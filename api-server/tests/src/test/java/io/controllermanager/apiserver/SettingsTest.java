package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused at once, and what is not. */
class SettingsTest {

    @Test
    void takeTheLongestHistory() {
        try (ApiServer server = ApiServer.builder().history(Integer.MAX_VALUE).start()) {
            assertThat(server.createNamespace("test")).startsWith("test-");
        }
    }

    @Test
    void refuseAClockThatIsNone() {
        ApiServerBuilder builder = ApiServer.builder();
        assertThatThrownBy(() -> builder.clock(null)).hasMessage("clock");
        try (ApiServer server = builder.start()) {
            assertThatThrownBy(() -> server.setClock(null)).hasMessage("clock");
        }
    }

    @Test
    void refuseAUserWithoutAName() {
        assertThatThrownBy(() -> ApiServer.builder().user(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("''");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bad_Name", "", "a12345678901234567890123456789012345678901234567890123456789"})
    void refuseAPrefixThatMakesNoNamespace(String prefix) {
        try (ApiServer server = ApiServer.start()) {
            assertThatThrownBy(() -> server.createNamespace(prefix))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + prefix + "'");
        }
    }
}
