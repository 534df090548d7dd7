package io.controllermanager;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Which package of the runtime may use which, and what none of them may use. */
@AnalyzeClasses(
        packages = "io.controllermanager",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.WithoutTheServersOfTests.class})
class ArchitectureTest {

    private static final String ROOT = "io.controllermanager.";

    /** The API servers of the tests stand on the class path too. Reading them takes longer than reading the runtime. */
    static final class WithoutTheServersOfTests implements ImportOption {

        @Override
        public boolean includes(Location location) {
            return !location.contains("/io/controllermanager/testing/");
        }
    }

    /** Each may use those before it. */
    private static final List<String> ORDER = List.of(
            "time",
            "types",
            "client",
            "recorder",
            "event",
            "workqueue",
            "informer",
            "leaderelection",
            "controller",
            "reconciler",
            "manager",
            "clientjava");

    @ArchTest
    static final ArchRule PACKAGES_USE_ONLY_THOSE_BEFORE_THEM =
            ArchRuleDefinition.classes().should(useOnlyPackagesBeforeTheirs());

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching(ROOT + "(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule THERE_IS_NO_SPRING =
            noClasses().should().dependOnClassesThat().resideInAPackage("org.springframework..");

    @ArchTest
    static final ArchRule NOBODY_SLEEPS = noClasses()
            .should()
            .callMethodWhere(target(name("sleep"))
                    .and(target(owner(assignableTo(Thread.class).or(assignableTo(TimeUnit.class))))))
            .because("time comes from the injected Timer");

    @ArchTest
    static final ArchRule NOTHING_IS_INJECTED_INTO_FIELDS = fields().should()
            .notBeAnnotatedWith("jakarta.inject.Inject")
            .andShould()
            .notBeAnnotatedWith("jakarta.annotation.Resource");

    private static ArchCondition<JavaClass> useOnlyPackagesBeforeTheirs() {
        return new ArchCondition<>("use only packages before theirs in " + ORDER) {
            @Override
            public void check(JavaClass user, ConditionEvents events) {
                int own = ORDER.indexOf(room(user));
                if (own < 0) {
                    events.add(SimpleConditionEvent.violated(user, user.getName() + " is in no known package"));
                }
                user.getDirectDependenciesFromSelf().stream()
                        .filter(use -> use.getTargetClass().getPackageName().startsWith(ROOT))
                        .filter(use -> ORDER.indexOf(room(use.getTargetClass())) > own)
                        .forEach(use -> events.add(SimpleConditionEvent.violated(user, use.getDescription())));
            }
        };
    }

    private static String room(JavaClass type) {
        return type.getPackageName().substring(Math.min(type.getPackageName().length(), ROOT.length()));
    }
}
