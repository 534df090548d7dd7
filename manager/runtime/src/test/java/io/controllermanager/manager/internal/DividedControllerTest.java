package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.internal.connection.WriteFence;
import io.controllermanager.client.internal.connection.WriteFence.WriteRefusedException;
import io.controllermanager.client.internal.request.ErrorKind;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.client.internal.request.Permission;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.leaderelection.internal.ControllerElectors;
import io.controllermanager.leaderelection.internal.ElectionConfigs;
import io.controllermanager.leaderelection.internal.Electors;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipListener;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.leaderelection.internal.LeaseBalance;
import io.controllermanager.leaderelection.internal.LeaseStore;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Hosts that share one controller by its shards: real threads and controllers, virtual time. */
class DividedControllerTest extends HostFixture {

    private static final Selection<V1ConfigMap> MAPS = Selection.of(CONFIG_MAP);

    private final Map<String, LeaseStore> stores = new ConcurrentHashMap<>();
    private final List<Host> hosts = new ArrayList<>();
    private Shards shards = new Shards(6, Shards.By.NAME);
    private Duration period = LeaseBalance.PERIOD;
    private Duration cacheSyncTimeout = Duration.ofSeconds(20);

    @Test
    void theShardsAreSharedEvenlyHoweverManyHostsThereAre() {
        objects(30);
        Host a = new Host("a").start();
        awaitPassing(() -> assertThat(a.working()).hasSize(6));
        await().untilAsserted(() -> assertThat(reconciledBy("a")).hasSize(30));
        Host b = new Host("b").start();
        awaitPassing(() -> assertThat(b.working()).hasSize(3));
        assertThat(a.working()).hasSize(3);
        Host c = new Host("c").start();
        awaitPassing(() -> assertThat(c.working()).hasSize(2));
        awaitPassing(() ->
                assertThat(List.of(a.working().size(), b.working().size())).containsExactly(2, 2));

        assertEachShardOnce();
        await().untilAsserted(() -> assertEachHostHasLookedAtWhatItHas(b, c));
        assertThat(a.losses).isEmpty();
        assertThat(a.manager.readiness(false).healthy()).isTrue();
        awaitPassing(() -> assertThat(a.informer().held()).isEqualTo(a.working()));
        assertThat(a.meter("working") + a.meter("waiting") + a.meter("elsewhere") + a.meter("free"))
                .isEqualTo(6);
        assertThat(a.meter("working")).isEqualTo(2);
        assertThat(moves()).isEqualTo(6 + 3 + 2);
    }

    @Test
    void whatOthersSayOfTheNumberOfShardsIsTheConcernOfAHostOnlyWhileItRuns() {
        Host a = new Host("a");
        assertThat(a.agreement.listeners).isEmpty();
        a.start();
        assertThat(a.agreement.listeners).hasSize(1);
        a.manager.stop();
        assertThat(a.agreement.listeners).isEmpty();
        a.start();
        assertThat(a.agreement.listeners).hasSize(1);
    }

    @Test
    void aShardMovesWhenItsReconcilesHaveEndedAndKeysOfOthersGoOnMeanwhile() {
        shards = new Shards(2, Shards.By.NAME);
        objects(10);
        Set<String> slow = Set.of(name(0, 0), name(1, 0));
        Host a = new Host("a");
        a.work = key -> {
            if (slow.contains(key.getName())) {
                waitUninterrupted();
            }
        };
        a.start();
        awaitPassing(() -> assertThat(a.working()).hasSize(2));
        await().untilAsserted(() -> assertThat(reconciledBy("a")).hasSize(10));
        Host b = new Host("b").start();
        awaitPassing(() -> assertThat(a.working()).hasSize(1));
        int stays = a.working().iterator().next();
        int moves = 1 - stays;
        assertThat(a.status(moves).detail()).isEqualTo("is handed over to another replica");
        everywhere(configMap(name(stays, 100)));
        everywhere(configMap(name(moves, 100)));
        await().untilAsserted(() -> assertThat(log).contains("a " + name(stays, 100)));
        assertThat(a.status(moves).leading()).isTrue();
        assertThat(b.working()).isEmpty();
        assertThat(log).doesNotContain("a " + name(moves, 100));
        release.countDown();

        awaitPassing(() -> assertThat(b.working()).containsExactly(moves));
        await().untilAsserted(() -> assertThat(log).contains("b " + name(moves, 100)));
        assertThat(log).doesNotContain("a " + name(moves, 100), "b " + name(stays, 100));
        await().untilAsserted(() -> assertEachHostHasLookedAtWhatItHas(b));
    }

