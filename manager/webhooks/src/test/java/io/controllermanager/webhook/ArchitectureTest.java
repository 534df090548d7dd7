package io.controllermanager.webhook;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What authors write stands alone; behind it each part of the module has a package. */
@AnalyzeClasses(packages = "io.controllermanager.webhook", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String INTERNAL = "io.controllermanager.webhook.internal.";

    @ArchTest
    static final ArchRule WHAT_AUTHORS_WRITE_NAMES_NOTHING_INTERNAL = noClasses()
            .that()
            .resideInAPackage("io.controllermanager.webhook")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(INTERNAL + ".");

    @ArchTest
    static void anAuthorHasAtMost15TypesToLearn(JavaClasses classes) {
        assertThat(classes.stream()
                        .filter(type -> type.getPackageName().equals("io.controllermanager.webhook"))
                        .filter(type ->
                                type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getSimpleName))
                .hasSizeLessThanOrEqualTo(15)
                .doesNotContain("package-info");
    }

    @ArchTest
    static final ArchRule PARTS_HAVE_NO_CYCLES =
            slices().matching(INTERNAL + "(*)..").should().beFreeOfCycles();

    /** The Maven plugin registers webhooks, and needs neither a server nor certificates for that. */
    @ArchTest
    static final ArchRule REGISTRATION_IS_PURE = classes()
            .that()
            .resideInAPackage(INTERNAL + "registration")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    INTERNAL + "registration",
                    "io.controllermanager.webhook",
                    "io.controllermanager.types..",
                    "io.controllermanager.client..",
                    "io.kubernetes.client..",
                    "org.jspecify..",
                    "com.google.gson..",
                    "java..");

    @ArchTest
    static final ArchRule THERE_IS_NO_SPRING =
            noClasses().should().dependOnClassesThat().resideInAPackage("org.springframework..");

    @ArchTest
    static final ArchRule NOBODY_SLEEPS = noClasses().should().callMethod(Thread.class, "sleep", long.class);
}
