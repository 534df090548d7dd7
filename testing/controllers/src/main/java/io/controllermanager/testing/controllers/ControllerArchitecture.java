package io.controllermanager.testing.controllers;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * A controller is plain Java; Spring is only where it is put together. For {@code ArchTests.in}, in a class that names the
 * controller's package.
 */
public final class ControllerArchitecture {

    @ArchTest
    static final ArchRule SPRING_IS_IN_THE_AUTO_CONFIGURATION_ALONE = noClasses()
            .that()
            .resideOutsideOfPackage("..autoconfigure")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..", "io.controllermanager.spring..");

    @ArchTest
    static final ArchRule NOTHING_USES_THE_AUTO_CONFIGURATION = noClasses()
            .that()
            .resideOutsideOfPackage("..autoconfigure")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("..autoconfigure");

    private ControllerArchitecture() {}
}
