package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.client.internal.transport.LinesWith;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.internal.Shard;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.leaderelection.internal.ControllerElectors;
import io.controllermanager.leaderelection.internal.ElectionConfigs;
import io.controllermanager.leaderelection.internal.Electors;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeaseBalance;
import io.controllermanager.leaderelection.internal.LeaseStore;
import io.controllermanager.manager.internal.ControllerLife.Wish;
import io.controllermanager.manager.internal.ShardLife.Phase;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/** How the work of one shard ends, in one process: real threads and a real controller, virtual time. */
class DividedWorkTest extends HostFixture {

    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(30);

    private final Shards shards = new Shards(2, Shards.By.NAME);
    private final Map<String, LeaseStore> stores = new ConcurrentHashMap<>();
    private final List<LeaseStore.Lock> locks = new CopyOnWriteArrayList<>();
    private final FakeCluster cluster = new FakeCluster(new CopyOnWriteArrayList<>());
    private final FakeShardedInformer<V1ConfigMap> informer =
            cluster.fake(new ShardedSelection<>(Selection.of(CONFIG_MAP), shards, null));
    private final ControllerElectors electors = Electors.shards(
            ElectionConfigs.of("ns", "manager", "a"),
            "c",
            shards,
            LeaseBalance.PERIOD,
            own -> lock(own.leaseName()),
            time);
    private final FakeAgreement agreement = new FakeAgreement();
    private final V1ConfigMap first = configMap(name(0));
    private final V1ConfigMap second = configMap(name(1));
    private volatile Consumer<Request> work = key -> {};
    private @Nullable HostLoop started;

    private LeaseStore.Lock lock(String lease) {
        LeaseStore.Lock lock =
                stores.computeIfAbsent(lease, name -> new LeaseStore()).lock("a");
        lock.watchable(() -> {});
        locks.add(lock);
        return lock;
    }

    /** A name in that shard. */
    private String name(int shard) {
        return name(shard, 0);
    }

    /** A name in that shard after so many others. */
    private String name(int shard, int others) {
        int found = 0;
        for (int i = 0; ; i++) {
            if (shards.of("ns", "key-" + i, null) == shard && found++ == others) {
                return "key-" + i;
            }
        }
    }

    /** A process that works on both shards, each of which has an object. */
    private HostLoop start(ControllerRegistration... others) {
        cluster.serve(CONFIG_MAP);
        informer.put(first);
        informer.put(second);
        Leadership leadership = Leadership.shared(
                Objects.requireNonNull(electors.anchor()),
                Map.of("c", new ControllerElectors(electors.electors(), electors.anchor(), agreement)),
                fence -> new ApiClient(),
                new ApiClient());
        ControllerRegistration registration = ControllerRegistration.of(ControllerDescriptor.named("c")
                .forType(CONFIG_MAP)
                .options(ControllerOptions.DEFAULTS.withWorkers(4).withShards(shards))
                .reconciler(request -> {
                    log.add("begins " + request.getName());
                    work.accept(request);
                    String key = request.getNamespace() + "/" + request.getName();
                    log.add((informer.getIndexer().getByKey(key) == null ? "misses " : "sees ") + request.getName());
                    return new Result(false);
                })
                .build());
        HostLoop loop = new HostLoop(new HostBuilder(leadership, cluster, time, time, name -> NO_EVENTS)
                .shutdownTimeout(SHUTDOWN_TIMEOUT)
                .controllers(Stream.concat(Stream.of(registration), Stream.of(others))
                        .toList())
                .parts());
        started = loop;
        loop.start();
        awaitPassing(() -> assertThat(loop.controller("c").shards())
                .allMatch(shard -> shard.life().phase() == Phase.WORKING));
        awaitPassing(() -> assertThat(log).contains("begins " + name(0), "begins " + name(1)));
        return loop;
    }

    /** Another process holds a shard's Lease, for an hour. It holds no other, so nobody asks for it. */
    private void anotherTakes(int shard) {
        LeaseStore store = stores.get("manager-c-" + shard + "-of-2");
        store.edit(lease -> lease.getSpec().holderIdentity("holder-" + shard).leaseDurationSeconds(3600));
    }

    /** Reconciles of the first shard do not end before {@link #release}, even if they are interrupted. */
    private void firstShardHangs() {
        work = key -> {
            if (key.getName().equals(name(0))) {
                waitUninterrupted();
            }
        };
    }

