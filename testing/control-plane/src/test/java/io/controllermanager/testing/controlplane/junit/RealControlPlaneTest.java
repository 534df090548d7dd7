package io.controllermanager.testing.controlplane.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.controlplane.ControlPlane;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

@RealControlPlane
@TestInstance(Lifecycle.PER_CLASS)
class RealControlPlaneTest {

    private final ControlPlane plane;
    private final Set<String> seen = new HashSet<>();
    private String inSetUp = "";

    RealControlPlaneTest(ControlPlane plane) {
        this.plane = plane;
    }

    @BeforeAll
    void takeANamespaceForTheClass(FreshNamespace namespace) {
        seen.add(namespace.name());
    }

    @BeforeEach
    void takeANamespaceForTheTest(FreshNamespace namespace) {
        inSetUp = namespace.name();
    }

    @RepeatedTest(2)
    void givesEachTestANamespaceOfItsOwn(FreshNamespace namespace) {
        assertThat(namespace).hasToString(inSetUp);
        assertThat(seen.add(namespace.name())).isTrue();
    }

    @Test
    void sharesThePlane(ControlPlane parameter) {
        assertThat(parameter).isSameAs(plane);
    }

    @Nested
    class InANestedClass {

        @Test
        void sharesThePlaneToo(ControlPlane parameter) {
            assertThat(parameter).isSameAs(plane);
        }
    }

    @Nested
    @RealControlPlane
    class WithAnAnnotationThatSaysTheSame {

        @Test
        void sharesThePlaneToo(ControlPlane parameter) {
            assertThat(parameter).isSameAs(plane);
        }
    }
}
