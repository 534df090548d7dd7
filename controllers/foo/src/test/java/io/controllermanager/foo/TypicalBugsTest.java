package io.controllermanager.foo;

import static io.controllermanager.foo.FooCopyScenario.CREATE;
import static io.controllermanager.foo.FooCopyScenario.DELETE;
import static io.controllermanager.foo.FooCopyScenario.EDIT;
import static io.controllermanager.foo.FooCopyScenario.LOSE_ROUTE;
import static io.controllermanager.foo.FooCopyScenario.RENAME;
import static io.controllermanager.foo.FooCopyScenario.create;
import static io.controllermanager.foo.FooCopyScenario.foo;
import static io.controllermanager.test.KubernetesAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.foo.FooCopyScenario.Act;
import io.controllermanager.test.CrashPoints;
import io.controllermanager.test.DeletedChildren;
import io.controllermanager.test.OvertakenWrites;
import io.controllermanager.test.RefusedWrites;
import io.controllermanager.test.RunningManager;
import io.controllermanager.test.SameEnd;
import io.controllermanager.test.Scenario;
import io.kubernetes.client.openapi.ApiException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the test kit finds: each bug is found by one check, which says what is wrong. Without a bug every check passes. */
class TypicalBugsTest {

    /** The checks of the kit, as docs/testing.md names them. */
    enum Check {
        SETTLES {
            @Override
            void on(Bug bug) throws ApiException {
                try (ApiServer server = new FooCopyScenario(bug).server().start();
                        RunningManager manager = RunningManager.startInVirtualTime(
                                server, FooCopy.descriptor(new LoadBalancer(), bug))) {
                    new ResourceClient<>(server.client(), Foo.TYPE).create(foo("web", 1));
                    manager.settles();
                }
            }
        },
        CONTROLLED_BY {
            @Override
            void on(Bug bug) throws ApiException {
                try (ApiServer server = new FooCopyScenario(bug).server().start();
                        RunningManager manager = RunningManager.startInVirtualTime(
                                server, FooCopy.descriptor(new LoadBalancer(), bug))) {
                    Foo foo = new ResourceClient<>(server.client(), Foo.TYPE).create(foo("web", 1));
                    manager.converges();
                    assertThat(new ResourceClient<>(server.client(), ResourceTypes.DEPLOYMENT).get("default", "web"))
                            .isControlledBy(foo);
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
                SameEnd.of(acts(bug, CREATE, EDIT, RENAME), acts(bug, create("other", 2)))
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
                SameEnd.of(acts(bug, CREATE, LOSE_ROUTE), acts(bug, CREATE)).check();
            }
        };

        abstract void on(Bug bug) throws ApiException;

        private static Supplier<Scenario> acts(Bug bug, Act... acts) {
            return () -> new FooCopyScenario(bug, acts);
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
                        "Deployment default/web is not controlled by Foo default/hello"),
                found(
                        Bug.NO_OWNER,
                        Check.SAME_END_AFTER_DELETION,
                        "Deployment default/web is there, and should not be"),
                found(
                        Bug.CREATES_WITHOUT_ADOPTING,
                        Check.CRASH_POINTS,
                        "lost after write 2 of",
                        "create deployments default/web",
                        "Controller foo-copy does not get default/hello done: tried 10 times in a row",
                        "already exists"),
                found(
                        Bug.STATUS_IN_A_LOOP,
                        Check.SETTLES,
                        "update foos.samplecontroller.k8s.io/status default/hello by controllers-under-test",
                        "status.availableReplicas: "),
                found(
                        Bug.FINALIZER_REMOVED_TOO_EARLY,
                        Check.CRASH_POINTS,
                        "patch foos default/hello",
                        "outside: LoadBalancer[routes={}] → LoadBalancer[routes={hello=web}]"),
                found(
                        Bug.REQUEUE_LOST,
                        Check.SAME_END_AFTER_TIME,
                        "outside: LoadBalancer[routes={hello=web}] → LoadBalancer[routes={}]"),
                found(
                        Bug.OVERWRITES_OTHERS,
                        Check.OVERTAKEN_WRITES,
                        "update deployments default/web",
                        "Deployment default/web has lost the annotation example.com/another-writer"),
                found(
                        Bug.FORGETS_TO_WATCH,
                        Check.DELETED_CHILDREN,
                        "Deployment default/web is deleted at the end",
                        "Deployment default/web is missing"),
                found(
                        Bug.LEAVES_RENAMED_CHILD,
                        Check.SAME_END_AFTER_RENAME,
                        "Deployment default/web is there, and should not be"),
                found(
                        Bug.SWALLOWS_ERRORS,
                        Check.REFUSED_WRITES,
                        "patch foos default/hello, is refused with 500 InternalError",
                        "Foo default/hello is there, and should not be"),
                found(
                        Bug.REMEMBERS_IN_MEMORY,
                        Check.CRASH_POINTS,
                        "create deployments default/other",
                        "Deployment default/web is there, and should not be"));
    }

    private static Arguments found(Bug bug, Check check, String... said) {
        return Arguments.of(bug, check, said);
    }
}