    @AfterEach
    void stop() {
        release.countDown();
        HostLoop loop = started;
        if (loop != null) {
            Thread stopper = new Thread(loop::stop, "stopper");
            stopper.start();
            awaitPassing(LONG_STEP, () -> assertThat(stopper.isAlive()).isFalse());
        }
    }

    @Test
    void whenAShardIsLostItsCacheStaysForAReconcileThatDoesNotEnd() {
        firstShardHangs();
        HostLoop loop = start();
        anotherTakes(0);
        anotherTakes(1);
        awaitPassing(() -> assertThat(loop.controller("c").shards())
                .allMatch(shard -> shard.life().phase() == Phase.STANDBY));
        var later = time.now().plusSeconds(10);
        awaitPassing(() -> assertThat(time.now()).isAfter(later));
        assertThat(informer.held()).containsExactly(0);
        assertThat(log).doesNotContain("sees " + name(0), "misses " + name(0));
        release.countDown();

        awaitPassing(() -> assertThat(informer.held()).isEmpty());
        assertThat(log).contains("sees " + name(0)).doesNotContain("misses " + name(0));
    }

    @Test
    void whileNobodyHoldsAShardsLeaseItsCacheStays() {
        HostLoop loop = start();
        locks.forEach(lock -> lock.failWith("no route to host"));
        awaitPassing(
                LONG_STEP,
                () -> assertThat(loop.controller("c").shards())
                        .allMatch(shard -> shard.life().phase() == Phase.STANDBY));
        var later = time.now().plus(ShardCaches.KEPT_FILLED.multipliedBy(2));
        awaitPassing(LONG_STEP, () -> assertThat(time.now()).isAfter(later));
        assertThat(informer.held()).containsExactlyInAnyOrder(0, 1);
        anotherTakes(0);

        awaitPassing(() -> assertThat(informer.held()).containsExactly(1));
    }

    @Test
    void aControllerThatDoesNotDeclareADividedTypeAsASourceHasItWhole() {
        List<Informer<?>> asked = new CopyOnWriteArrayList<>();
        cluster.serve(SECRET);
        start(ControllerRegistration.of(ControllerDescriptor.named("other")
                .forType(SECRET)
                .reconcilerFactory(context -> {
                    asked.add(context.informer(CONFIG_MAP));
                    return request -> new Result(false);
                })
                .build()));

        awaitPassing(() -> assertThat(asked).containsExactly(cluster.fake(CONFIG_MAP)));
    }

    @Test
    void aPauseIsShownWhereAShardIsWorkedOnElsewhereAndNotAfterIt() {
        HostLoop loop = start();
        anotherTakes(0);
        ShardWork shard = loop.controller("c").shards().get(0);
        awaitPassing(() -> assertThat(shard.life().phase()).isEqualTo(Phase.STANDBY));
        loop.wish("c", Wish.PAUSE);
        awaitPassing(() ->
                assertThat(shard.controller().view().shards().get(0).detail()).isEqualTo("paused by an operator"));
        loop.wish("c", Wish.RUN);

        awaitPassing(() ->
                assertThat(shard.controller().view().shards().get(0).detail()).isNull());
    }

    @Test
    void whenAShardFailsItsCacheStaysUntilItsLeaseIsGivenUp() {
        firstShardHangs();
        HostLoop loop = start();
        loop.post(() -> loop.running("c").fail("broken", null));
        awaitPassing(() -> assertThat(informer.held()).containsExactly(0));
        var later = time.now().plusSeconds(10);
        awaitPassing(() -> assertThat(time.now()).isAfter(later));
        assertThat(informer.held()).containsExactly(0);
        assertThat(loop.controller("c").shards().get(0).candidacy().phase()).isNotEqualTo(Candidacy.Phase.IDLE);
        release.countDown();

        awaitPassing(() -> assertThat(informer.held()).isEmpty());
        assertThat(log).contains("sees " + name(0)).doesNotContain("misses " + name(0));
    }

    @Test
    void aShardThatIsLostAndTakenAgainBeginsNothingUntilTheHostHasFollowed() {
        HostLoop loop = start();
        LeaderElector shard = electors.electors().get(0);
        loop.post(this::waitUninterrupted);
        locks.forEach(lock -> lock.failWith("no route to host"));
        awaitPassing(LONG_STEP, () -> assertThat(shard.isLeading()).isFalse());
        locks.forEach(lock -> lock.failWith(null));
        awaitPassing(() -> assertThat(shard.isLeading()).isTrue());
        informer.put(configMap(name(0, 1)));
        var later = time.now().plusSeconds(2);
        awaitPassing(() -> assertThat(time.now()).isAfter(later));
        assertThat(log).doesNotContain("begins " + name(0, 1));
        release.countDown();

        awaitPassing(() -> assertThat(log).contains("sees " + name(0, 1)));
    }

