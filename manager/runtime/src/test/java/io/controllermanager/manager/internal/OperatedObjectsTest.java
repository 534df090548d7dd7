package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.event.RequestMappers;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.leaderelection.internal.ControllerElectors;
import io.controllermanager.leaderelection.internal.ElectionConfigs;
import io.controllermanager.leaderelection.internal.Electors;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.leaderelection.internal.LeaseBalance;
import io.controllermanager.leaderelection.internal.LeaseStore;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What operators ask for of single objects, and the slow walk, where two replicas share a controller by shards. */
class OperatedObjectsTest extends HostFixture {

    private static final int OBJECTS = 20;
    private static final Shards SHARDS = new Shards(2, Shards.By.NAME);
    private static final String PAUSED = "controller-manager.io/paused";
    private static final String RECONCILE_AT = "controller-manager.io/reconcile-at";

    private final ApiServer server = ApiServer.start();
    private final String namespace = server.createNamespace("operated");
    private final ResourceClient<V1ConfigMap> owners = new ResourceClient<>(server.client(), CONFIG_MAP);
    private final ResourceClient<V1Secret> others = new ResourceClient<>(server.client(), SECRET);
    private final Map<String, LeaseStore> stores = new ConcurrentHashMap<>();
    private final List<Host> hosts = new CopyOnWriteArrayList<>();
    private @Nullable Duration maxInterval;

    @BeforeEach
    void create() throws ApiException {
        for (int i = 0; i < OBJECTS; i++) {
            owners.create(new V1ConfigMap()
                    .metadata(new V1ObjectMeta().namespace(namespace).name("object-" + i)));
        }
    }

    @AfterEach
    void close() {
        hosts.forEach(Host::close);
        server.close();
    }

    @Override
    Stream<LeadershipStatus> elections(ControllerManager manager) {
        return hosts.stream()
                .filter(host -> !host.killed.get())
                .flatMap(host -> host.leadership.electors().stream().map(LeaderElector::status));
    }

    @Test
    void aPauseAndATriggerSurviveTheMoveOfAShardAndAKill() throws ApiException {
        String inFirst = nameIn(0);
        String inSecond = nameIn(1);
        annotate(inFirst, PAUSED, "true");
        annotate(inSecond, PAUSED, "c");
        Set<String> free = Set.copyOf(
                names(name -> !name.equals(inFirst) && !name.equals(inSecond)).toList());
        Host a = new Host("a");
        awaitPassing(() -> assertThat(reconciledBy("a")).containsExactlyInAnyOrderElementsOf(free));
        awaitPassing(() -> assertThat(a.paused()).isEqualTo(2));
        Request key = new Request(namespace, inFirst);
        assertThatIllegalStateException()
                .isThrownBy(() -> a.manager.reconcileNow("c", key))
                .withMessage("controller \"c\" does not reconcile " + namespace + "/" + inFirst
                        + ", which is paused by its annotation controller-manager.io/paused=true: take that away");

        Host b = new Host("b");
        awaitPassing(() -> assertThat(List.of(a.paused(), b.paused())).containsExactly(1, 1));
        a.kill();
        awaitPassing(() -> assertThat(Set.copyOf(reconciledBy("b"))).containsAll(free));
        awaitPassing(() -> assertThat(b.paused()).isEqualTo(2));
        // What belongs to a paused object asks in vain.
        others.create(
                new V1Secret().metadata(new V1ObjectMeta().namespace(namespace).name(inFirst)));
        others.create(
                new V1Secret().metadata(new V1ObjectMeta().namespace(namespace).name("object-of-nobody")));
        awaitPassing(() -> assertThat(reconciledBy("b")).contains("object-of-nobody"));
        String triggered = free.iterator().next();
        long before = count("b", triggered);
        annotate(triggered, RECONCILE_AT, "now");
        awaitPassing(() -> assertThat(count("b", triggered)).isEqualTo(before + 1));
        assertThat(log).noneMatch(line -> line.endsWith(" " + inFirst) || line.endsWith(" " + inSecond));

        annotate(inFirst, PAUSED, null);
        awaitPassing(() -> assertThat(count("b", inFirst)).isEqualTo(1));
        assertThat(b.paused()).isEqualTo(1);
        assertThat(count("b", inSecond)).isZero();
    }

