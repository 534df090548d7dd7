package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.ApiAccess;
import io.controllermanager.client.internal.ApiAccessException;
import io.controllermanager.client.internal.ApiAccessResolver;
import io.controllermanager.client.internal.ApiConnection;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.leaderelection.internal.ElectionParts;
import io.controllermanager.leaderelection.internal.ElectorGroup;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.manager.internal.Cluster;
import io.controllermanager.manager.internal.ControllerManager;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.manager.internal.HostListener;
import io.controllermanager.manager.internal.HostParts;
import io.controllermanager.manager.internal.Leadership;
import io.controllermanager.recorder.internal.EventBroadcaster;
import io.controllermanager.spring.config.ControllerManagerProperties;
import io.controllermanager.spring.config.LeaderElectionProperties;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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

    ControllerManager create(List<ControllerRegistration> registrations, @Nullable ApiAccess access) {
        return new ControllerManager(new HostParts(
                leadership(registrations, leaderElection(access)),
                new Cluster(informerFactory, connection.monitor(), connection::observeWrites),
                registrations,
                events::recorder,
                clock,
                timer,
                meters,
                observations,
                properties.getShutdownTimeout(),
                virtualThreads,
                new Listener()));
    }

    private final class Listener implements HostListener {

        private final boolean leaveOnLoss =
                properties.getLeaderElection().getOnLoss() == LeaderElectionProperties.OnLoss.EXIT;

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

    /** One Lease for all, or each controller one of its own. Without it, writes are refused. */
    private Leadership leadership(List<ControllerRegistration> registrations, LeaderElectionConfig config) {
        ElectionParts parts =
                ElectionParts.of(connection.leaseClient(LeaderElector.callTimeout(config)), clock, timer, meters);
        if (config.enabled() && properties.getLeaderElection().isLeasePerController()) {
            List<String> names = registrations.stream()
                    .filter(registration ->
                            registration.enabled() && registration.options().needsLeaderElection())
                    .map(ControllerRegistration::name)
                    .toList();
            ElectorGroup electors = new ElectorGroup(config, names, ElectorGroup.PERIOD, parts);
            connection.writeFence(electors.fence());
            return Leadership.perController(electors, connection::fencedClient, connection.unfencedClient());
        }
        LeaderElector elector = new LeaderElector(config, parts);
        connection.writeFence(elector);
        return Leadership.shared(elector, connection.apiClient(), connection.unfencedClient());
    }

    private LeaderElectionConfig leaderElection(@Nullable ApiAccess access) {
        LeaderElectionProperties election = properties.getLeaderElection();
        String namespace = election.getResourceNamespace();
        if (namespace == null || namespace.isBlank()) {
            namespace = Objects.requireNonNullElse(access == null ? namespaceAround() : access.namespace(), "default");
        }
        return new LeaderElectionConfig(
                election.isEnabled(),
                namespace,
                election.getResourceName(),
                identity,
                election.getLeaseDuration(),
                election.getRenewDeadline(),
                election.getRetryPeriod(),
                election.isReleaseOnStop());
    }

    /** The namespace where an application that brings a client of its own seems to be. */
    private static @Nullable String namespaceAround() {
        try {
            return new ApiAccessResolver().resolve(null, null).namespace();
        } catch (ApiAccessException e) {
            return null;
        }
    }
}