    @Test
    void aShardThatAWorkerHasClosedThoughItsLeaseIsHeldIsOpenedAgain() {
        HostLoop loop = start();
        ControllerRunner runner = loop.running("c").runner();
        Shard closed = Objects.requireNonNull(runner.controller()).shards().get(0);
        closed.close();
        informer.put(configMap(name(0, 1)));
        loop.post(() -> loop.controller("c").shards().get(0).lapsed());

        awaitPassing(() -> assertThat(log).contains("sees " + name(0, 1)));
        assertThat(closed.isOpen()).isTrue();
    }

    @Test
    void theNotesOfAShardAreNotThoseOfOthers() {
        HostLoop loop = start();
        cluster.written(Map.of("secrets", "1", "configmaps#0-of-2", "2", "configmaps#1-of-2", "3"));

        List<LeaseCandidacy> candidacies = loop.running("c").candidacies().stream()
                .map(LeaseCandidacy.class::cast)
                .toList();
        assertThat(candidacies.get(2).handOverNotes()).isEqualTo(Map.of("secrets", "1", "configmaps#1-of-2", "3"));
        assertThat(candidacies.get(0).handOverNotes()).isEqualTo(Map.of("secrets", "1"));
    }

    @Test
    void aHandOverThatAReconcileHoldsUpIsToldOfOnceAndGoesOnWhenThatHasEnded() {
        ListAppender<ILoggingEvent> lines =
                LinesWith.text("some reconciles have not ended by the shutdown timeout of 30 s");
        Logger logger = (Logger) LoggerFactory.getLogger(ShardWork.class);
        logger.addAppender(lines);
        try {
            firstShardHangs();
            HostLoop loop = start();
            agreement.change(false);
            awaitPassing(LONG_STEP, () -> assertThat(lines.list).hasSize(1));
            var later = time.now().plusSeconds(10);
            awaitPassing(() -> assertThat(time.now()).isAfter(later));
            assertThat(lines.list).hasSize(1);
            assertThat(loop.controller("c").shards().get(0).candidacy().phase()).isEqualTo(Candidacy.Phase.LEADING);
            release.countDown();

            awaitPassing(() -> assertThat(
                            loop.controller("c").shards().get(0).candidacy().phase())
                    .isEqualTo(Candidacy.Phase.COMPETING));
            assertThat(lines.list).hasSize(1);
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void aHandOverThatFailsIsLoggedWithItsLeaseAndKeepsIt() {
        ListAppender<ILoggingEvent> lines = LinesWith.text("the hand-over to another replica failed: ");
        Logger logger = (Logger) LoggerFactory.getLogger(LeaseCandidacy.class);
        logger.addAppender(lines);
        try {
            Candidacy candidacy = start().controller("c").shards().get(0).candidacy();
            Objects.requireNonNull(started)
                    .post(() -> candidacy.handOver(() -> {
                        throw new IllegalStateException("cannot be drained");
                    }));
            await().untilAsserted(() -> assertThat(lines.list).hasSize(1));

            ILoggingEvent line = lines.list.get(0);
            assertThat(line.getLevel()).isEqualTo(Level.ERROR);
            assertThat(line.getFormattedMessage()).startsWith("Lease manager-c-0-of-2: ");
            assertThat(line.getKeyValuePairs())
                    .extracting(KeyValuePair::toString)
                    .containsExactly("lease=\"manager-c-0-of-2\"");
            assertThat(line.getThrowableProxy().getMessage()).isEqualTo("cannot be drained");
            awaitPassing(() -> assertThat(candidacy.phase()).isEqualTo(Candidacy.Phase.LEADING));
            assertThat(electors.electors().get(0).isLeading()).isTrue();
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void noShardWaitsForAnothersCacheToBeDropped() {
        HostLoop loop = start();
        informer.beforeDrop(this::waitUninterrupted);
        anotherTakes(0);
        anotherTakes(1);

        awaitPassing(() -> assertThat(loop.controller("c").shards())
                .allMatch(shard -> shard.life().phase() == Phase.STANDBY));
        assertThat(informer.held()).containsExactlyInAnyOrder(0, 1);
        release.countDown();
        awaitPassing(() -> assertThat(informer.held()).isEmpty());
    }
}
