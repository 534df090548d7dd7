package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class ControlPlaneBuilderTest {

    private final ControlPlaneBuilder builder = ControlPlane.builder();

    @Test
    void refusesNonsenseByItsValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.kwokNodes(-1))
                .withMessageContaining("-1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.apiServerFlag("--v", "4"))
                .withMessageContaining("--v");
    }
}
