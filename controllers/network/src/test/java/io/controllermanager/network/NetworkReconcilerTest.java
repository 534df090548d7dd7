package io.controllermanager.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.network.NetworkStatus.UsableRange;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controllers.HeldContext;
import io.controllermanager.testing.controllers.RecordedEvents;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.cache.Cache;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One reconcile at a time, against an API server whose CRD lets invalid Networks through, with a local copy that is
 * brought up to date only when a test says so.
 */
@OnBothServers
class NetworkReconcilerTest {

    private static final Result DONE = new Result(false);

    private final ControllerDescriptor controller = NetworkController.descriptor();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final SettableClock clock = new SettableClock();
    private final NetworkCluster cluster;
    private final String namespace;
    private final Cache<Network> networks;
    private final RecordedEvents events;
    private final Reconciler reconciler;

    private static final class SettableClock implements Clock {
        private Instant now = Instant.parse("2030-01-01T00:00:00.5Z");

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public Instant now() {
            return now;
        }
    }

    NetworkReconcilerTest(TestedServer server) {
        cluster = new NetworkCluster(server);
        namespace = cluster.createNamespace();
        HeldContext context = new HeldContext(NetworkController.NAME, cluster.recordingClient(requests), clock);
        networks = context.copy(Network.TYPE);
        events = context.events();
        reconciler = controller.reconcilerFactory().create(context);
    }

    @BeforeEach
    void installCrd() throws ApiException {
        cluster.installPermissiveCrd();
    }

    private Result reconcile(String name) {
        requests.clear();
        events.lines().clear();
        return reconciler.reconcile(new Request(namespace, name));
    }

    /** Brings the local copy up to date, and does what an informer's events would make the host do. */
    private void settle() throws ApiException {
        Set<String> seen = new HashSet<>();
        List<Network> before = List.copyOf(networks.list());
        networks.replace(cluster.networks().list(namespace), "");
        before.forEach(network ->
                HeldContext.concernedBy(controller, network).forEach(request -> seen.add(request.getName())));
        networks.list().forEach(network -> {
            seen.add(network.getMetadata().getName());
            HeldContext.concernedBy(controller, network).forEach(request -> seen.add(request.getName()));
        });
        requests.clear();
        events.lines().clear();
        seen.stream()
                .sorted()
                .forEach(name -> assertThat(reconciler.reconcile(new Request(namespace, name)))
                        .isEqualTo(DONE));
        networks.replace(cluster.networks().list(namespace), "");
    }

    private V1Condition condition(String name, String type) throws ApiException {
        V1Condition condition = Conditions.of(cluster.network(namespace, name), type);
        if (condition == null) {
            throw new AssertionError("no condition " + type);
        }
        return condition;
    }

    @ParameterizedTest
    @CsvSource({
        "192.168.0.0/16, 192.168.0.1, 192.168.0.0, 16, 192.168.0.1, 192.168.0.1, 192.168.255.254, 65534",
        "10.0.0.0/31, , 10.0.0.0, 31, 10.0.0.0, 10.0.0.0, 10.0.0.1, 2",
        "10.0.0.1/32, , 10.0.0.1, 32, 10.0.0.1, 10.0.0.1, 10.0.0.1, 1",
        "FD00:1:0::/64, , fd00:1::, 64, fd00:1::1, fd00:1::1, fd00:1::ffff:ffff:ffff:ffff, 18446744073709551615",
        "fd00:1::/127, fd00:1::1, fd00:1::, 127, fd00:1::1, fd00:1::, fd00:1::1, 2",
    })
    void derivesWhatFollowsFromTheSpec(
            String cidr,
            @Nullable String gateway,
            String networkAddress,
            int prefixLength,
            String derivedGateway,
            String first,
            String last,
            String capacity)
            throws ApiException {
        Network network = cluster.create(namespace, "a", cidr, gateway);
        settle();

        NetworkStatus status = cluster.status(namespace, "a");
        assertThat(status.observedGeneration()).isEqualTo(network.getMetadata().getGeneration());
        assertThat(status.networkAddress()).isEqualTo(networkAddress);
        assertThat(status.prefixLength()).isEqualTo(prefixLength);
        assertThat(status.gateway()).isEqualTo(derivedGateway);
        assertThat(status.usableRange()).isEqualTo(new UsableRange(first, last));
        assertThat(status.capacity()).isEqualTo(capacity);
        assertThat(condition("a", "Valid").getStatus()).isEqualTo("True");
        assertThat(condition("a", "Ready").getStatus()).isEqualTo("True");
        assertThat(condition("a", "Ready").getLastTransitionTime())
                .isEqualTo(OffsetDateTime.parse("2030-01-01T00:00:00Z"));
        assertThat(events.lines())
                .containsExactly("Normal Derived network %s/%d, gateway %s, usable %s to %s"
                        .formatted(networkAddress, prefixLength, derivedGateway, first, last));
    }

