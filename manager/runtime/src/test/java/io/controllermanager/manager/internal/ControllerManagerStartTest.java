package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.internal.request.ErrorKind;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.client.internal.request.Permission;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.testing.support.Undeclared;
import io.controllermanager.testing.support.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What keeps a controller from its start, and how little that concerns the others: types, caches, factories. */
class ControllerManagerStartTest extends ControllerManagerFixture {

    private ControllerRegistration maps() {
        return registration("maps", CONFIG_MAP, this::record);
    }

    private ControllerManager start(ControllerRegistration... controllers) {
        ControllerManager manager = manager(elector(), controllers);
        manager.start();
        return manager;
    }

    @Test
    void aMissingTypeKeepsOnlyItsControllerWaitingAndIsNamed() {
        serveSynced(CONFIG_MAP);
        cluster.fake(SECRET).synced(true);
        ControllerManager manager = start(maps(), registration("secrets", SECRET, this::record));

        awaitState(manager, "maps", ControllerState.RUNNING);
        awaitState(manager, "secrets", ControllerState.WAITING_FOR_TYPE);
        assertThat(manager.controllers().get(1).detail()).isEqualTo("the API server does not serve secrets/v1");
        assertThat(manager.readiness(false).reasons())
                .containsExactly("controller secrets: the API server does not serve secrets/v1");
        time.advance(Duration.ofMinutes(10));
        assertThat(manager.readiness(false).healthy()).isFalse();
        cluster.serve(SECRET);
        awaitState(manager, "secrets", ControllerState.RUNNING);
        assertThat(manager.readiness(false).healthy()).isTrue();
    }

    @Test
    void theReplicaIsReadyBesideAControllerThatIsAllowedToWaitForItsType() {
        serveSynced(CONFIG_MAP);
        cluster.fake(SECRET);
        ControllerManager manager = start(
                maps(),
                ControllerRegistration.of(ControllerDescriptor.named("secrets")
                        .forType(SECRET)
                        .options(ControllerOptions.DEFAULTS.withReadyWithoutType(true))
                        .reconciler(reconciler("secrets", this::record))
                        .build()));

        awaitState(manager, "maps", ControllerState.RUNNING);
        awaitPassing(() -> assertThat(manager.controllers().get(1).detail())
                .isEqualTo("the API server does not serve secrets/v1"));
        assertThat(manager.readiness(false).healthy()).isTrue();
        // That is all it is allowed to wait for.
        cluster.serve(SECRET);
        awaitState(manager, "secrets", ControllerState.WAITING_FOR_CACHES);
        assertThat(manager.readiness(false).reasons()).containsExactly("controller secrets: caches are not synced");
        cluster.fake(SECRET).synced(true);
        awaitState(manager, "secrets", ControllerState.RUNNING);
        assertThat(manager.readiness(false).healthy()).isTrue();
    }

    @Test
    void anApiServerThatCannotBeAskedIsAskedAgainAndSaidSo() {
        serveSynced(CONFIG_MAP);
        cluster.reachable(false);
        ControllerManager manager = start(maps());

        awaitState(manager, "maps", ControllerState.WAITING_FOR_TYPE);
        awaitPassing(() -> assertThat(manager.readiness(false).reasons())
                .containsExactly("controller maps: the API server cannot be asked for configmaps/v1:"
                        + " ConnectException: connection refused"));
        assertThat(store.requests()).isEmpty();
        cluster.reachable(true);
        awaitState(manager, "maps", ControllerState.RUNNING);
    }

    @Test
    void lateCachesAreReportedAndWaitedForWithoutEnd() {
        serveSynced(CONFIG_MAP);
        cluster.serve(SECRET);
        cluster.fake(SECRET).inTheWay(obstacle(ErrorKind.OTHER, "list secrets: HTTP 500"));
        ControllerManager manager = start(maps(), registration("secrets", SECRET, this::record));

        awaitState(manager, "maps", ControllerState.WAITING_FOR_LEADERSHIP);
        await().untilAsserted(() -> assertThat(manager.readiness(false).reasons())
                .containsExactly("controller secrets: caches are not synced: list secrets: HTTP 500"));
        awaitPassing(
                Duration.ofSeconds(5),
                () -> assertThat(manager.readiness(false).reasons())
                        .containsExactly(
                                "controller secrets: caches are not synced after 120 s: list secrets: HTTP 500"));
        // The others no longer wait for it.
        awaitState(manager, "maps", ControllerState.RUNNING);
        cluster.fake(SECRET).synced(true);
        awaitState(manager, "secrets", ControllerState.RUNNING);
        assertThat(manager.readiness(false).healthy()).isTrue();
    }

