package io.controllermanager.foo;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The controller is plain Java; Spring is only where it is put together. */
@AnalyzeClasses(packages = "io.controllermanager.foo", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

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
}
