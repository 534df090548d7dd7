package io.controllermanager;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
            return !location.contains("/io/controllermanager/testing/")
                    && !location.contains("/io/controllermanager/apiserver/");
        }
    }

    /** Each may use those before it. */
    private static final List<String> ORDER = List.of(
            "time",
            "schedule",
            "types",
            "client",
            "readiness",
            "recorder",
            "event",
            "workqueue",
            "informer",
            "leaderelection",
            "controller",
            "external",
            "reconciler",
            "manager",
            "clientjava");

    @ArchTest
    static final ArchRule PACKAGES_USE_ONLY_THOSE_BEFORE_THEM =
            ArchRuleDefinition.classes().should(useOnlyPackagesBeforeTheirs());

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching(ROOT + "(*)..").should().beFreeOfCycles();

    /**
     * The JDK's AOT cache holds no lambda of such an interface. Each would be made when it is first needed, as by the first
     * reconcile of a new leader, for which all workers wait.
     */
    @ArchTest
    static final ArchRule FUNCTIONAL_INTERFACES_WITH_DEFAULT_METHODS_INITIALIZE_NOTHING = noClasses()
            .that()
            .areInterfaces()
            .and(DescribedPredicate.describe("have one abstract method and default ones", type -> {
                List<Set<JavaModifier>> methods = type.getMethods().stream()
                        .map(JavaMember::getModifiers)
                        .filter(modifiers -> !modifiers.contains(JavaModifier.STATIC))
                        .toList();
                long given = methods.stream()
                        .filter(modifiers -> modifiers.contains(JavaModifier.ABSTRACT))
                        .count();
                return given == 1 && methods.size() > 1;
            }))
            .should(new ArchCondition<JavaClass>("have a static initializer") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    boolean initializes = type.getStaticInitializer().isPresent();
                    events.add(new SimpleConditionEvent(type, initializes, type.getName() + " initializes fields"));
                }
            });

    /** What is behind a part's package for users, in rooms: each may use those before it. */
    private static final Map<String, List<String>> ROOMS = Map.of(
            "client", List.of("json", "transport", "request", "access", "plan", "connection"),
            "informer", List.of("store", "reflector", "delivery", "partition", "internal"));

    @ArchTest
    static final ArchRule ROOMS_USE_ONLY_THOSE_BEFORE_THEM = ArchRuleDefinition.classes()
            .that(DescribedPredicate.describe("stand in a room", ArchitectureTest::isInARoom))
            .should(useOnlyRoomsBeforeTheirs());

    /** Of the classes for users each counts as a room: the values below use no room that uses them. */
    @ArchTest
    static final ArchRule THE_CLIENT_HAS_NO_CYCLES =
            slices().assignedFrom(roomsAndUsersClasses("client")).should().beFreeOfCycles();

    @ArchTest
    static void aUserHasAtMost60TypesToLearn(JavaClasses classes) {
        assertThat(classes.stream().filter(ArchitectureTest::isForUsers).map(JavaClass::getName))
                .as("public types outside packages called internal")
                .hasSizeLessThanOrEqualTo(60);
    }

    /** Nested types of those count with them. */
    @ArchTest
    static final ArchRule WHAT_USERS_SEE_NAMES_NOTHING_INTERNAL = ArchRuleDefinition.members()
            .that(DescribedPredicate.describe("users see", ArchitectureTest::isSeenByUsers))
            .should(nameNothingInternal());

    @ArchTest
    static final ArchRule USERS_TYPES_EXTEND_NOTHING_INTERNAL = ArchRuleDefinition.classes()
            .that(DescribedPredicate.describe("users see", ArchitectureTest::isForUsers))
            .should()
            .notBeAssignableTo(DescribedPredicate.describe("internal", ArchitectureTest::isInternal));

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

    private static boolean isInARoom(JavaClass type) {
        return isInternal(type) && ROOMS.containsKey(room(type));
    }

    private static ArchCondition<JavaClass> useOnlyRoomsBeforeTheirs() {
        return new ArchCondition<>("use only rooms before theirs in " + ROOMS) {
            @Override
            public void check(JavaClass user, ConditionEvents events) {
                List<String> order = Objects.requireNonNull(ROOMS.get(room(user)));
                int own = order.indexOf(lastOfPackage(user));
                if (own < 0) {
                    events.add(SimpleConditionEvent.violated(user, user.getName() + " is in no known room"));
                }
                user.getDirectDependenciesFromSelf().stream()
                        .filter(use -> isInARoom(use.getTargetClass()))
                        .filter(use -> room(use.getTargetClass()).equals(room(user)))
                        .filter(use -> order.indexOf(lastOfPackage(use.getTargetClass())) > own)
                        .forEach(use -> events.add(SimpleConditionEvent.violated(user, use.getDescription())));
            }
        };
    }

    private static String lastOfPackage(JavaClass type) {
        return type.getPackageName().substring(type.getPackageName().lastIndexOf('.') + 1);
    }

    private static SliceAssignment roomsAndUsersClasses(String part) {
        return new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                if (!room(type).equals(part)) {
                    return SliceIdentifier.ignore();
                }
                return SliceIdentifier.of(
                        isInternal(type) ? lastOfPackage(type) : type.getName().replaceFirst("\\$.*", ""));
            }

            @Override
            public String getDescription() {
                return "the rooms of " + part + " and its classes for users";
            }
        };
    }

    private static boolean isForUsers(JavaClass type) {
        return type.isTopLevelClass()
                && type.getModifiers().contains(JavaModifier.PUBLIC)
                && ORDER.contains(room(type))
                && !room(type).equals("types")
                && !isInternal(type);
    }

    private static boolean isSeenByUsers(JavaMember member) {
        JavaClass type = member.getOwner();
        while (type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().isPresent()) {
            type = type.getEnclosingClass().get();
        }
        return isForUsers(type)
                && (member.getModifiers().contains(JavaModifier.PUBLIC)
                        || member.getModifiers().contains(JavaModifier.PROTECTED));
    }

    private static boolean isInternal(JavaClass type) {
        return type.getPackageName().startsWith(ROOT) && (type.getPackageName() + ".").contains(".internal.");
    }

    private static ArchCondition<JavaMember> nameNothingInternal() {
        return new ArchCondition<>("name no type of an internal package") {
            @Override
            public void check(JavaMember member, ConditionEvents events) {
                Set<JavaClass> named = new HashSet<>();
                if (member instanceof JavaCodeUnit unit) {
                    named.addAll(unit.getReturnType().getAllInvolvedRawTypes());
                    unit.getParameterTypes().forEach(type -> named.addAll(type.getAllInvolvedRawTypes()));
                    unit.getExceptionTypes().forEach(named::add);
                } else if (member instanceof JavaField field) {
                    named.addAll(field.getType().getAllInvolvedRawTypes());
                }
                named.stream()
                        .filter(ArchitectureTest::isInternal)
                        .forEach(type -> events.add(SimpleConditionEvent.violated(
                                member, member.getDescription() + " names " + type.getName())));
            }
        };
    }

    /** The part that a class belongs to: {@code x} and {@code x.internal} are one. */
    private static String room(JavaClass type) {
        String name = type.getPackageName();
        if (!name.startsWith(ROOT)) {
            return "";
        }
        int end = name.indexOf('.', ROOT.length());
        return name.substring(ROOT.length(), end < 0 ? name.length() : end);
    }
}