    private static Obstacle obstacle(ErrorKind kind, String message) {
        return new Obstacle(kind, new Permission("list", "secrets", null), message);
    }

    @Test
    void aMissingRightIsNamedAtOnceAndKeepsTheOthersFromNothing() {
        serveSynced(CONFIG_MAP);
        cluster.serve(SECRET);
        cluster.fake(SECRET).inTheWay(obstacle(ErrorKind.FORBIDDEN, "HTTP 403"));
        ControllerManager manager = start(maps(), registration("secrets", SECRET, this::record));

        // No time passes.
        await().untilAsserted(() -> assertThat(manager.leadership().leading()).isTrue());
        String missing = "missing permission to list secrets in all namespaces: HTTP 403";
        assertThat(manager.readiness(false).reasons())
                .containsExactly("controller secrets: caches are not synced: " + missing);
        assertThat(manager.controllers().get(1).detail()).isEqualTo("caches are not synced: " + missing);
        assertThat(manager.readiness(true))
                .isEqualTo(new HealthReport(List.of(), List.of("controller secrets: " + missing)));

        cluster.fake(SECRET).inTheWay();
        cluster.fake(SECRET).synced(true);
        awaitState(manager, "secrets", ControllerState.RUNNING);
        assertThat(manager.readiness(true)).isEqualTo(new HealthReport(List.of(), List.of()));
    }

    @Test
    void whoeverIsReadyWithoutRightsIsNotReadyForAnyOtherReason() {
        serveSynced(CONFIG_MAP);
        serveSynced(SECRET);
        cluster.fake(CONFIG_MAP).synced(false);
        cluster.fake(SECRET).synced(false);
        cluster.fake(SECRET).inTheWay(obstacle(ErrorKind.FORBIDDEN, "HTTP 403"));
        ControllerManager manager = start(ControllerRegistration.of(ControllerDescriptor.named("both")
                .forType(SECRET)
                .owns(CONFIG_MAP)
                .reconciler(reconciler("both", this::record))
                .build()));
        awaitState(manager, "both", ControllerState.WAITING_FOR_CACHES);
        String missing = "missing permission to list secrets in all namespaces: HTTP 403";
        List<String> warnings = List.of("controller both: " + missing);
        // Whether its config maps come at all is not known.
        await().untilAsserted(() -> assertThat(manager.readiness(true))
                .isEqualTo(new HealthReport(List.of("controller both: caches are not synced: " + missing), warnings)));

        cluster.fake(CONFIG_MAP).synced(true);
        await().untilAsserted(
                        () -> assertThat(manager.readiness(true)).isEqualTo(new HealthReport(List.of(), warnings)));

        cluster.fake(SECRET).synced(true);
        awaitState(manager, "both", ControllerState.RUNNING);
        cluster.fake(CONFIG_MAP)
                .inTheWay(new Obstacle(ErrorKind.NOT_SERVED, new Permission("list", "configmaps", null), "HTTP 404"));
        assertThat(manager.readiness(true))
                .isEqualTo(new HealthReport(
                        List.of("controller both: the API server does not serve configmaps"), warnings));
    }

    @Test
    void aTypeThatGoesWhileItsControllerRunsIsSaidAtOnce() {
        serveSynced(CONFIG_MAP);
        serveSynced(SECRET);
        ControllerManager manager = start(maps(), registration("secrets", SECRET, this::record));
        awaitState(manager, "secrets", ControllerState.RUNNING);

        cluster.fake(SECRET).inTheWay(obstacle(ErrorKind.NOT_SERVED, "HTTP 404"));

        assertThat(state(manager, "secrets")).isEqualTo(ControllerState.WAITING_FOR_TYPE);
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.RUNNING);
        String gone = "the API server does not serve secrets";
        assertThat(manager.controllers().get(1).detail()).isEqualTo(gone);
        assertThat(manager.readiness(false).reasons()).containsExactly("controller secrets: " + gone);

