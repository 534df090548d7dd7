package io.controllermanager.manager.internal;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.internal.connection.ApiConnection;
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
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/** Several hosts on one embedded API server share the controller "c" by shards; each can be killed. */
abstract class ShardedHostsFixture extends HostFixture {

    final ApiServer server = ApiServer.start();
    final List<Host> hosts = new CopyOnWriteArrayList<>();
    private final Map<String, LeaseStore> stores = new ConcurrentHashMap<>();

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

    /**
     * Starts another.
     *
     * @param leases the namespace of the Leases
     * @param watched the namespace of the objects
     */
    Host start(String identity, String leases, String watched, Shards shards, ControllerRegistration controller) {
        Host host = new Host(identity, leases, watched, shards, controller);
        hosts.add(host);
        host.manager.start();
        return host;
    }

    /** One process. */
    final class Host {

        final AtomicBoolean killed = new AtomicBoolean();
        final ControllerManager manager;
        private final List<LeaseStore.Lock> locks = new ArrayList<>();
        private final SystemTimer timer = new SystemTimer("timer");
        private final ApiConnection connection;
        private final InformerFactory informers;
        private final Leadership leadership;

        private Host(String identity, String leases, String watched, Shards shards, ControllerRegistration controller) {
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
                    connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(Set.of(watched)));
            ControllerElectors electors = Electors.shards(
                    ElectionConfigs.of(leases, "manager", identity),
                    "c",
                    shards,
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
                            leadership,
                            new Cluster(informers, connection.monitor(), connection::observeWrites),
                            time,
                            time,
                            name -> NO_EVENTS),
                    List.of(controller));
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

        private void close() {
            manager.stop();
            informers.close();
            connection.close();
            timer.close();
        }
    }
}
