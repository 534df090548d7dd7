package io.controllermanager.test;

import static io.controllermanager.test.GreetingScenario.CREATE;
import static io.controllermanager.test.GreetingScenario.DELETE;
import static io.controllermanager.test.GreetingScenario.EDIT;
import static io.controllermanager.test.GreetingScenario.LOSE_ENTRY;
import static io.controllermanager.test.GreetingScenario.RENAME;
import static io.controllermanager.test.GreetingScenario.create;
import static io.controllermanager.test.KubernetesAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.test.GreetingScenario.Act;
import io.controllermanager.testing.apiserver.ApiServer;
import io.kubernetes.client.openapi.ApiException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The right controller passes every check, and each bug is found by one, which says what is wrong. */
class TypicalBugsTest {

    /** The checks of the kit, as docs/testing.md names them. */
    enum Check {
        SETTLES {
            @Override
            void on(Bug bug) throws ApiException {
                try (ApiServer server = new GreetingScenario(bug).server().start();
                        RunningManager manager = RunningManager.startInVirtualTime(
                                server, GreetingController.descriptor(new GuestBook(), bug))) {
                    new ResourceClient<>(server.client(), Greeting.TYPE)
                            .create(new Greeting("hello", "hello", "Hello"));
                    manager.settles();
                }
            }
        },
        CONTROLLED_BY {
            @Override
            void on(Bug bug) throws ApiException {
                try (ApiServer server = new GreetingScenario(bug).server().start();
                        RunningManager manager = RunningManager.startInVirtualTime(
                                server, GreetingController.descriptor(new GuestBook(), bug))) {
                    Greeting greeting = new ResourceClient<>(server.client(), Greeting.TYPE)
                            .create(new Greeting("hello", "hello", "Hello"));
                    manager.converges();
                    assertThat(new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP).get("default", "hello"))
                            .isControlledBy(greeting);
                }
            }
        },
        CRASH_POINTS {
            @Override
            void on(Bug bug) {
                CrashPoints.of(acts(bug, CREATE, EDIT, RENAME)).check();
                CrashPoints.of(acts(bug, CREATE, DELETE)).check();
            }
        },
        REFUSED_WRITES {
            @Override
            void on(Bug bug) {
                RefusedWrites.of(acts(bug, CREATE, EDIT, RENAME, DELETE)).check();
            }
        },
        OVERTAKEN_WRITES {
            @Override
            void on(Bug bug) {
                OvertakenWrites.of(acts(bug, CREATE, EDIT, RENAME)).check();
            }
        },
        DELETED_CHILDREN {
            @Override
            void on(Bug bug) {
                DeletedChildren.of(acts(bug, CREATE)).check();
            }
        },
        SAME_END_AFTER_RENAME {
            @Override
            void on(Bug bug) {
                SameEnd.of(acts(bug, CREATE, EDIT, RENAME), acts(bug, create("other", "Good morning")))
                        .check();
            }
        },
        SAME_END_AFTER_DELETION {
            @Override
            void on(Bug bug) {
                SameEnd.of(acts(bug, CREATE, DELETE), acts(bug)).check();
            }
        },
        SAME_END_AFTER_TIME {
            @Override
            void on(Bug bug) {
                SameEnd.of(acts(bug, CREATE, LOSE_ENTRY), acts(bug, CREATE)).check();
            }
        };

        abstract void on(Bug bug) throws ApiException;

        private static Supplier<Scenario> acts(Bug bug, Act... acts) {
            return () -> new GreetingScenario(bug, acts);
        }
    }

    @ParameterizedTest
    @EnumSource
    void passesTheRightController(Check check) throws ApiException {
        check.on(Bug.NONE);
    }

    @ParameterizedTest
    @MethodSource
    void findsTheBug(Bug bug, Check check, String... said) {
        var failure = assertThatThrownBy(() -> check.on(bug)).isInstanceOf(AssertionError.class);
        for (String part : said) {
            failure.hasMessageContaining(part);
        }
    }

    static Stream<Arguments> findsTheBug() {
        return Stream.of(
                found(
                        Bug.NO_OWNER,
                        Check.CONTROLLED_BY,
                        "ConfigMap default/hello is not controlled by Greeting default/hello"),
                found(
                        Bug.NO_OWNER,
                        Check.SAME_END_AFTER_DELETION,
                        "ConfigMap default/hello is there, and should not be"),
                found(
                        Bug.CREATES_WITHOUT_ADOPTING,
                        Check.CRASH_POINTS,
                        "lost after write 2 of",
                        "create configmaps default/hello",
                        "Controller greeting does not get default/hello done: tried 10 times in a row",
                        "already exists"),
                found(
                        Bug.STATUS_IN_A_LOOP,
                        Check.SETTLES,
                        "update greetings.example.com/status default/hello by controllers-under-test",
                        "status.checkedAt: \"2026-"),
                found(
                        Bug.FINALIZER_REMOVED_TOO_EARLY,
                        Check.CRASH_POINTS,
                        "patch greetings default/hello",
                        "outside: GuestBook[entries={}] → GuestBook[entries={hello=Hello}]"),
                found(
                        Bug.REQUEUE_LOST,
                        Check.SAME_END_AFTER_TIME,
                        "outside: GuestBook[entries={hello=Hello}] → GuestBook[entries={}]"),
                found(
                        Bug.OVERWRITES_OTHERS,
                        Check.OVERTAKEN_WRITES,
                        "update configmaps default/hello",
                        "ConfigMap default/hello has lost the annotation example.com/another-writer"),
                found(
                        Bug.FORGETS_TO_WATCH,
                        Check.DELETED_CHILDREN,
                        "/api/v1/namespaces/default/configmaps/hello is deleted at the end",
                        "ConfigMap default/hello is missing"),
                found(
                        Bug.LEAVES_RENAMED_CHILD,
                        Check.SAME_END_AFTER_RENAME,
                        "ConfigMap default/hello is there, and should not be"),
                found(
                        Bug.SWALLOWS_ERRORS,
                        Check.REFUSED_WRITES,
                        "patch greetings default/hello, is refused with 500 InternalError",
                        "Greeting default/hello is there, and should not be"),
                found(
                        Bug.REMEMBERS_IN_MEMORY,
                        Check.CRASH_POINTS,
                        "create configmaps default/other",
                        "ConfigMap default/hello is there, and should not be"));
    }

    private static Arguments found(Bug bug, Check check, String... said) {
        return Arguments.of(bug, check, said);
    }
}
