package io.controllermanager.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControllerSelectionTests {

    @ParameterizedTest
    @CsvSource({
        "'*', true, true",
        "'*', false, false",
        "'', true, false",
        "'bar', true, false",
        "'foo', false, true",
        "'-foo', true, false",
        "'*,-foo', true, false",
        "'-foo,*', true, false",
        "'*,foo', false, true",
        "'foo,-foo', true, true",
        "'-foo,foo', true, false",
        "' * , bar', true, true"
    })
    void decidesAsKubeControllerManagerDoes(String entries, boolean onByDefault, boolean included) {
        assertThat(selection(entries).includes("foo", onByDefault)).isEqualTo(included);
    }

    @Test
    void findsNamesThatNobodyKnows() {
        assertThat(selection("*,foo,-fooo,bar,fooo").unknown(List.of("foo"))).containsExactly("fooo", "bar");
    }

    private static ControllerSelection selection(String entries) {
        return new ControllerSelection(Arrays.asList(entries.split(",")));
    }
}
