package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.access.ApiAccess;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.WriteFence;
import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.controller.internal.OperatorAnnotations;
import io.controllermanager.controller.internal.journal.Journal;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.leaderelection.internal.ControllerElectors;
import io.controllermanager.leaderelection.internal.ElectionParts;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeaseBalance;
import io.controllermanager.manager.internal.Cluster;
import io.controllermanager.manager.internal.ControllerManager;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.manager.internal.HostListener;
import io.controllermanager.manager.internal.HostParts;
import io.controllermanager.manager.internal.Leadership;
import io.controllermanager.recorder.internal.EventBroadcaster;
import io.controllermanager.recorder.internal.PlannedEvents;
import io.controllermanager.spring.config.ControllerManagerProperties;
import io.controllermanager.spring.config.LeaderElectionProperties;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the host of controllers, once it is known where the API server is.
 *
 * @param properties how it runs
 * @param identity this process's name among its replicas
 */
record HostFactory(
        ControllerManagerProperties properties,
        String identity,
        ApiConnection connection,
        InformerFactory informerFactory,
        EventBroadcaster events,
        Clock clock,
        Timer timer,
        MeterRegistry meters,
        ObservationRegistry observations,
        boolean virtualThreads,
        ProcessExit exit) {

    private static final Logger log = LoggerFactory.getLogger(HostFactory.class);

    ControllerManager create(List<ControllerRegistration> registrations, ApiAccess access) {
        // Where no controller runs, a Lease would be taken for nothing.
        Plan plan = connection.plan();
        boolean elects = plan == null
                && properties.leaderElection().enabled()
                && registrations.stream().anyMatch(ControllerRegistration::enabled);
        ControllerManagerProperties.Explain explain = properties.explain();
        return new ControllerManager(new HostParts(
                leadership(registrations, leaderElection(access, elects)),
                new Cluster(informerFactory, connection.monitor(), connection::observeWrites),
                registrations,
                plan == null ? events::recorder : name -> new PlannedEvents(name, plan),
                clock,
                timer,
                meters,
                new Journal(explain.memory().toBytes(), Set.copyOf(explain.valuesOf())),
                observations,
                annotations(),
                properties.shutdownTimeout(),
                virtualThreads,
                new Listener()));
    }

    private OperatorAnnotations annotations() {
        ControllerManagerProperties.Annotations names = properties.annotations();
        return new OperatorAnnotations(names.paused(), names.reconcileAt(), names.clusterApi());
    }

    private final class Listener implements HostListener {

        private final boolean leaveOnLoss =
                properties.leaderElection().onLoss() == LeaderElectionProperties.OnLoss.EXIT;

        @Override
        public void onLeadershipLost() {
            // A write that the network holds up must not come after another process's.
            connection.abort();
            if (leaveOnLoss) {
                exit.exit(ProcessExit.LEADERSHIP_LOST);
            }
        }

        @Override
        public void onUnrestartable() {
            connection.abort();
            exit.exit(ProcessExit.LEADERSHIP_LOST);
        }

        @Override
        public void onEssentialFailed(String reason) {
            exit.exit(ProcessExit.FAILED);
        }
    }

    /**
     * One Lease for all, or each controller one of its own, and one for each shard of those that are divided. Without its
     * Lease, a controller's writes are refused.
     */
    private Leadership leadership(List<ControllerRegistration> registrations, LeaderElectionConfig config) {
        ElectionParts parts = ElectionParts.of(
                connection.leaseClient(LeaderElector.callTimeout(config)),
                clock,
                timer,
                meters,
                connection.monitor().history()::doubt);
        List<ControllerRegistration> led = registrations.stream()
                .filter(registration ->
                        registration.enabled() && registration.options().needsLeaderElection())
                .toList();
        Map<String, Shards> divisions = new TreeMap<>();
        for (ControllerRegistration controller : registrations) {
            Shards shards = controller.options().shards();
            if (controller.enabled() && shards.divide()) {
                if (config.enabled() && controller.options().needsLeaderElection()) {
                    divisions.put(controller.name(), shards);
                } else {
                    log.atWarn()
                            .addKeyValue("controller", controller.name())
                            .log(
                                    "Controller {}: shards={} has no effect without leader election; every replica works"
                                            + " on all its keys",
                                    controller.name(),
                                    shards.count());
                }
            }
        }
        Leadership leadership = leadership(led, divisions, config, parts);
        connection.writeFence(leadership.fence());
        return leadership;
    }

    private Leadership leadership(
            List<ControllerRegistration> led,
            Map<String, Shards> divisions,
            LeaderElectionConfig config,
            ElectionParts parts) {
        boolean each = config.enabled() && properties.leaderElection().leasePerController();
        Map<String, Shards> said = new TreeMap<>(divisions);
        if (each) {
            said.put(ControllerElectors.EACH, Shards.ONE);
        }
        LeaderElector anchor = LeaderElector.of(config.withDivided(said), parts);
        Map<String, ControllerElectors> electors = new TreeMap<>();
        divisions.forEach((name, shards) -> electors.put(
                name, ControllerElectors.divided(config, anchor, name, shards, LeaseBalance.PERIOD, parts)));
        ApiClient unfenced = connection.fencedClient(WriteFence.open());
        if (!each) {
            boolean same = divisions.isEmpty();
            return Leadership.shared(
                    anchor, electors, same ? fence -> connection.apiClient() : connection::fencedClient, unfenced);
        }
        List<String> whole = led.stream()
                .map(ControllerRegistration::name)
                .filter(name -> !divisions.containsKey(name))
                .toList();
        LeaseBalance balance = new LeaseBalance(config, whole, LeaseBalance.PERIOD, parts);
        whole.forEach(name -> electors.put(name, ControllerElectors.own(balance.elector(name), anchor, name)));
        return Leadership.perController(anchor, electors, connection::fencedClient, unfenced);
    }

    private LeaderElectionConfig leaderElection(ApiAccess access, boolean elects) {
        LeaderElectionProperties election = properties.leaderElection();
        String namespace = election.resourceNamespace();
        if (namespace == null || namespace.isBlank()) {
            namespace = Objects.requireNonNullElse(access.namespace(), "default");
        }
        LeaderElectionConfig config = new LeaderElectionConfig(
                elects,
                namespace,
                election.resourceName(),
                identity,
                election.leaseDuration(),
                election.renewDeadline(),
                election.retryPeriod(),
                election.releaseOnStop(),
                Map.of(),
                null);
        String former = election.formerResourceName();
        if (former == null || former.isBlank()) {
            return config;
        }
        int slash = former.indexOf('/');
        return config.withFormer(slash < 0 ? namespace : former.substring(0, slash), former.substring(slash + 1));
    }
}
