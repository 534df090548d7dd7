package io.controllermanager.informer.faults;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.HttpSettings;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.informer.internal.WatchEnds;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;

/**
 * An informer with handlers, whose connection goes through a proxy: what is put to the test. Of its handlers one is quick
 * and one slow; both are there from the beginning.
 */
final class Rig implements AutoCloseable {

    /** Some pages for a few hundred objects. */
    static final int PAGE = 50;

    private static final Duration SLOW = Duration.ofMillis(1);

    private final World world;
    private final String userAgent;
    private final boolean watchListFirst;
    private final SystemTimer timer;
    private final WallClock clock = new WallClock();
    private final FaultProxy proxy;
    private final ApiConnection connection;
    private volatile Life life;

    /** An informer from its start to its end. */
    private record Life(
            InformerFactory factory,
            HostInformer<V1ConfigMap> informer,
            Recorder quick,
            Recorder slow,
            List<Subscription> subscriptions) {}

    /** Starts an informer, whose requests have a user agent of their own. */
    Rig(World world, String name, boolean watchListFirst) {
        this.world = world;
        this.userAgent = name + "/rig";
        this.watchListFirst = watchListFirst;
        this.timer = new SystemTimer("rig-timer");
        this.proxy = new FaultProxy(world.url(), timer);
        this.connection = ApiConnection.builder(clock, timer)
                .http(HttpSettings.DEFAULTS.withUserAgent(userAgent))
                .build();
        connect(world.kubeconfig());
        this.life = begin();
    }

    private Life begin() {
        InformerFactory factory = new InformerFactory(
                connection,
                clock,
                timer,
                new InformerOptions(Set.of(world.namespace()), true, PAGE, watchListFirst, true, false));
        HostInformer<V1ConfigMap> informer = factory.informer(ResourceTypes.CONFIG_MAP);
        Recorder quick = new Recorder("quick", timer, Duration.ZERO);
        Recorder slow = new Recorder("slow", timer, SLOW);
        List<Subscription> subscriptions = List.of(
                informer.subscribe("quick", quick, Duration.ZERO), informer.subscribe("slow", slow, Duration.ZERO));
        informer.run();
        return new Life(factory, informer, quick, slow, subscriptions);
    }

    /** Ends the informer, and starts another with handlers of its own. */
    void startAnew() {
        life.factory().close();
        life = begin();
    }

    /** From now on asks with other credentials. */
    void connect(Path kubeconfig) {
        connection.connect(new ApiAccessResolver().resolve(kubeconfig.toString(), proxy.url()));
    }

    /**
     * Ends its connections until the watch has ended. Once is mostly enough, but a connection that waits to be accepted at
     * that moment escapes. What comes after that watch is left alone, however long it takes to begin: it is for the
     * mechanism to meddle with.
     */
    void cutOff(boolean reset) {
        long before = watchesOver();
        AtomicLong next = new AtomicLong(System.nanoTime());
        Awaitility.await("its watch ends").pollInterval(Duration.ofMillis(2)).until(() -> {
            if (System.nanoTime() - next.get() >= 0) {
                next.addAndGet(Duration.ofSeconds(1).toNanos());
                if (reset) {
                    proxy.reset();
                } else {
                    proxy.cut();
                }
            }
            return watchesOver() > before;
        });
    }

    private long watchesOver() {
        return status().reflectors().stream()
                .flatMap(reflector -> reflector.watchEnds().values().stream())
                .mapToLong(Long::longValue)
                .sum();
    }

    World world() {
        return world;
    }

    String userAgent() {
        return userAgent;
    }

    boolean watchListFirst() {
        return watchListFirst;
    }

    SystemTimer timer() {
        return timer;
    }

    WallClock clock() {
        return clock;
    }

    FaultProxy proxy() {
        return proxy;
    }

    ApiConnection connection() {
        return connection;
    }

    HostInformer<V1ConfigMap> informer() {
        return life.informer();
    }

    Recorder quick() {
        return life.quick();
    }

    Recorder slow() {
        return life.slow();
    }

    /** Tells one life of the informer from the next. */
    Object lifeOfNow() {
        return life;
    }

    /** What the informer's store is said to be as new as; 0 before it has anything. */
    long version() {
        String version = informer().lastSyncResourceVersion();
        return version.isEmpty() ? 0 : Long.parseLong(version);
    }

    InformerStatus status() {
        return informer().status();
    }

    /** How many watches have ended so: {@code regular}, {@code expired} and so on. */
    long ends(String reason) {
        return WatchEnds.count(status(), reason);
    }

    @Override
    public void close() {
        life.factory().close();
        connection.close();
        proxy.close();
        timer.close();
    }
}