    @Test
    void eachObjectIsReconciledWithinTheIntervalByTheReplicaThatHasItsShard() {
        maxInterval = Duration.ofSeconds(10);
        Host a = new Host("a");
        Host b = new Host("b");
        awaitPassing(
                () -> assertThat(List.of(a.shards().size(), b.shards().size())).containsExactly(1, 1));
        awaitPassing(() -> assertThat(log).hasSizeGreaterThanOrEqualTo(OBJECTS));
        log.clear();
        awaitPassing(() -> names(any -> true)
                .forEach(name -> assertThat(count("a", name) + count("b", name)).isGreaterThanOrEqualTo(3)));
        assertThat(reconciledBy("a")).allMatch(name -> a.shards().contains(shardOf(name)));
        assertThat(reconciledBy("b")).allMatch(name -> b.shards().contains(shardOf(name)));
    }

    private void annotate(String name, String annotation, @Nullable String value) throws ApiException {
        String json = value == null ? "null" : '"' + value + '"';
        owners.patch(
                namespace,
                name,
                new Patch.Merge("{\"metadata\":{\"annotations\":{\"" + annotation + "\":" + json + "}}}"));
    }

    private static Stream<String> names(Predicate<String> which) {
        return IntStream.range(0, OBJECTS).mapToObj(i -> "object-" + i).filter(which);
    }

    private String nameIn(int shard) {
        return names(name -> shardOf(name) == shard).findFirst().orElseThrow();
    }

    private int shardOf(String name) {
        return SHARDS.of(namespace, name, null);
    }

    private List<String> reconciledBy(String host) {
        return log.stream()
                .filter(line -> line.startsWith(host + " "))
                .map(line -> line.substring(host.length() + 1))
                .toList();
    }

    private long count(String host, String name) {
        return reconciledBy(host).stream().filter(name::equals).count();
    }

    /** One process. */
    private final class Host {

        private final AtomicBoolean killed = new AtomicBoolean();
        private final List<LeaseStore.Lock> locks = new ArrayList<>();
        private final SystemTimer timer = new SystemTimer("timer");
        private final ApiConnection connection;
        private final InformerFactory informers;
        private final Leadership leadership;
        private final ControllerManager manager;

        Host(String identity) {
            ApiClient client = server.client();
            client.setHttpClient(client.getHttpClient()
                    .newBuilder()
                    .addInterceptor(chain -> {
                        if (killed.get()) {
                            throw new IOException("killed");
                        }
                        return chain.proceed(chain.request());
                    })
                    .build());
            connection = ApiConnection.builder(Clock.system(), timer)
                    .apiClient(client)
                    .build();
            informers = new InformerFactory(
                    connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)));
            ControllerElectors electors = Electors.shards(
                    ElectionConfigs.of("leases", "manager", identity),
                    "c",
                    SHARDS,
                    LeaseBalance.PERIOD,
                    own -> {
                        LeaseStore.Lock lock = stores.computeIfAbsent(own.leaseName(), name -> new LeaseStore())
                                .lock(identity);
                        lock.watchable(() -> {});
                        locks.add(lock);
                        return lock;
                    },
                    time);
            leadership = Leadership.shared(
                    Objects.requireNonNull(electors.anchor()),
                    Map.of("c", new ControllerElectors(electors.electors(), electors.anchor(), new FakeAgreement())),
                    connection::fencedClient,
                    connection.apiClient());
            manager = build(
                    new HostBuilder(
                            leadership, new Cluster(informers, connection.monitor()), time, time, name -> NO_EVENTS),
                    List.of(registration(identity)));
            hosts.add(this);
            manager.start();
        }

        private ControllerRegistration registration(String identity) {
            return ControllerRegistration.of(ControllerDescriptor.named("c")
                    .forType(CONFIG_MAP, event -> !(event instanceof ResourceEvent.Updated<V1ConfigMap>))
                    .watches(SECRET, RequestMappers.self(), event -> true)
                    .options(ControllerOptions.DEFAULTS.withShards(SHARDS).withMaxInterval(maxInterval))
                    .reconciler(request -> {
                        log.add(identity + " " + request.getName());
                        return new Result(false);
                    })
                    .build());
        }

        int paused() {
            return manager.controllers().get(0).pausedObjects();
        }

        /** The numbers of the shards that it works on. */
        Set<Integer> shards() {
            return Set.copyOf(Objects.requireNonNull(manager.shards().get("c")).stream()
                    .filter(shard -> shard.state() == ShardState.WORKING)
                    .map(ShardStatus::shard)
                    .toList());
        }

        /** From now on nothing of it reaches the API server or a Lease. */
        void kill() {
            killed.set(true);
            locks.forEach(lock -> lock.failWith("killed"));
        }

        void close() {
            manager.stop();
            informers.close();
            connection.close();
            timer.close();
        }
    }
}
