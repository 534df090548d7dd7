package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Replicas that share controllers by a Lease for each, in virtual time: what the tests of the balance share. */
abstract class Replicas {

    /** The longest time between two looks at who holds what, and the hand-over that may come of one. */
    static final Duration PERIOD = LeaseBalance.PERIOD.plus(LeaseBalance.PERIOD.dividedBy(5));

    /** When those look first whose chances are all even. */
    static final Duration LOOK = Duration.ofMillis(1100);

    final VirtualTime time = new VirtualTime();
    final Map<String, LeaseStore> stores = new LinkedHashMap<>();
    final Map<String, String> working = new TreeMap<>();
    final List<String> clashes = new ArrayList<>();
    final List<String> handOvers = new ArrayList<>();

    @AfterEach
    void neverDidTwoWorkForOneController() {
        assertThat(clashes).isEmpty();
    }

    void controllers(int count) {
        for (int i = 0; i < count; i++) {
            stores.put("manager-c" + i, new LeaseStore());
        }
    }

    LeaseStore store(String lease) {
        return Objects.requireNonNull(stores.get(lease));
    }

    V1LeaseSpec spec(String lease) {
        return Objects.requireNonNull(
                Objects.requireNonNull(store(lease).current()).getSpec());
    }

    /** How many controllers each replica works for. */
    Map<String, Integer> numbers() {
        Map<String, Integer> numbers = new TreeMap<>();
        working.values().forEach(replica -> numbers.merge(replica, 1, Integer::sum));
        return numbers;
    }

    String heldBy(String replica) {
        return working.entrySet().stream()
                .filter(entry -> entry.getValue().equals(replica))
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    /** Who has asked for which Lease. */
    Map<String, String> wishes() {
        Map<String, String> wishes = new TreeMap<>();
        stores.forEach((name, store) -> {
            V1Lease lease = store.current();
            String wish = lease == null ? null : Leases.preferredHolder(lease);
            if (wish != null) {
                wishes.put(name, wish);
            }
        });
        return wishes;
    }

    /** Two replicas, then a third: they become even by no more moves than that needs, and stay so. */
    void arriveOneByOne(Random random) {
        controllers(5);
        new Replica("a").random(random::nextDouble).start();
        new Replica("b").random(random::nextDouble).start();
        time.advance(PERIOD.multipliedBy(3));
        assertThat(numbers().values()).containsExactlyInAnyOrder(3, 2);
        assertThat(handOvers).hasSize(2);

        new Replica("c").random(random::nextDouble).start();
        time.advance(PERIOD.multipliedBy(2));
        assertThat(numbers().values()).containsExactlyInAnyOrder(2, 2, 1);
        assertThat(handOvers).hasSize(3);

        time.advance(Duration.ofMinutes(10));
        assertThat(handOvers).as("once they are even nothing moves").hasSize(3);
        assertThat(wishes()).isEmpty();
    }

    /** One of three replicas dies: what it held is taken when its Leases have run out, and then the two are even. */
    void dieAmongThree(Random random) {
        controllers(8);
        Replica a = new Replica("a").random(random::nextDouble).start();
        new Replica("b").random(random::nextDouble).start();
        new Replica("c").random(random::nextDouble).start();
        time.advance(PERIOD.multipliedBy(6));
        assertThat(numbers().values()).containsExactlyInAnyOrder(3, 3, 2);
        handOvers.clear();

        a.cut("gone");
        time.advance(Duration.ofSeconds(16));
        assertThat(numbers().keySet()).containsExactlyInAnyOrder("b", "c");
        assertThat(working).hasSize(8);
        time.advance(PERIOD.multipliedBy(2));

        assertThat(numbers().values()).containsExactlyInAnyOrder(4, 4);
        assertThat(handOvers.size()).isLessThanOrEqualTo(1);
    }

    /** One process; what it works on ends when it is told to, after the time of a drain. */
    final class Replica {

        private final String name;
        private final List<LeaseStore.Lock> locks = new ArrayList<>();
        final LeaseBalance balance;
        final List<String> notices = new ArrayList<>();
        private DoubleSupplier random = () -> 0.5;
        Duration drain = Duration.ZERO;

        @Nullable
        String refused;

        boolean cutWhenAsked;
        Runnable onResign = () -> {};

        /** What it does before it asks for a Lease. */
        Consumer<LeadershipListener.Asking> beforeAsking = LeadershipListener.Asking::ask;

        /** Runs once while a wish is considered. */
        @Nullable
        Runnable whenConsidering;

        Replica(String name) {
            this.name = name;
            this.balance = new LeaseBalance(
                    ElectionConfigs.of("ns", "manager", name),
                    names(),
                    LeaseBalance.PERIOD,
                    new ElectionParts(
                            config -> {
                                LeaseStore.Lock lock = store(config.leaseName()).lock(name);
                                lock.watchable(observer -> {});
                                locks.add(lock);
                                return lock;
                            },
                            time,
                            time,
                            new SimpleMeterRegistry(),
                            thread -> Runnable::run,
                            () -> random.getAsDouble(),
                            false,
                            () -> {}));
        }

        Replica random(DoubleSupplier newRandom) {
            random = newRandom;
            return this;
        }

        Replica unwatched() {
            locks.forEach(lock -> lock.unwatchable("missing permission: watch"));
            return this;
        }

        private List<String> names() {
            return stores.keySet().stream()
                    .map(lease -> lease.substring("manager-".length()))
                    .sorted()
                    .toList();
        }

        Replica start() {
            balance.start();
            names().forEach(controller -> balance.elector(controller).start(new Work(controller)));
            return this;
        }

        void stop() {
            balance.stop();
            names().forEach(controller -> balance.elector(controller).stop());
        }

        /** Nothing that it sends arrives any more; null for the end of that. */
        void cut(@Nullable String message) {
            locks.forEach(lock -> lock.failWith(message));
        }

        /** What one Lease guards. */
        private final class Work extends NotingListener {

            private final String controller;

            Work(String controller) {
                super(controller, notices);
                this.controller = controller;
            }

            @Override
            public void onAcquired() {
                super.onAcquired();
                String other = working.put(controller, name);
                if (other != null) {
                    clashes.add(controller + ": " + name + " beside " + other);
                }
            }

            @Override
            public void onLost() {
                super.onLost();
                working.remove(controller, name);
            }

            @Override
            public void beforeAsking(Asking asking) {
                notices.add(controller + " to be asked for");
                beforeAsking.accept(asking);
            }

            @Override
            public boolean onAsked() {
                notices.add(controller + " asked");
                Runnable meanwhile = whenConsidering;
                if (meanwhile != null) {
                    whenConsidering = null;
                    meanwhile.run();
                }
                if (cutWhenAsked) {
                    cut("gone");
                }
                if (controller.equals(refused)) {
                    return false;
                }
                handOvers.add(controller);
                time.schedule(drain, () -> {
                    onResign.run();
                    balance.elector(controller).resign();
                });
                return true;
            }

            @Override
            public Map<String, String> handOverNotes() {
                return Map.of("configmaps", "7 of " + name);
            }
        }
    }
}
