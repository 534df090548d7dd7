package io.controllermanager.leaderelection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the elections of one process that shares Leases have in common: how many Leases each process holds, and which one
 * is being given away. Takes no lock; any thread may call it.
 */
final class Balance {

    private static final Logger log = LoggerFactory.getLogger(Balance.class);

    /**
     * For how many periods a wish stands whose turn does not come. Whoever still has it after that asks again, and nobody
     * ends work for a process that is gone.
     */
    private static final int WISH_PERIODS = 2;

    private final String identity;
    private final Duration period;
    private final Supplier<List<BalanceSpread.Held>> leases;

    /** The name of the Lease that is being given away. */
    private final AtomicReference<@Nullable String> leaving = new AtomicReference<>();

    /**
     * Sends nothing.
     *
     * @param period how often processes look whether they should ask for a Lease
     * @param leases all that this process competes for, as far as it has seen them
     */
    Balance(String identity, Duration period, Supplier<List<BalanceSpread.Held>> leases) {
        this.identity = identity;
        this.period = period;
        this.leases = leases;
    }

    /** How this process stands now, for one that stands aside or not. */
    BalanceStanding standing(boolean aside) {
        return new BalanceStanding(true, aside, spread().lead());
    }

    /** Which Lease this process should ask for, null for none. */
    @Nullable
    String wish(DoubleSupplier random, Predicate<String> mayHave) {
        return spread().wish(random, mayHave);
    }

    /**
     * What becomes of another's wish for a Lease that this process holds.
     *
     * @param age how long this process has known of it
     * @param handOver begins to hand the Lease over, and says whether it does; called if the wish is granted now
     * @return whether the wish stands: it is granted, or will be considered again
     */
    boolean considers(LeaderElectionConfig lease, String asker, Duration age, BooleanSupplier handOver) {
        String name = lease.leaseName();
        if (name.equals(leaving.get())) {
            return true;
        }
        if (age.compareTo(period.multipliedBy(WISH_PERIODS)) > 0 || !spread().grants(asker)) {
            return false;
        }
        if (!leaving.compareAndSet(null, name)) {
            return true;
        }
        if (!handOver.getAsBoolean()) {
            ended(name);
            return false;
        }
        log.atInfo()
                .addKeyValue("lease", lease.lease())
                .addKeyValue("to", asker)
                .log("Lease {}: is handed over to {}, which has less to do", lease.lease(), asker);
        return true;
    }

    /** This process no longer leads by a Lease, or no longer gives it away. */
    void ended(String lease) {
        leaving.compareAndSet(lease, null);
    }

    private BalanceSpread spread() {
        return new BalanceSpread(leases.get(), identity);
    }
}
