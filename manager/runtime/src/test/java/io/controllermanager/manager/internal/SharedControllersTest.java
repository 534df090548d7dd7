package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.internal.connection.WriteFence;
import io.controllermanager.client.internal.connection.WriteFence.WriteRefusedException;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.leaderelection.internal.ElectionConfigs;
import io.controllermanager.leaderelection.internal.Electors;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.leaderelection.internal.LeaseBalance;
import io.controllermanager.leaderelection.internal.LeaseStore;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Hosts that share their controllers by a Lease for each: real threads and controllers, virtual time. */
class SharedControllersTest extends HostFixture {

    private Duration period = LeaseBalance.PERIOD;
    private final Map<String, LeaseStore> stores = new ConcurrentHashMap<>();
    private final LeaseStore anchors = new LeaseStore();
    private final CountDownLatch busy = new CountDownLatch(1);

    @Test
    void aSecondHostIsGivenItsShareAndDoesItsWork() {
        Host a = new Host("a", "one", "two").start();
        awaitPassing(() -> assertThat(a.running()).containsExactly("one", "two"));
        Host b = new Host("b", "one", "two").start();
        awaitPassing(() -> assertThat(b.running()).hasSize(1));

        String moved = b.running().iterator().next();
        await().until(() -> log.contains("b " + moved + " ns/x"));
        assertThat(a.running()).hasSize(1).doesNotContain(moved);
        assertThat(a.state(moved)).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP);
        assertThat(a.manager.leaderships().get(moved))
                .extracting(LeadershipStatus::lease, LeadershipStatus::holder, LeadershipStatus::leading)
                .containsExactly("ns/manager-" + moved, "b", false);
        assertThat(a.manager.leadership())
                .extracting(LeadershipStatus::lease, LeadershipStatus::leading)
                .containsExactly("ns/manager-*", true);
        assertThat(a.losses).as("it went by agreement").isEmpty();
        assertThat(a.manager.readiness(false).healthy()).isTrue();
    }

    @Test
    void aReconcileEndsBeforeItsControllerMoves() throws Exception {
        Host a = new Host("a", "slow", "slow-too");
        a.work = this::waitUntilReleased;
        a.start();
        awaitPassing(() -> assertThat(a.running()).hasSize(2));
        Waiting.on(busy);
        Host b = new Host("b", "slow", "slow-too").start();
        awaitPassing(() -> assertThat(a.running()).hasSize(1));
        String moving = a.running().contains("slow") ? "slow-too" : "slow";
        // It would have been taken by the second look at it.
        long looks = looks(moving);
        awaitPassing(() -> assertThat(looks(moving)).isGreaterThan(looks + 1));
        assertThat(a.holder(moving)).isEqualTo("a");
        assertThat(b.running()).isEmpty();
        release.countDown();

        awaitPassing(() -> assertThat(b.running()).containsExactly(moving));
        assertThat(log).noneMatch(line -> line.contains("interrupted"));
    }

    @Test
    void oneWhoseReconcileHeedsNoInterruptStaysWhereItIsUntilThatEnds() throws Exception {
        Host a = new Host("a", "deaf", "deaf-too");
        a.work = this::waitUninterruptibly;
        a.start();
        awaitPassing(() -> assertThat(a.running()).hasSize(2));
        Waiting.on(busy);
        List<Instant> since = a.leadingSince();
        Host b = new Host("b", "deaf", "deaf-too").start();
        // One was to move, then the other.
        awaitPassing(LONG_STEP, () -> assertThat(log).contains("deaf interrupted", "deaf-too interrupted"));
        Instant later = time.now().plusSeconds(30);
        awaitPassing(LONG_STEP, () -> assertThat(time.now()).isAfter(later));

        assertThat(a.leadingSince()).isEqualTo(since);
        assertThat(a.running()).hasSize(2);
        assertThat(b.running()).isEmpty();
        release.countDown();

        awaitPassing(LONG_STEP, () -> assertThat(b.running()).hasSize(1));
    }

    /** How often the second host has looked at a controller's Lease by itself. */
    private long looks(String controller) {
        return store(controller).requests().stream()
                .filter(request -> request.equals("b:get"))
                .count();
    }

    @Test
    void aControllerThatTakesItsTimeToStopHoldsUpNoOthersLease() throws Exception {
        Host a = new Host("a", "one", "slow");
        a.work = controller -> {
            if (controller.equals("slow")) {
                waitUntilReleased(controller);
            }
        };
        a.start();
        awaitPassing(() -> assertThat(a.running()).hasSize(2));
        Waiting.on(busy);
        Host b = new Host("b", "one", "slow").start();
        b.balance.stop();
        awaitPassing(() -> assertThat(b.holder("one")).isEqualTo("a"));

        Thread stopper = new Thread(a.manager::stop, "stopper");
        stopper.start();
        awaitPassing(() -> assertThat(b.running()).containsExactly("one"));
        assertThat(b.holder("slow")).isEqualTo("a");
        release.countDown();

        awaitPassing(() -> assertThat(b.running()).containsExactly("one", "slow"));
        Waiting.on(stopper);
    }

    @Test
    void oneThatIsStoppedHereIsWorkedOnThere() {
        Host a = new Host("a", "one").start();
        awaitPassing(() -> assertThat(a.running()).containsExactly("one"));
        Host b = new Host("b", "one").start();
        awaitPassing(() -> assertThat(b.state("one")).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP));

        a.manager.stopController("one");
        awaitPassing(() -> assertThat(b.running()).containsExactly("one"));
        assertThat(a.losses).isEmpty();
        a.manager.startController("one");
        awaitPassing(() -> assertThat(a.state("one")).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP));
        b.manager.stopController("one");
        awaitPassing(() -> assertThat(a.running()).containsExactly("one"));
    }

    @Test
    void oneThatIsPausedStaysWhereItIs() {
        // By chance it is asked for several times before the other.
        period = Duration.ofSeconds(1);
        Host a = new Host("a", "one", "two").start();
        awaitPassing(() -> assertThat(a.running()).hasSize(2));
        a.manager.pause("one");
        Host b = new Host("b", "one", "two").start();

        awaitPassing(() -> assertThat(b.running()).containsExactly("two"));
        assertThat(a.state("one")).isEqualTo(ControllerState.PAUSED);
        assertThat(b.state("one")).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP);
    }

    @Test
    void oneThatIsPausedWhereItDoesNotWorkIsNotTakenThere() {
        Host a = new Host("a", "one", "two").start();
        awaitPassing(() -> assertThat(a.running()).hasSize(2));
        Host b = new Host("b", "one", "two");
        b.start();
        awaitPassing(() -> assertThat(b.state("one")).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP));
        b.manager.pause("one");

        // Of what it may work for it has its share.
        awaitPassing(() -> assertThat(b.running()).containsExactly("two"));
        assertThat(a.running()).containsExactly("one");
        a.manager.stopController("one");
        long looks = looks("one");
        awaitPassing(() -> assertThat(looks("one")).isGreaterThan(looks + 2));
        assertThat(b.holder("one")).isNull();
        assertThat(b.state("one")).isEqualTo(ControllerState.PAUSED);

        b.manager.resume("one");
        awaitPassing(() -> assertThat(b.running()).containsExactly("one", "two"));
    }

    @Test
    void oneThatFailsAsItBeginsIsWorkedOnElsewhere() {
        Host a = new Host("a", "one", "two");
        a.failing = "one";
        a.cluster.fake(SECRET).broken(true);
        a.start();
        awaitPassing(() -> assertThat(a.state("one")).isEqualTo(ControllerState.FAILED));
        awaitPassing(() -> assertThat(a.running()).containsExactly("two"));
        Host b = new Host("b", "one", "two").start();
        // Not by a wish, which a could not but refuse.
        b.balance.stop();

        awaitPassing(() -> assertThat(b.running()).containsExactly("one"));
        assertThat(a.losses).isEmpty();
        a.failing = "";
        a.manager.startController("one");
        awaitPassing(() -> assertThat(a.state("one")).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP));
        b.manager.stopController("one");
        awaitPassing(() -> assertThat(a.running()).containsExactly("one", "two"));
    }

    @Test
    void oneThatEndsByItselfIsWorkedOnElsewhere() {
        Host a = new Host("a", "foreign").start();
        awaitPassing(() -> assertThat(a.state("foreign")).isEqualTo(ControllerState.FAILED));
        Host b = new Host("b", "foreign").start();

        awaitPassing(() -> assertThat(b.running()).containsExactly("foreign"));
        awaitPassing(() -> assertThat(log).containsExactly("a foreign run", "b foreign run"));
        assertThat(a.losses).isEmpty();
    }

    @Test
    void oneThatIsStoppedAsItComesUpIsNotCompetedFor() throws Exception {
        Host a = new Host("a", "one", "two");
        a.stubborn = "two";
        a.start();
        awaitPassing(() -> assertThat(a.running()).containsExactly("one"));
        Waiting.on(busy);
        a.manager.stopController("two");

        assertThat(log).contains("two interrupted");
        assertThat(a.competing).containsExactly("manager-one");
        a.manager.startController("two");
        release.countDown();
        awaitPassing(() -> assertThat(a.running()).containsExactly("one", "two"));
    }

    @Test
    void aHandOverThatFailsIsBegunAnewAndUntilThenTheControllerWorks() {
        Host a = new Host("a", "one", "two");
        a.work = this::waitUntilReleased;
        a.start();
        awaitPassing(() -> assertThat(a.running()).hasSize(2));
        await().until(() -> log.containsAll(List.of("a one ns/x", "a two ns/x")));
        a.drainFails = true;
        Host b = new Host("b", "one", "two").start();
        awaitPassing(() -> assertThat(a.drainFails).isFalse());
        await().untilAsserted(() -> assertThat(a.running()).hasSize(2));
        release.countDown();

        awaitPassing(() -> assertThat(b.running()).hasSize(1));
        assertThat(a.running()).hasSize(1).doesNotContainAnyElementsOf(b.running());
    }

    @Test
    void theLossOfOneLeaseEndsTheWorkOfItsControllerAlone() throws Exception {
        Host a = new Host("a", "one", "two").start();
        awaitPassing(() -> assertThat(a.running()).hasSize(2));

        store("one").edit(lease -> lease.getSpec().setHolderIdentity("intruder"));
        awaitPassing(() -> assertThat(a.running()).containsExactly("two"));

        await().until(() -> a.losses.equals(List.of("lost")));
        assertThat(refusal(a.balance.elector("one"))).isEqualTo("this process (a) is not the leader of ns/manager-one");
        assertThat(refusal(a.balance.elector("two"))).isNull();
        assertThat(a.fences)
                .extracting(SharedControllersTest::refusal)
                .containsExactlyInAnyOrder("this process (a) is not the leader of ns/manager-one", null);
        assertThat(refusal(a.leadership.fence())).isNull();
    }

    @Test
    void whoHoldsSomeLeaseMayWriteOutsideOfAControllersWork() {
        Host a = new Host("a", "one", "two").start();
        awaitPassing(() -> assertThat(a.running()).hasSize(2));
        Host b = new Host("b", "one", "two");

        assertThat(refusal(a.leadership.fence())).isNull();
        assertThat(refusal(b.leadership.fence()))
                .isEqualTo("this process (b) holds none of the Leases by which its controllers work");
        b.start();
        awaitPassing(() -> assertThat(b.running()).hasSize(1));
        assertThat(refusal(b.leadership.fence())).isNull();
    }

    @Test
    void whatAReconcileWritesByTheSharedClientIsForItsOwnLeaseToDecide() {
        List<String> refusals = new CopyOnWriteArrayList<>();
        Host a = new Host("a", "one", "two");
        a.work = controller -> {
            if (controller.equals("one")) {
                store("one").edit(lease -> lease.getSpec().setHolderIdentity("intruder"));
            }
            refusals.add(controller + " " + refusal(a.leadership.fence()));
        };
        a.start();

        awaitPassing(() ->
                assertThat(refusals).contains("one this process (a) is not the leader of ns/manager-one", "two null"));
    }

    /** The Lease of another controller is lost as well, and telling of that keeps the host from following. */
    @Test
    void whatBeganBeforeALossWritesNothingAndNothingBeginsUntilTheHostHasFollowed() throws Exception {
        Host a = new Host("a", "one", "two");
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> regained = new CompletableFuture<>();
        List<String> refusals = new CopyOnWriteArrayList<>();
        a.work = controller -> {
            if (controller.equals("one") && begun.getCount() > 0) {
                refusals.add("before " + refusal(a.leadership.fence()));
                begun.countDown();
                regained.join();
                refusals.add("after " + refusal(a.leadership.fence()));
                a.fences.forEach(fence -> refusals.add("own " + refusal(fence)));
            }
        };
        a.start();
        awaitPassing(() -> assertThat(a.running()).hasSize(2));
        awaitPassing(() -> assertThat(begun.getCount()).isZero());
        a.stalling = "manager-two";
        store("two").edit(lease -> lease.getSpec().setHolderIdentity("intruder"));
        Waiting.on(busy);
        long first = a.balance.elector("one").term();
        store("one").edit(lease -> lease.getSpec().setHolderIdentity("intruder"));
        assertThat(a.balance.elector("one").isLeading()).isFalse();
        store("one").edit(lease -> lease.getSpec().setHolderIdentity(""));
        awaitPassing(() -> assertThat(a.balance.elector("one").term()).isGreaterThan(first));
        regained.complete(null);
        String refusal = "this process (a) has lost ns/manager-one since this reconcile began, and has taken it anew";
        await().until(() -> refusals.size() == 4);
        assertThat(refusals)
                .containsExactlyInAnyOrder(
                        "before null",
                        "after " + refusal,
                        "own " + refusal,
                        "own this process (a) is not the leader of ns/manager-two");
        log.clear();
        a.manager.reconcileNow("one", new Request("ns", "x"));
        Instant later = time.now().plusSeconds(3);
        awaitPassing(() -> assertThat(time.now()).isAfter(later));
        assertThat(log).doesNotContain("a one ns/x");
        assertThat(refusal(a.leadership.fence())).as("outside a reconcile").isNull();
        release.countDown();

        awaitPassing(() -> assertThat(log).contains("a one ns/x"));
    }

    @Test
    void oneThatNeedsNoLeaderWorksOnEveryHost() {
        Host a = new Host("a", "one", "everywhere").start();
        awaitPassing(() -> assertThat(a.running()).containsExactly("everywhere", "one"));
        Host b = new Host("b", "one", "everywhere").start();

        awaitPassing(() -> assertThat(b.running()).containsExactly("everywhere"));
        assertThat(stores.keySet()).containsExactly("manager-one");
        assertThat(a.fences).hasSize(1);
    }

    @Test
    void whoCannotDoAControllersWorkDoesNotCompeteForIt() {
        Host b = new Host("b", "one", "two");
        b.broken = "two";
        b.start();
        awaitPassing(() -> assertThat(b.running()).containsExactly("one"));
        awaitPassing(() -> assertThat(b.state("two")).isEqualTo(ControllerState.FAILED));
        assertThat(store("two").requests()).isEmpty();
        Host a = new Host("a", "one", "two").start();

        awaitPassing(() -> assertThat(a.running()).containsExactly("two"));
    }

    @Test
    void aLeaseThatCannotBeReadMakesTheHostUnready() {
        Host a = new Host("a", "one", "two");
        Objects.requireNonNull(a.locks.get("manager-two")).failWith("missing permission: get leases \"manager-two\"");
        a.start();

        awaitPassing(() -> assertThat(a.running()).containsExactly("one"));
        awaitPassing(() -> assertThat(a.manager.readiness(false).reasons())
                .containsExactly("leader election: missing permission: get leases \"manager-two\""));
        assertThat(a.manager.liveness().healthy()).isTrue();
    }

    @Test
    void theHostIsRestartable() {
        Host a = new Host("a", "one", "two");
        for (int i = 0; i < 3; i++) {
            a.start();
            awaitPassing(() -> assertThat(a.running()).hasSize(2));
            a.manager.stop();
            assertThat(stores.values())
                    .extracting(LeaseStore::current)
                    .extracting(lease -> lease == null || lease.getSpec() == null
                            ? null
                            : lease.getSpec().getHolderIdentity())
                    .containsExactly("", "");
        }
    }

    private void waitUntilReleased(String controller) {
        busy.countDown();
        try {
            release.await();
        } catch (InterruptedException e) {
            log.add(controller + " interrupted");
        }
    }

    private void waitUninterruptibly(String controller) {
        busy.countDown();
        while (release.getCount() > 0) {
            waitUntilReleased(controller);
        }
    }

    private static @Nullable String refusal(WriteFence fence) {
        try {
            fence.checkWrite();
            return null;
        } catch (WriteRefusedException e) {
            return e.getMessage();
        }
    }

    private LeaseStore store(String controller) {
        return stores.computeIfAbsent("manager-" + controller, lease -> new LeaseStore());
    }

    private interface Work {
        void on(String controller);
    }

    /** One process. */
    private final class Host {

        private final String identity;
        private final FakeCluster cluster = new FakeCluster(new CopyOnWriteArrayList<>());
        private final Map<String, LeaseStore.Lock> locks = new ConcurrentHashMap<>();
        private final List<WriteFence> fences = new CopyOnWriteArrayList<>();
        private final List<String> losses = new CopyOnWriteArrayList<>();
        private final LeaseBalance balance;
        private final Leadership leadership;
        private final ControllerManager manager;
        private volatile Work work = controller -> {};
        private volatile String broken = "";
        private volatile String failing = "";
        private volatile String stubborn = "";
        private volatile String stalling = "";
        private volatile boolean drainFails;
        private final Set<String> competing = ConcurrentHashMap.newKeySet();

        Host(String identity, String... controllers) {
            this.identity = identity;
            cluster.serve(CONFIG_MAP);
            cluster.fake(CONFIG_MAP).put(configMap("x"));
            cluster.fake(CONFIG_MAP).synced(true);
            cluster.fake(SECRET).synced(true);
            List<ControllerRegistration> registrations =
                    List.of(controllers).stream().map(this::registration).toList();
            LeaderElectionConfig election = ElectionConfigs.of("ns", "manager", identity);
            List<String> led = registrations.stream()
                    .filter(registration -> registration.options().needsLeaderElection())
                    .map(ControllerRegistration::name)
                    .toList();
            this.balance = Electors.balance(
                    election,
                    led,
                    period,
                    config -> {
                        LeaseStore.Lock lock = store(config.leaseName().substring("manager-".length()))
                                .lock(identity);
                        lock.watchable(() -> competing.add(config.leaseName()));
                        locks.put(config.leaseName(), lock);
                        return lock;
                    },
                    time);
            LeaderElector anchor = Electors.anchor(election, config -> anchors.lock(identity), time);
            this.leadership = Leadership.perController(
                    anchor,
                    Electors.own(balance, anchor, led),
                    fence -> {
                        fences.add(fence);
                        return new ApiClient();
                    },
                    new ApiClient());
            HostBuilder builder = new HostBuilder(leadership, cluster, time, this::schedule, this::recorder)
                    .onLeadershipLost(() -> losses.add("lost"));
            this.manager = build(builder, registrations);
        }

        /** Since when it leads, by controller. */
        private List<Instant> leadingSince() {
            return manager.leaderships().values().stream()
                    .map(LeadershipStatus::acquiredAt)
                    .map(Objects::requireNonNull)
                    .toList();
        }

        /** Brings its own workers, which end at once on the first host. */
        private ControllerRegistration foreign(String controller) {
            CountDownLatch ended = new CountDownLatch(identity.equals("a") ? 0 : 1);
            return new ForeignController(log, identity + " " + controller + " ", ended, ended::countDown)
                    .registration(controller);
        }

        private ControllerRegistration registration(String controller) {
            if (controller.startsWith("foreign")) {
                return foreign(controller);
            }
            return ControllerRegistration.of(ControllerDescriptor.named(controller)
                    .forType(CONFIG_MAP)
                    .options(ControllerOptions.DEFAULTS.withNeedsLeaderElection(!controller.equals("everywhere")))
                    .reconcilerFactory(context -> {
                        context.apiClient();
                        if (controller.equals(broken)) {
                            throw new IllegalStateException("cannot be made here");
                        }
                        if (controller.equals(failing)) {
                            context.informer(SECRET);
                        }
                        if (controller.equals(stubborn)) {
                            waitUntilReleased(controller);
                        }
                        return reconciler(controller);
                    })
                    .build());
        }

        private Reconciler reconciler(String controller) {
            return request -> {
                log.add(identity + " " + controller + " " + request.getNamespace() + "/" + request.getName());
                work.on(controller);
                return new Result(false);
            };
        }

        /** The host's thread asks for it to tell of a Lease's loss. */
        private EventRecorder recorder(String name) {
            if (name.equals(stalling)) {
                waitUninterruptibly(name);
            }
            return NO_EVENTS;
        }

        private Timer.Cancellable schedule(Duration delay, Runnable task) {
            if (drainFails && Thread.currentThread().getName().startsWith("controller-manager-hand-over-")) {
                drainFails = false;
                throw new IllegalStateException("no time for a drain");
            }
            return time.schedule(delay, task);
        }

        Host start() {
            manager.start();
            return this;
        }

        ControllerState state(String controller) {
            return HostFixture.state(manager, controller);
        }

        @Nullable
        String holder(String controller) {
            return Objects.requireNonNull(manager.leaderships().get(controller)).holder();
        }

        /** The names of those that work here, in order. */
        Set<String> running() {
            Set<String> running = new TreeSet<>();
            for (ControllerStatus status : manager.controllers()) {
                if (status.state() == ControllerState.RUNNING) {
                    running.add(status.name());
                }
            }
            return running;
        }
    }
}