    @Test
    void writesNothingForANetworkThatNeedsNoChange() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        settle();
        settle();

        assertThat(requests).isEmpty();
        assertThat(events.lines()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "nonsense, , InvalidCIDR",
        "192.168.0.5/16, , HostBitsSet",
        "::ffff:10.0.0.0/104, , IPv4MappedIPv6",
        "192.168.0.0/16, nonsense, InvalidGateway",
        "192.168.0.0/16, fd00::1, GatewayFamilyMismatch",
        "192.168.0.0/16, 10.0.0.1, GatewayOutOfRange",
        "192.168.0.0/16, 192.168.0.0, GatewayIsNetworkAddress",
        "192.168.0.0/16, 192.168.255.255, GatewayIsBroadcastAddress",
    })
    void saysWhatIsWrong(String cidr, @Nullable String gateway, String reason) throws ApiException {
        cluster.create(namespace, "a", cidr, gateway);
        settle();

        NetworkStatus status = cluster.status(namespace, "a");
        assertThat(status.networkAddress()).isNull();
        assertThat(status.capacity()).isNull();
        assertThat(condition("a", "Valid").getStatus()).isEqualTo("False");
        assertThat(condition("a", "Valid").getReason()).isEqualTo(reason);
        assertThat(condition("a", "Ready").getStatus()).isEqualTo("False");
        assertThat(condition("a", "Ready").getReason()).isEqualTo("Invalid");
        assertThat(events.lines())
                .containsExactly(
                        "Warning " + reason + " " + condition("a", "Valid").getMessage());

        settle();
        assertThat(requests).isEmpty();
    }

    @Test
    void changesTheTransitionTimeOnlyWithTheStatus() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        settle();
        OffsetDateTime first = condition("a", "Valid").getLastTransitionTime();

        clock.now = clock.now.plusSeconds(60);
        cluster.patch(namespace, "a", "{\"spec\":{\"gateway\":\"10.0.0.9\"}}");
        settle();
        assertThat(condition("a", "Valid").getLastTransitionTime()).isEqualTo(first);
        assertThat(cluster.status(namespace, "a").observedGeneration()).isEqualTo(2);
        assertThat(events.lines()).singleElement().asString().contains("gateway 10.0.0.9");

        cluster.patch(namespace, "a", "{\"spec\":{\"gateway\":\"11.0.0.9\"}}");
        settle();
        assertThat(condition("a", "Valid").getLastTransitionTime()).isEqualTo(first.plusSeconds(60));
        assertThat(cluster.status(namespace, "a").gateway()).isNull();
    }

    @Test
    void tellsBothOfTwoThatOverlapAndHealsTheOneThatRemains() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        settle();
        cluster.create(namespace, "b", "10.1.0.0/16", null);
        settle();

        assertThat(condition("a", "Ready").getStatus()).isEqualTo("False");
        assertThat(condition("a", "Ready").getReason()).isEqualTo("Overlap");
        assertThat(condition("a", "Ready").getMessage()).isEqualTo("overlaps with b (10.1.0.0/16)");
        assertThat(condition("b", "Ready").getMessage()).isEqualTo("overlaps with a (10.0.0.0/8)");
        assertThat(condition("a", "Valid").getStatus()).isEqualTo("True");
        assertThat(cluster.status(namespace, "a").gateway()).isEqualTo("10.0.0.1");
        assertThat(events.lines())
                .containsExactlyInAnyOrder(
                        "Warning Overlap overlaps with b (10.1.0.0/16)",
                        "Normal Derived network 10.1.0.0/16, gateway 10.1.0.1, usable 10.1.0.1 to 10.1.255.254",
                        "Warning Overlap overlaps with a (10.0.0.0/8)");

        cluster.networks().delete(namespace, "b");
        settle();
        assertThat(condition("a", "Ready").getStatus()).isEqualTo("True");
        assertThat(events.lines()).containsExactly("Normal OverlapEnded no longer overlaps with another valid Network");
    }

    @Test
    void healsWhenTheOtherMovesAway() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        cluster.create(namespace, "b", "10.1.0.0/16", null);
        settle();
        assertThat(condition("a", "Ready").getReason()).isEqualTo("Overlap");

        cluster.patch(namespace, "b", "{\"spec\":{\"cidr\":\"11.1.0.0/16\"}}");
        settle();
        assertThat(condition("a", "Ready").getStatus()).isEqualTo("True");
        assertThat(condition("b", "Ready").getStatus()).isEqualTo("True");
    }

    @Test
    void healsWhenTheOtherBecomesInvalid() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        cluster.create(namespace, "b", "10.1.0.0/16", null);
        settle();

        cluster.patch(namespace, "b", "{\"spec\":{\"gateway\":\"nonsense\"}}");
        settle();
        assertThat(condition("a", "Ready").getStatus()).isEqualTo("True");
        assertThat(condition("b", "Ready").getReason()).isEqualTo("Invalid");
    }

    @Test
    void namesSomeOfManyThatOverlap() throws ApiException {
        for (int i = 0; i < 7; i++) {
            cluster.create(namespace, "n" + i, "10." + i + ".0.0/16", null);
        }
        cluster.create(namespace, "all", "10.0.0.0/8", null);
        settle();

        assertThat(condition("all", "Ready").getMessage())
                .isEqualTo("overlaps with n0 (10.0.0.0/16), n1 (10.1.0.0/16), n2 (10.2.0.0/16), n3 (10.3.0.0/16),"
                        + " n4 (10.4.0.0/16) and others");
        assertThat(condition("n6", "Ready").getMessage()).isEqualTo("overlaps with all (10.0.0.0/8)");
    }

    @Test
    void looksOnlyAtItsOwnNamespaceAndFamily() throws ApiException {
        String other = cluster.createNamespace();
        cluster.create(namespace, "a", "0.0.0.0/0", null);
        cluster.create(namespace, "b", "::/0", null);
        Network elsewhere = cluster.create(other, "c", "0.0.0.0/0", null);
        networks.add(elsewhere);
        HeldContext.concernedBy(controller, elsewhere);
        settle();

        assertThat(condition("a", "Ready").getStatus()).isEqualTo("True");
        assertThat(condition("b", "Ready").getStatus()).isEqualTo("True");
    }

    @Test
    void keepsConditionsOfOthers() throws ApiException {
        Network network = cluster.create(namespace, "a", "10.0.0.0/8", null);
        V1Condition foreign = new V1Condition()
                .type("Audited")
                .status("True")
                .reason("Looked")
                .message("by hand")
                .lastTransitionTime(OffsetDateTime.parse("2029-01-01T00:00:00Z"));
        network.setStatus(new NetworkStatus(null, null, null, null, null, null, List.of(foreign)));
        cluster.networks().updateStatus(network);
        settle();

        assertThat(cluster.status(namespace, "a").conditions())
                .extracting(V1Condition::getType)
                .containsExactly("Audited", "Valid", "Ready");
        settle();
        assertThat(requests).isEmpty();
    }

    @Test
    void setsBackAStatusThatSomebodyElseChanged() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        settle();
        Network network = cluster.network(namespace, "a");
        network.setStatus(new NetworkStatus(1L, "1.2.3.4", null, null, null, null, null));
        cluster.networks().updateStatus(network);
        settle();

        assertThat(cluster.status(namespace, "a").networkAddress()).isEqualTo("10.0.0.0");
    }

    @Test
    void looksAgainWhenTheNetworkChangedMeanwhile() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        networks.replace(cluster.networks().list(namespace), "");
        cluster.patch(namespace, "a", "{\"spec\":{\"cidr\":\"11.0.0.0/8\"}}");

        assertThat(reconcile("a")).isEqualTo(new Result(true));
        assertThat(events.lines()).isEmpty();
        settle();
        assertThat(cluster.status(namespace, "a").networkAddress()).isEqualTo("11.0.0.0");
    }

    @Test
    void isDoneWhenTheNetworkIsGone() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        networks.replace(cluster.networks().list(namespace), "");
        cluster.networks().delete(namespace, "a");

        assertThat(reconcile("a")).isEqualTo(DONE);
        assertThat(events.lines()).isEmpty();
        settle();
        assertThat(reconcile("a")).isEqualTo(DONE);
        assertThat(requests).isEmpty();
    }
}
