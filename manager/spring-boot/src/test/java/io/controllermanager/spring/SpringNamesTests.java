package io.controllermanager.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What authors of controllers name stands beside what they name of Spring, also where both packages are imported whole. */
class SpringNamesTests {

    private static final String[] SPRINGS = {
        "org.springframework.beans.factory.annotation",
        "org.springframework.boot.autoconfigure",
        "org.springframework.boot.context.properties",
        "org.springframework.context.annotation",
        "org.springframework.context.event",
        "org.springframework.scheduling.annotation",
        "org.springframework.stereotype"
    };

    private static final String[] OURS = {
        "io.controllermanager.client",
        "io.controllermanager.controller",
        "io.controllermanager.event",
        "io.controllermanager.informer",
        "io.controllermanager.reconciler",
        "io.controllermanager.types"
    };

    private static Set<String> publicNames(String... packages) {
        return new ClassFileImporter()
                .importPackages(packages).stream()
                        .filter(type ->
                                type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                        .filter(type -> Set.of(packages).contains(type.getPackageName()))
                        .map(JavaClass::getSimpleName)
                        .collect(Collectors.toSet());
    }

    @Test
    void noneOfOursIsAlsoOneOfSprings() {
        Set<String> springs = publicNames(SPRINGS);

        assertThat(springs).contains("Description", "Condition", "Bean", "Component");
        assertThat(publicNames(OURS))
                .contains("ControllerDescription", "StatusCondition")
                .doesNotContainAnyElementsOf(springs);
    }
}
