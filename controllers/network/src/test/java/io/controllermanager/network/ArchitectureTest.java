package io.controllermanager.network;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import io.controllermanager.testing.controllers.ControllerArchitecture;

/** What holds for every controller's code. */
@AnalyzeClasses(packages = "io.controllermanager.network", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchTests RULES = ArchTests.in(ControllerArchitecture.class);
}
