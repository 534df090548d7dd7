package io.controllermanager.apiserver;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Which of the server's packages may use what. */
@AnalyzeClasses(packages = "io.controllermanager.apiserver", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule ONLY_HTTP_KNOWS_WHAT_CARRIES_IT = noClasses()
            .that()
            .resideOutsideOfPackage("io.controllermanager.apiserver.http")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty..", "okhttp3.tls..");
}
