package io.controllermanager.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The starter knows no controller, and is put together through constructors. */
@AnalyzeClasses(packages = "io.controllermanager.spring", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule NO_CONTROLLER_IS_NAMED = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.controllermanager.foo..", "io.controllermanager.network..");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.controllermanager.spring.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule NOTHING_IS_INJECTED_INTO_FIELDS = noFields()
            .should()
            .beAnnotatedWith("org.springframework.beans.factory.annotation.Autowired")
            .orShould()
            .beAnnotatedWith("org.springframework.beans.factory.annotation.Value")
            .orShould()
            .beAnnotatedWith("jakarta.annotation.Resource")
            .orShould()
            .beAnnotatedWith("jakarta.inject.Inject");

    @ArchTest
    static final ArchRule NOBODY_SLEEPS = noClasses().should().callMethod(Thread.class, "sleep", long.class);
}
