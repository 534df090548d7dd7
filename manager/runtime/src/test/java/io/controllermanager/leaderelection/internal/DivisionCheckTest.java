package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.informer.Shards;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1Lease;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What keeps whoever holds a Lease from work, since others may work by another number of shards. */
class DivisionCheckTest {

    private static final String FORBIDDEN = LeaseException.missingPermission("list", ElectionConfigs.of("ns", "cm"));

    private final VirtualTime time = new VirtualTime();
    private final Map<String, LeaseStore> stores = new TreeMap<>();
    private final List<LeaseStore.Lock> locks = new ArrayList<>();
    private @Nullable String listFailure;

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // The count here, what the anchor says, what is held, whether lists are forbidden; the obstacle.
                "16, foo=16, -, false, -",
                "16, foo=8, -, false, 'Lease ns/cm says that foo has 8 shards by namespace-range, and this process has 16 shards by namespace-range'",
                "16, foo=1, -, false, 'Lease ns/cm says that foo has 1 shard, and this process has 16 shards by namespace-range'",
                "16, bar=16, -, false, 'Lease ns/cm does not say that foo has shards, and this process has 16 shards by namespace-range'",
                "16, -, -, false, 'Lease ns/cm is missing, and this process has 16 shards by namespace-range'",
                "16, foo=16, cm-foo-3-of-16 foo=16, false, -",
                "16, foo=16, cm-foo-3-of-16 foo=16/uid, false, Lease ns/cm-foo-3-of-16 is held by x",
                "16, foo=16, cm-foo-3-of-16, false, Lease ns/cm-foo-3-of-16 is held by x",
                "16, foo=16/uid, -, false, 'Lease ns/cm says that foo has 16 shards by uid, and this process has 16 shards by namespace-range'",
                "16, foo=16, cm-foo-3-of-8, false, Lease ns/cm-foo-3-of-8 is held by x",
                "16, foo=16, cm-foo-3-of-160, false, Lease ns/cm-foo-3-of-160 is held by x",
                "16, foo=16, cm-bar-3-of-8, false, -",
                "16, foo=16, cm-foo-bar-3-of-8, false, -",
                "16, foo=16, xcm-foo-3-of-8, false, -",
                "16, foo=16, cm-foo-3-of-8x, false, -",
                "16, foo=16, -, true, 'missing permission: list leases.coordination.k8s.io in namespace \"ns\"'",
                "16, 'foo=1,foo/mixed=16', -, false, 'Lease ns/cm says that foo has 16 shards by namespace, and this process has 16 shards by namespace-range'",
                "16, 'foo=16,foo/mixed=1', -, false, -",
                "16, foo=16, 'cm-foo-3-of-16 foo=1,foo/mixed=16', false, Lease ns/cm-foo-3-of-16 is held by x",
                "1, '', cm-foo-3-of-8, false, -",
                "1, 'foo=1,foo/mixed=8', cm-foo-3-of-8, false, Lease ns/cm-foo-3-of-8 is held by x",
                "1, foo/mixed=8, cm-foo-3-of-8, false, Lease ns/cm-foo-3-of-8 is held by x",
                "1, bar=8, cm-foo-3-of-8, false, -",
                "1, foo=8, cm-foo-3-of-8, false, Lease ns/cm-foo-3-of-8 is held by x",
                "1, foo=1, cm-foo-3-of-8, false, Lease ns/cm-foo-3-of-8 is held by x",
                "1, foo=x, cm-foo-3-of-8, false, Lease ns/cm-foo-3-of-8 is held by x",
                "1, foo=8, cm-foo-3-of-1, false, Lease ns/cm-foo-3-of-1 is held by x",
                "1, foo=8, -, false, -",
                "1, foo=8, -, true, 'missing permission: list leases.coordination.k8s.io in namespace \"ns\"'",
                "1, '', -, true, -",
                "1, -, cm-foo-3-of-8, false, -",
                "1, -, -, true, -",
            })
    void whatIsHeldOrSaidIsAnObstacle(
            int count, @Nullable String said, @Nullable String held, boolean forbidden, @Nullable String obstacle) {
        if (said != null) {
            say(said);
        }
        if (held != null) {
            String[] parts = held.split(" ", -1);
            V1Lease lease = Leases.made(null, config(parts[0], "x"), time.now());
            if (parts.length > 1) {
                Objects.requireNonNull(lease.getMetadata()).putAnnotationsItem(Leases.SHARDS, parts[1]);
            }
            store(parts[0]).put(lease);
        }
        listFailure = forbidden ? FORBIDDEN : null;

        assertThat(check(count)).isEqualTo(obstacle);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // What the anchor says, and what the Lease of a shard says that is held; the obstacle.
                "'foo=1,foo/mixed=16', 'foo=1,foo/mixed=16', -",
                "'foo=1,foo/mixed=16', foo=16, Lease ns/cm-foo-3-of-16 is held by x",
                "'foo=1,foo/mixed=16', 'foo=16,foo/mixed=1', Lease ns/cm-foo-3-of-16 is held by x",
                "foo=16, -, 'Lease ns/cm says that foo has 16 shards by namespace-range, and this process has 16 shards by namespace'",
                "'foo=1,foo/mixed=1', -, 'Lease ns/cm says that foo has 1 shard, and this process has 16 shards by namespace'",
            })
    void whatIsByNamespaceAndByItsRangesIsToldApart(String said, @Nullable String held, @Nullable String obstacle) {
        say(said);
        if (held != null) {
            V1Lease lease = Leases.made(null, config("cm-foo-3-of-16", "x"), time.now());
            Objects.requireNonNull(lease.getMetadata()).putAnnotationsItem(Leases.SHARDS, held);
            store("cm-foo-3-of-16").put(lease);
        }

        assertThat(electors(new Shards(16, Shards.By.NAMESPACE)).agreement().obstacle())
                .isEqualTo(obstacle);
    }

    @Test
    void whereNothingWasEverDividedNothingIsSent() {
        say("");
        LeaderElector anchor = anchor(Map.of());
        store("cm").forgetRequests();

        assertThat(ControllerElectors.shared(anchor, "foo").agreement().obstacle())
                .isNull();
        assertThat(store("cm").requests()).isEmpty();
    }

    @Test
    void oneWithALeaseForEachControllerLooksForShardsOnlyWhereThereWereSome() {
        listFailure = FORBIDDEN;
        LeaderElector anchor = anchor(Map.of(ControllerElectors.EACH, Shards.ONE));
        LeaseBalance balance = new LeaseBalance(config("cm", "a"), List.of("foo"), LeaseBalance.PERIOD, parts());
        ControllerElectors foo = ControllerElectors.own(balance.elector("foo"), anchor, "foo");

        assertThat(foo.agreement().mayHaveObstacle()).isTrue();
        assertThat(foo.agreement().obstacle()).isNull();
        say("*=own,foo=1");
        assertThat(foo.agreement().obstacle()).isEqualTo(FORBIDDEN);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // What the anchor says, and the obstacle for a process that works by it, without a right to list.
                "'', -",
                "*=own, Lease ns/cm-foo is held by x",
                "*=shared, Lease ns/cm-foo is held by x",
                "bar=1, -",
            })
    void whoWorksByTheAnchorReadsTheControllersOwnLeaseWhereItHadOne(String said, @Nullable String obstacle) {
        say(said);
        store("cm-foo").put(Leases.made(null, config("cm-foo", "x"), time.now()));
        listFailure = FORBIDDEN;
        ShardAgreement agreement =
                ControllerElectors.shared(anchor(Map.of()), "foo").agreement();

        assertThat(agreement.mayHaveObstacle()).isEqualTo(obstacle != null);
        assertThat(agreement.obstacle()).isEqualTo(obstacle);
        time.advance(Duration.ofSeconds(15));
        assertThat(agreement.obstacle()).isNull();
        assertThat(holder("cm-foo")).isEqualTo(obstacle == null ? "x" : "");
    }

    @Test
    void oneWithShardsLooksForTheControllersOwnLeaseToo() {
        say("*=own,foo=16");
        store("cm-foo").put(Leases.made(null, config("cm-foo", "x"), time.now()));

        assertThat(check(16)).isEqualTo("Lease ns/cm-foo is held by x");
        say("foo=16");
        assertThat(check(16)).as("another application's").isNull();
    }

    @Test
    void aLeaseThatIsNotRenewedForItsDurationIsReleasedAndNoObstacleAnyMore() {
        say("foo=16");
        ControllerElectors electors = electors(16);
        String lease = "cm-foo-3-of-8";
        store(lease).put(Leases.made(null, config(lease, "x"), time.now()));
        assertThat(electors.agreement().obstacle()).isNotNull();
        time.advance(Duration.ofSeconds(10));
        store(lease).edit(edited -> Objects.requireNonNull(edited.getSpec()).setLeaseTransitions(1));
        assertThat(electors.agreement().obstacle()).isNotNull();
        time.advance(Duration.ofSeconds(15).minusNanos(1));
        assertThat(electors.agreement().obstacle()).isNotNull();
        assertThat(holder(lease)).isEqualTo("x");
        time.advance(Duration.ofNanos(1));

        assertThat(electors.agreement().obstacle()).isNull();
        assertThat(holder(lease)).isEmpty();
    }

    @Test
    void whatCannotBeReleasedRemainsAnObstacle() {
        say("foo=16");
        ControllerElectors electors = electors(16);
        String lease = "cm-foo-3-of-8";
        store(lease).put(Leases.made(null, config(lease, "x"), time.now()));
        assertThat(electors.agreement().obstacle()).isNotNull();
        time.advance(Duration.ofSeconds(15));
        int before = locks.size();
        changeMeanwhile = lease;

        assertThat(electors.agreement().obstacle()).isEqualTo("Lease ns/cm-foo-3-of-8 is held by x");
        assertThat(locks).hasSize(before + 1);
        assertThat(holder(lease)).isEqualTo("x");
    }

    @Test
    void whatIsDeletedWhileHeldCountsAsHeldUntilItsTimeIsOver() {
        say("foo=16");
        ControllerElectors electors = electors(16);
        String lease = "cm-foo-3-of-8";
        store(lease).put(Leases.made(null, config(lease, "x"), time.now()));
        assertThat(electors.agreement().obstacle()).isNotNull();
        store(lease).delete();
        assertThat(electors.agreement().obstacle()).isEqualTo("Lease ns/cm-foo-3-of-8 is held by x");
        time.advance(Duration.ofSeconds(15).minusNanos(1));
        assertThat(electors.agreement().obstacle()).isNotNull();
        time.advance(Duration.ofNanos(1));

        assertThat(electors.agreement().obstacle()).isNull();
    }

    /** The Lease that changes just before it is written next. */
    private @Nullable String changeMeanwhile;

    /** What the anchor says, which nobody holds. */
    private void say(String said) {
        V1Lease anchor = Leases.released(Leases.made(null, config("cm", "y"), time.now()), Map.of(), time.now());
        Objects.requireNonNull(anchor.getMetadata())
                .setAnnotations(said.isEmpty() ? null : Map.of(Leases.SHARDS, said));
        store("cm").put(anchor);
    }

    private @Nullable String check(int count) {
        return count == 1
                ? ControllerElectors.shared(anchor(Map.of()), "foo").agreement().obstacle()
                : electors(count).agreement().obstacle();
    }

    private ControllerElectors electors(int count) {
        return electors(shards(count));
    }

    private ControllerElectors electors(Shards shards) {
        LeaderElector anchor = new LeaderElector(config("cm", "a").withDivided(Map.of("foo", shards)), parts());
        return ControllerElectors.divided(config("cm", "a"), anchor, "foo", shards, LeaseBalance.PERIOD, parts());
    }

    private static Shards shards(int count) {
        return new Shards(count, Shards.By.NAMESPACE_RANGE);
    }

    private LeaderElector anchor(Map<String, Shards> divided) {
        LeaderElector anchor = new LeaderElector(config("cm", "a").withDivided(divided), parts());
        anchor.start(new NotingListener("a", new ArrayList<>()));
        assertThat(anchor.isLeading()).isTrue();
        return anchor;
    }

    private String holder(String lease) {
        return Leases.holder(Objects.requireNonNull(store(lease).current()));
    }

    private LeaseStore store(String lease) {
        return stores.computeIfAbsent(lease, name -> new LeaseStore().among(stores::values));
    }

    private static LeaderElectionConfig config(String lease, String identity) {
        return ElectionConfigs.of("ns", lease, identity);
    }

    private ElectionParts parts() {
        return new ElectionParts(
                config -> {
                    LeaseStore.Lock lock = store(config.leaseName()).lock("a");
                    locks.add(lock);
                    lock.failListsWith(listFailure);
                    if (config.leaseName().equals(changeMeanwhile)) {
                        lock.beforeRequest(() -> store(config.leaseName()).edit(lease -> {}));
                    }
                    return lock;
                },
                time,
                time,
                new SimpleMeterRegistry(),
                thread -> Runnable::run,
                () -> 0.5,
                false,
                () -> {});
    }
}