        cluster.fake(SECRET).inTheWay();
        assertThat(state(manager, "secrets")).isEqualTo(ControllerState.RUNNING);
        assertThat(manager.readiness(false).healthy()).isTrue();
    }

    @Test
    void anApiServerThatCannotBeAskedForOneTypeKeepsTheOthersOnlyForTheCacheSyncTimeout() {
        serveSynced(CONFIG_MAP);
        // Of the core group, which the API server itself serves: this says that it is not ready.
        cluster.refuse(SECRET, 503);
        ControllerManager manager = start(maps(), registration("secrets", SECRET, this::record));
        awaitState(manager, "maps", ControllerState.WAITING_FOR_LEADERSHIP);
        awaitPassing(() -> assertThat(manager.readiness(false).reasons())
                .containsExactly("controller secrets: the API server cannot be asked for secrets/v1: HTTP 503"));
        time.advance(Duration.ofMinutes(1));
        assertThat(store.requests()).isEmpty();

        time.advance(Duration.ofMinutes(1));
        awaitState(manager, "maps", ControllerState.RUNNING);
        assertThat(state(manager, "secrets")).isEqualTo(ControllerState.WAITING_FOR_TYPE);
    }

    @Test
    void aFactoryThatDoesNotReturnKeepsTheOthersOnlyForTheCacheSyncTimeout() throws Exception {
        serveSynced(CONFIG_MAP);
        CountDownLatch busy = new CountDownLatch(1);
        ControllerManager manager = start(
                ControllerRegistration.of(ControllerDescriptor.named("slow")
                        .forType(CONFIG_MAP)
                        .reconcilerFactory(context -> {
                            busy.countDown();
                            waitUninterrupted();
                            return reconciler("slow", this::record);
                        })
                        .build()),
                maps());
        awaitState(manager, "maps", ControllerState.WAITING_FOR_LEADERSHIP);
        Waiting.on(busy);
        assertThat(store.requests()).isEmpty();

        time.advance(Duration.ofMinutes(2));
        awaitState(manager, "maps", ControllerState.RUNNING);
        assertThat(state(manager, "slow")).isEqualTo(ControllerState.WAITING_FOR_CACHES);
        release.countDown();
        awaitState(manager, "slow", ControllerState.RUNNING);
    }

    @Test
    void aGroupThatIsForbiddenOrAwayDoesNotKeepTheOthers() {
        for (int code : new int[] {403, 503}) {
            serveSynced(CONFIG_MAP);
            cluster.refuse(DEPLOYMENT, code);
            ControllerManager manager = start(registration("deployments", DEPLOYMENT, this::record), maps());

            // No time passes.
            await().untilAsserted(
                            () -> assertThat(manager.leadership().leading()).isTrue());
            assertThat(manager.readiness(false).reasons())
                    .contains("controller deployments: the API server cannot be asked for deployments.apps/v1: HTTP "
                            + code);
            manager.stop();
        }
    }

    @Test
    void aControllerThatCannotBeMadeFailsAlone() {
        serveSynced(CONFIG_MAP);
        ControllerDescriptor broken = ControllerDescriptor.named("broken")
                .forType(CONFIG_MAP)
                .reconcilerFactory(context -> {
                    context.informer(CONFIG_MAP);
                    throw new NoClassDefFoundError("Nothing");
                })
                .build();
        ControllerManager manager = start(ControllerRegistration.of(broken), maps());

        awaitState(manager, "broken", ControllerState.FAILED);
        awaitState(manager, "maps", ControllerState.RUNNING);
        assertThat(manager.controllers().get(0).detail()).contains("NoClassDefFoundError: Nothing");
        assertThat(manager.readiness(false).reasons()).hasSize(1);
        assertThat(manager.liveness().healthy()).isTrue();
        assertThat(log).contains("released configmaps/v1");
    }

    @Test
    void oneWhoseFactoryThrowsWhatItDoesNotDeclareHasFailed() {
        serveSynced(CONFIG_MAP);
        ControllerManager manager = start(ControllerRegistration.of(ControllerDescriptor.named("kotlin")
                .forType(CONFIG_MAP)
                .reconcilerFactory(context -> Undeclared.thrown(new InterruptedException("not declared")))
                .build()));

        awaitState(manager, "kotlin", ControllerState.FAILED);
        assertThat(manager.controllers().get(0).detail()).contains("InterruptedException: not declared");
    }

    @Test
    void oneThatIsEssentialEndsTheProcessWhenItFails() {
        serveSynced(CONFIG_MAP);
        List<String> ends = new CopyOnWriteArrayList<>();
        ControllerDescriptor broken = ControllerDescriptor.named("broken")
                .forType(CONFIG_MAP)
                .options(ControllerOptions.DEFAULTS.withEssential(true))
                .reconcilerFactory(context -> {
                    throw new IllegalStateException("no licence");
                })
                .build();
        ControllerManager manager =
                build(builder(elector()).onEssentialFailed(ends::add), ControllerRegistration.of(broken));
        manager.start();

        await().untilAsserted(() -> assertThat(ends)
                .containsExactly(
                        "controller broken could not be started: java.lang.IllegalStateException: no licence"));
    }
}
