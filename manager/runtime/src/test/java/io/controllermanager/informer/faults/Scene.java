package io.controllermanager.informer.faults;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.faults.Fault;
import io.controllermanager.apiserver.faults.Faults;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.testing.controlplane.ControlPlane;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Where a mechanism acts: on one rig, and on the world around it. For the mechanism's thread. */
final class Scene {

    private static final Duration POLL = Duration.ofMillis(2);

    private final Rig rig;
    private final Random random;
    private final boolean brief;
    private final Runnable onBegun;
    private final Map<String, Long> evidence = new LinkedHashMap<>();
    private boolean begun;
    private @Nullable Duration found;

    /**
     * A scene.
     *
     * @param random decides about lengths
     * @param brief whether everything is to take as short as it can
     * @param onBegun called once the mechanism waits for its effect
     */
    Scene(Rig rig, Random random, boolean brief, Runnable onBegun) {
        this.rig = rig;
        this.random = random;
        this.brief = brief;
        this.onBegun = onBegun;
    }

    Rig rig() {
        return rig;
    }

    FaultProxy proxy() {
        return rig.proxy();
    }

    World world() {
        return rig.world();
    }

    ApiServer embedded() {
        return world().embedded();
    }

    ControlPlane plane() {
        return world().plane();
    }

    /** A fault of this rig's watches alone. */
    Faults.Builder watches() {
        return embedded().faults().when(RequestMatcher.watch("configmaps").userAgent(rig.userAgent()));
    }

    /** This rig's lists alone. */
    RequestMatcher lists() {
        return RequestMatcher.list("configmaps").userAgent(rig.userAgent());
    }

    AuditLog auditLog() throws java.io.IOException {
        return new AuditLog(plane().auditLog(), rig.userAgent());
    }

    /** How often. */
    int times(int least, int most) {
        return brief ? least : least + random.nextInt(most - least + 1);
    }

    /** How long. */
    Duration length(Duration shortest, Duration longest) {
        return brief
                ? shortest
                : shortest.plusNanos(
                        (long) (random.nextDouble() * longest.minus(shortest).toNanos()));
    }

    boolean brief() {
        return brief;
    }

    /** What shows that it happened, from the side of the server or the network; at least one must not be zero. */
    void evidence(String what, long count) {
        evidence.merge(what, count, Long::sum);
    }

    Map<String, Long> evidence() {
        return evidence;
    }

    /** The informer has found out by itself, what has been the matter since then. */
    void found(long sinceNanos) {
        found = Duration.ofNanos(System.nanoTime() - sinceNanos);
    }

    /** How long that took it, null if it is nothing to be found out. */
    @Nullable
    Duration found() {
        return found;
    }

    void until(String what, Callable<Boolean> condition) {
        begun();
        Awaitility.await(what).pollInterval(POLL).until(condition);
    }

    /** Has the informer watch anew, over another connection. */
    void cutOff() {
        begun();
        rig.cutOff(false);
    }

    /** Lets a time pass. */
    void pass(Duration time) throws InterruptedException {
        begun();
        rig.timer().sleep(time);
    }

    /** Holds once the informer has been told 410 after this call. */
    BooleanSupplier toldExpired() {
        long before = rig.ends("expired");
        return () -> rig.ends("expired") > before;
    }

    /** Lets writers come this much further. */
    void writes(int count) {
        long goal = world().writers().written() + count;
        until("writers go on", () -> world().writers().written() >= goal);
    }

    /** Waits until a fault has struck so often, and ends it. The informer may wait a minute from one to the next. */
    void strikes(Fault fault, int times) {
        for (int i = 1; i <= times; i++) {
            int count = i;
            until("the fault strikes, " + count + " of " + times + " times", () -> fault.hits() >= count);
        }
        fault.remove();
        evidence("requests struck", fault.hits());
    }

    void begun() {
        if (!begun) {
            begun = true;
            onBegun.run();
        }
    }
}