    @Test
    void theShardsOfOneThatStopsGoToTheOthersAtOnce() {
        objects(30);
        Host a = new Host("a").start();
        awaitPassing(() -> assertThat(a.working()).hasSize(6));
        Host b = new Host("b").start();
        awaitPassing(() -> assertThat(b.working()).hasSize(3));
        Set<Integer> left = a.working();
        Thread stopper = new Thread(a.manager::stop, "stopper");
        stopper.start();

        awaitPassing(Duration.ofMillis(10), () -> assertThat(b.working()).hasSize(6));
        assertThat(left)
                .hasSize(3)
                .allSatisfy(shard -> assertThat(
                                store("manager-c-" + shard + "-of-6").holders())
                        .as("released, and not expired")
                        .containsExactly("a", "", "b"));
        await().untilAsserted(() -> assertEachHostHasLookedAtWhatItHas(b));
        await().untilAsserted(() -> assertThat(stopper.isAlive()).isFalse());
        assertThat(a.losses).isEmpty();
    }

    @Test
    void theShardsOfOneThatIsCutOffGoToTheOthersWhenItsLeasesHaveExpired() {
        objects(30);
        Host a = new Host("a").start();
        awaitPassing(() -> assertThat(a.working()).hasSize(6));
        Host b = new Host("b").start();
        awaitPassing(() -> assertThat(b.working()).hasSize(3));
        a.locks.values().forEach(lock -> lock.failWith("no route to host"));
        // It would fill its caches for what it asks for in vain.
        a.electors.electors().get(0).balance().stop();

        awaitPassing(LONG_STEP, () -> assertThat(b.working()).hasSize(6));
        assertThat(a.working()).isEmpty();
        await().untilAsserted(() -> assertThat(a.losses).isNotEmpty());
        awaitPassing(() -> assertThat(a.informer().held()).isEmpty());
        await().untilAsserted(
                        () -> assertThat(state(a.manager, "c")).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP));
        await().untilAsserted(() -> assertEachHostHasLookedAtWhatItHas(b));
        a.locks.values().forEach(lock -> lock.failWith(null));
        a.electors.electors().get(0).balance().start();
        awaitPassing(LONG_STEP, () -> assertThat(a.working()).hasSize(3));
        assertEachShardOnce();
    }

    @Test
    void oneThatIsPausedKeepsItsShardsAndTakesNoMore() {
        period = Duration.ofSeconds(1);
        objects(30);
        Host a = new Host("a").start();
        awaitPassing(() -> assertThat(a.working()).hasSize(6));
        await().untilAsserted(() -> assertThat(reconciledBy("a")).hasSize(30));
        a.manager.pause("c");
        await().untilAsserted(() -> assertThat(a.working()).isEmpty());
        assertThat(state(a.manager, "c")).isEqualTo(ControllerState.PAUSED);
        assertThat(a.status(0).detail()).isEqualTo("paused by an operator");
        Host b = new Host("b").start();
        var later = time.now().plusSeconds(10);
        awaitPassing(() -> assertThat(time.now()).isAfter(later));
        assertThat(b.working()).isEmpty();
        everywhere(configMap(name(0, 100)));
        a.manager.resume("c");

        await().untilAsserted(() -> assertThat(reconciledBy("a")).hasSize(31).endsWith(name(0, 100)));
        awaitPassing(() -> assertThat(b.working()).hasSize(3));
    }

    @Test
    void oneThatIsStoppedHereIsWorkedOnThereUntilItIsStartedAgain() {
        objects(6);
        Host a = new Host("a").start();
        awaitPassing(() -> assertThat(a.working()).hasSize(6));
        Host b = new Host("b").start();
        awaitPassing(() -> assertThat(b.working()).hasSize(3));
        Thread stopper = new Thread(() -> a.manager.stopController("c"), "stopper");
        stopper.start();
        awaitPassing(() -> assertThat(b.working()).hasSize(6));
        awaitPassing(() -> assertThat(stopper.isAlive()).isFalse());
        await().untilAsserted(() -> assertThat(a.informer().held()).isEmpty());
        a.manager.startController("c");

        awaitPassing(() -> assertThat(a.working()).hasSize(3));
        assertThat(a.losses).isEmpty();
        assertEachShardOnce();
    }

    @Test
    void aShardThatOthersMayStillWorkOnByAnotherNumberWaitsUntilThatIsOver() {
        objects(30);
        Host a = new Host("a");
        a.agreement.obstacle = "c-0-of-4 is held by old";
        a.start();
        awaitPassing(() -> assertThat(a.status(0).detail()).isEqualTo("c-0-of-4 is held by old"));
        awaitPassing(() -> assertThat(IntStream.range(0, 6))
                .allMatch(shard -> a.status(shard).leading()));
        assertThat(a.status(0).state()).isEqualTo(ShardState.WAITING);
        assertThat(state(a.manager, "c")).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP);
        assertThat(log).isEmpty();
        a.agreement.obstacle = null;

        awaitPassing(() -> assertThat(a.working()).hasSize(6));
        await().untilAsserted(() -> assertEachHostHasLookedAtWhatItHas(a));
    }

    @Test
    void whoDoesNotAgreeHandsOverAllThatItHas() {
        objects(30);
        Host a = new Host("a").start();
        awaitPassing(() -> assertThat(a.working()).hasSize(6));
        Host b = new Host("b").start();
        awaitPassing(() -> assertThat(b.working()).hasSize(3));
        a.agreement.change(false);

        awaitPassing(() -> assertThat(b.working()).hasSize(6));
        assertThat(a.working()).isEmpty();
        assertThat(a.losses).isEmpty();
        await().untilAsserted(() ->
                assertThat(a.detail()).isEqualTo("works on none of its 6 shards: the anchor says otherwise"));
        await().untilAsserted(() -> assertThat(a.status(0).detail()).isEqualTo("the anchor says otherwise"));
        await().untilAsserted(() -> assertThat(b.detail()).isEqualTo("works on 6 of its 6 shards"));
        a.agreement.change(true);
        awaitPassing(() -> assertThat(a.working()).hasSize(3));
        assertEachShardOnce();
    }

    @Test
    void whereOthersDivideItOtherwiseNoShardIsFree() {
        Host a = new Host("a");
        a.agreement.agrees = false;
        a.start();
        awaitPassing(
                () -> assertThat(a.detail()).isEqualTo("works on none of its 6 shards: the anchor says otherwise"));
        assertThat(IntStream.range(0, 6)).allMatch(shard -> a.status(shard).state() == ShardState.ELSEWHERE);
        a.agreement.change(true);
        awaitPassing(() -> assertThat(a.working()).hasSize(6));
    }

    @Test
    void whoDoesNotAgreeAnyMoreWhileItWaitsGivesUpTheLeaseToo() {
        Host a = new Host("a");
        a.agreement.obstacle = "c-0-of-4 is held by old";
        a.start();
        awaitPassing(() -> assertThat(IntStream.range(0, 6))
                .allMatch(shard -> a.status(shard).leading()));
        a.agreement.change(false);

        awaitPassing(() -> assertThat(IntStream.range(0, 6))
                .noneMatch(shard -> a.status(shard).leading()));
        await().untilAsserted(
                        () -> assertThat(store("manager-c-0-of-6").holders()).containsExactly("a", ""));
    }

    @Test
    void aShardIsTakenFirstAndFilledThen() {
        objects(30);
        Host a = new Host("a");
        a.informer().fills(false);
        a.start();
        awaitPassing(() -> assertThat(a.status(3).leading()).isTrue());
        await().untilAsserted(() -> assertThat(a.status(3).detail()).isEqualTo("fills its caches"));
        a.informer().inTheWay(new Obstacle(ErrorKind.OTHER, new Permission("list", "configmaps", null), "HTTP 500"));
        assertThat(a.status(3).detail()).isEqualTo("fills its caches: HTTP 500");
        a.informer().inTheWay();
        assertThat(log).isEmpty();
        // The other limit is that of the hand-over notes, which counts from here on.
        awaitPassing(LONG_STEP, () -> {
            assertThat(a.manager.readiness(false).reasons())
                    .contains("controller c: caches of shard 0 are not synced after 20 s");
            assertThat(a.status(3).detail()).isEqualTo("caches of shard 3 are not synced after 20 s");
        });
        for (ErrorKind kind : List.of(ErrorKind.TURNED_AWAY, ErrorKind.FORBIDDEN)) {
            Obstacle obstacle = new Obstacle(kind, new Permission("list", "configmaps", null), "HTTP");
            a.informer().inTheWay(obstacle);
            assertThat(a.manager.readiness(false).reasons())
                    .contains("controller c: caches of shard 0 are not synced after 20 s: " + obstacle);
            assertThat(a.status(3).detail()).isEqualTo("caches of shard 3 are not synced after 20 s: " + obstacle);
        }
        a.informer().inTheWay();
        assertThat(a.status(3).detail()).isEqualTo("caches of shard 3 are not synced after 20 s");
        a.informer().fills(true);

        awaitPassing(() -> assertThat(a.working()).hasSize(6));
        assertThat(a.manager.readiness(false).healthy()).isTrue();
    }

    @Test
    void aShardIsPreparedBeforeItIsAskedForAndADeletionMeanwhileIsNotLost() {
        shards = new Shards(2, Shards.By.NAME);
        objects(10);
        Host a = new Host("a").start();
        awaitPassing(() -> assertThat(a.working()).hasSize(2));
        Host b = new Host("b");
        b.informer().fills(false);
        b.electors.electors().get(0).balance().stop();
        HostLoop loop =
                new HostLoop(b.builder().controllers(List.of(b.registration())).parts());
        loop.start();
        // It looks for nothing by itself.
        b.electors.electors().get(0).balance().stop();
        try {
            ShardWork shard = loop.controller("c").shards().get(1);
            awaitPassing(() -> assertThat(shard.controller().life().isUp()).isTrue());
            ((LeaseCandidacy) shard.candidacy()).beforeAsking(asking());
            await().until(() -> b.informer().held().contains(1));
            assertThat(log).doesNotContain("asked");
            b.informer().fills(true);
            await().until(() -> log.contains("asked"));
            V1ConfigMap gone = configMap(name(1, 0));
            hosts.forEach(host -> host.informer().delete(gone));
            log.clear();
            Thread stopper = new Thread(() -> a.manager.stopController("c"), "stopper");
            stopper.start();

            awaitPassing(() -> assertThat(log).contains("b " + name(1, 0)));
            awaitPassing(() -> assertThat(stopper.isAlive()).isFalse());
        } finally {
            Thread stopper = new Thread(loop::stop, "stopper");
            stopper.start();
            awaitPassing(() -> assertThat(stopper.isAlive()).isFalse());
        }
    }

    @Test
    void whatWasPreparedIsDroppedIfItDoesNotCome() {
        cacheSyncTimeout = Duration.ofMinutes(3);
        prepare((b, shard) -> {
            b.informer().fills(false);
            ((LeaseCandidacy) shard.candidacy()).beforeAsking(asking());
            await().until(() -> b.informer().held().contains(1));
            pass(Duration.ofMinutes(2));
            assertThat(b.informer().held()).as("filling takes its time").containsExactly(1);
            assertThat(log).doesNotContain("asked", "given up");
            b.informer().fills(true);
            await().until(() -> log.contains("asked"));
            pass(Duration.ofSeconds(50));
            assertThat(b.informer().held()).containsExactly(1);
            awaitPassing(LONG_STEP, () -> assertThat(b.informer().held()).isEmpty());
        });
    }

    @Test
    void whatIsNotFilledInTimeIsGivenUp() {
        prepare((b, shard) -> {
            b.informer().fills(false);
            ((LeaseCandidacy) shard.candidacy()).beforeAsking(asking());
            await().until(() -> b.informer().held().contains(1));
            pass(Duration.ofSeconds(15));
            assertThat(log).doesNotContain("given up");
            pass(Duration.ofSeconds(10));
            await().until(() -> log.contains("given up"));
            assertThat(b.informer().held()).isEmpty();
            assertThat(log).doesNotContain("asked");
        });
    }

    @Test
    void whatMayNotBeAskedForIsGivenUpAtOnce() {
        prepare((b, shard) -> {
            b.agreement.agrees = false;
            ((LeaseCandidacy) shard.candidacy()).beforeAsking(asking());
            await().until(() -> log.contains("given up"));
            assertThat(b.informer().held()).isEmpty();
        });
    }

    /** With a host that looks for no shard by itself, and a shard of another's. */
    private void prepare(BiConsumer<Host, ShardWork> test) {
        shards = new Shards(2, Shards.By.NAME);
        Host a = new Host("a").start();
        awaitPassing(() -> assertThat(a.working()).hasSize(2));
        Host b = new Host("b");
        HostLoop loop =
                new HostLoop(b.builder().controllers(List.of(b.registration())).parts());
        loop.start();
        b.electors.electors().get(0).balance().stop();
        try {
            ShardWork shard = loop.controller("c").shards().get(1);
            awaitPassing(() -> assertThat(shard.controller().life().isUp()).isTrue());
            test.accept(b, shard);
        } finally {
            Thread stopper = new Thread(loop::stop, "stopper");
            stopper.start();
            awaitPassing(() -> assertThat(stopper.isAlive()).isFalse());
        }
    }

    private void pass(Duration duration) {
        var end = time.now().plus(duration);
        awaitPassing(LONG_STEP, () -> assertThat(time.now()).isAfterOrEqualTo(end));
    }

    @Test
    void writesOfAReconcileAreForTheLeaseOfItsShardToDecide() {
        objects(30);
        List<String> refusals = new CopyOnWriteArrayList<>();
        Host a = new Host("a");
        a.work = key -> {
            if (key.getName().equals(name(2, 0))) {
                store("manager-c-2-of-6").edit(lease -> lease.getSpec().setHolderIdentity("intruder"));
            }
            if (key.getName().equals(name(2, 0)) || key.getName().equals(name(3, 0))) {
                refusals.add(shardOf(key) + " " + refusal(a.leadership.fence()) + " " + refusal(a.own));
            }
        };
        a.start();

        String lost = "this process (a) is not the leader of ns/manager-c-2-of-6";
        awaitPassing(() -> assertThat(refusals).contains("3 null null", "2 " + lost + " " + lost));
        assertThat(refusal(a.own)).as("outside a reconcile any shard is enough").isNull();
        awaitPassing(() -> assertThat(a.working()).containsExactly(0, 1, 3, 4, 5));
        await().until(() -> a.losses.equals(List.of("lost")));
    }

    @Test
    void aKeyOfAShardThatIsWorkedOnElsewhereIsNotReconciledOnDemand() {
        shards = new Shards(2, Shards.By.NAME);
        objects(10);
        Host a = new Host("a").start();
        awaitPassing(() -> assertThat(a.working()).hasSize(2));
        Host b = new Host("b").start();
        awaitPassing(() -> assertThat(b.working()).hasSize(1));
        int here = b.working().iterator().next();
        await().untilAsserted(() -> assertEachHostHasLookedAtWhatItHas(b));
        log.clear();
        b.manager.reconcileNow("c", new Request("ns", name(here, 0)));

        await().until(() -> log.contains("b " + name(here, 0)));
        assertThatThrownBy(() -> b.manager.reconcileNow("c", new Request("ns", name(1 - here, 0))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("controller \"c\" does not work on shard " + (1 - here) + " of ns/" + name(1 - here, 0)
                        + " in this process");
    }

    private LeadershipListener.Asking asking() {
        return new LeadershipListener.Asking() {
            @Override
            public void ask() {
                log.add("asked");
            }

            @Override
            public void giveUp() {
                log.add("given up");
            }
        };
    }

    private void assertEachShardOnce() {
        List<Integer> all = new ArrayList<>();
        hosts.forEach(host -> all.addAll(host.working()));
        assertThat(all)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, shards.count()).boxed().toList());
    }

    private void assertEachHostHasLookedAtWhatItHas(Host... some) {
        for (Host host : some) {
            Set<String> keys = new TreeSet<>();
            for (int i = 0; i < objects; i++) {
                if (host.working().contains(shardOf(new Request("ns", key(i))))) {
                    keys.add(key(i));
                }
            }
            assertThat(new TreeSet<>(reconciledBy(host.identity))).containsAll(keys);
        }
    }

    private int objects;

    /** Puts so many objects there, before there are hosts. */
    private void objects(int count) {
        objects = count;
    }

    private void everywhere(V1ConfigMap object) {
        hosts.forEach(host -> host.informer().put(object));
    }

    private int shardOf(Request key) {
        return shards.of(key.getNamespace(), key.getName(), null);
    }

    /** A name; what comes after the number spreads the hash. */
    private static String key(int number) {
        return "key-" + number + "-of-a-map";
    }

    /** A name in that shard, the same one each time. */
    private String name(int shard, int number) {
        int found = 0;
        for (int i = number >= 100 ? 1000 : 0; ; i++) {
            String name = key(i);
            if (shards.of("ns", name, null) == shard && found++ == number % 100) {
                return name;
            }
        }
    }

    private List<String> reconciledBy(String host) {
        return log.stream()
                .filter(line -> line.startsWith(host + " "))
                .map(line -> line.substring(host.length() + 1))
                .toList();
    }

    private double moves() {
        return hosts.stream()
                .mapToDouble(host -> host.meters
                        .get("controller.manager.shard.moves")
                        .functionCounter()
                        .count())
                .sum();
    }

    private static @Nullable String refusal(WriteFence fence) {
        try {
            fence.checkWrite();
            return null;
        } catch (WriteRefusedException e) {
            return e.getMessage();
        }
    }

    private LeaseStore store(String lease) {
        return stores.computeIfAbsent(lease, name -> new LeaseStore());
    }

    @Override
    Stream<LeadershipStatus> elections(ControllerManager manager) {
        return hosts.stream()
                .flatMap(host -> host.leadership.electors().stream().map(LeaderElector::status));
    }

    /** One process. */
    private final class Host {

        private final String identity;
        private final FakeCluster cluster = new FakeCluster(new CopyOnWriteArrayList<>());
        private final Map<String, LeaseStore.Lock> locks = new ConcurrentHashMap<>();
        private final List<String> losses = new CopyOnWriteArrayList<>();
        private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
        private final FakeAgreement agreement = new FakeAgreement();
        private final ControllerElectors electors;
        private final Leadership leadership;
        private final ControllerManager manager;
        private volatile Consumer<Request> work = key -> {};
        private volatile WriteFence own = WriteFence.open();

        Host(String identity) {
            this.identity = identity;
            cluster.serve(CONFIG_MAP);
            LeaderElectionConfig config = ElectionConfigs.of("ns", "manager", identity);
            this.electors = Electors.shards(
                    config,
                    "c",
                    shards,
                    period,
                    own -> {
                        LeaseStore.Lock lock = store(own.leaseName()).lock(identity);
                        lock.watchable(() -> {});
                        locks.put(own.leaseName(), lock);
                        return lock;
                    },
                    time);
            this.leadership = Leadership.shared(
                    Objects.requireNonNull(electors.anchor()),
                    Map.of("c", new ControllerElectors(electors.electors(), electors.anchor(), agreement)),
                    fence -> {
                        own = fence;
                        return new ApiClient();
                    },
                    new ApiClient());
            this.manager = build(builder(), List.of(registration()));
            for (int i = 0; i < objects; i++) {
                informer().put(configMap(key(i)));
            }
            hosts.add(this);
        }

        private HostBuilder builder() {
            return new HostBuilder(leadership, cluster, time, time, name -> NO_EVENTS)
                    .meterRegistry(meters)
                    .onLeadershipLost(() -> losses.add("lost"));
        }

        private ControllerRegistration registration() {
            return ControllerRegistration.of(ControllerDescriptor.named("c")
                    .forType(CONFIG_MAP)
                    .options(ControllerOptions.DEFAULTS
                            .withWorkers(4)
                            .withShards(shards)
                            .withCacheSyncTimeout(cacheSyncTimeout))
                    .reconcilerFactory(context -> {
                        context.apiClient();
                        return request -> {
                            log.add(identity + " " + request.getName());
                            work.accept(request);
                            return new Result(false);
                        };
                    })
                    .build());
        }

        Host start() {
            manager.start();
            return this;
        }

        FakeShardedInformer<V1ConfigMap> informer() {
            return cluster.fake(new ShardedSelection<>(MAPS, shards, null));
        }

        ShardStatus status(int shard) {
            return Objects.requireNonNull(manager.shards().get("c")).get(shard);
        }

        @Nullable
        String detail() {
            return manager.controllers().get(0).detail();
        }

        /** The shards that it works on. */
        Set<Integer> working() {
            Set<Integer> working = new TreeSet<>();
            for (ShardStatus status : Objects.requireNonNull(manager.shards().get("c"))) {
                if (status.state() == ShardState.WORKING) {
                    working.add(status.shard());
                }
            }
            return working;
        }

        double meter(String state) {
            return meters.get("controller.manager.shards")
                    .tag("state", state)
                    .gauge()
                    .value();
        }
    }
}
