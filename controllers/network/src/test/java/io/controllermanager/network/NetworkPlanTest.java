package io.controllermanager.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.internal.plan.PlanReport;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controllers.PlanAndTruth;
import io.kubernetes.client.openapi.ApiException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a dry run tells of Networks is what a real run then does. */
@OnBothServers
class NetworkPlanTest {

    /** A release that says one thing more. */
    @Reconciles(Network.class)
    private static final class NextRelease implements ObjectReconciler<Network> {

        private final NetworkReconciler present = new NetworkReconciler();

        @Override
        public void describe(ControllerDescription<Network> d) {
            present.describe(d);
        }

        @Override
        public void start(ControllerContext context) {
            present.start(context);
        }

        @Override
        public Outcome reconcile(Network network, Reconciliation<Network> r) throws ApiException {
            Outcome outcome = present.reconcile(network, r);
            r.condition("Reviewed", true, "Reviewed", "by the next release");
            return outcome;
        }
    }

    private final NetworkCluster cluster;
    private final String namespace;
    private final PlanAndTruth both;

    NetworkPlanTest(TestedServer server) {
        cluster = new NetworkCluster(server);
        namespace = cluster.createNamespace();
        both = new PlanAndTruth(server, namespace, "apis/sample.k8s.io/v1/networks");
    }

    @BeforeEach
    void installCrd() throws ApiException {
        cluster.installPermissiveCrd();
    }

    private PlanReport check() {
        return both.check(controller(), controller());
    }

    private static ControllerDescriptor[] controller() {
        return new ControllerDescriptor[] {NetworkController.descriptor()};
    }

    @Test
    void aNewNetwork() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        assertThat(check().text())
                .contains("controller network:", "    status.gateway: \"10.0.0.1\"", "Event of Network", "Derived");
    }

    @Test
    void aNetworkThatNeedsNothing() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", "10.0.0.9");
        check();
        assertThat(check().exitCode()).isEqualTo(PlanReport.NO_CHANGE);
    }

    @Test
    void twoThatOverlap() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        check();
        cluster.create(namespace, "b", "10.1.0.0/16", null);
        assertThat(check().changes()).hasSize(2);
    }

    @Test
    void anOverlapThatEndsByADeletion() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        cluster.create(namespace, "b", "10.1.0.0/16", null);
        check();
        cluster.networks().delete(namespace, "b");
        assertThat(check().text()).contains("OverlapEnded");
    }

    @Test
    void anOverlapThatEndsByAMove() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        cluster.create(namespace, "b", "10.1.0.0/16", null);
        check();
        cluster.patch(namespace, "b", "{\"spec\":{\"cidr\":\"11.1.0.0/16\"}}");
        assertThat(check().changes()).hasSize(2);
    }

    @Test
    void anOverlapThatEndsByAMistake() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        cluster.create(namespace, "b", "10.1.0.0/16", null);
        check();
        cluster.patch(namespace, "b", "{\"spec\":{\"gateway\":\"nonsense\"}}");
        check();
    }

    @Test
    void anotherGateway() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        check();
        cluster.patch(namespace, "a", "{\"spec\":{\"gateway\":\"10.0.0.9\"}}");
        assertThat(check().text())
                .contains(
                        "    status.gateway: \"10.0.0.1\" -> \"10.0.0.9\"",
                        "    status.conditions[Ready].observedGeneration: 1 -> 2");
    }

    @Test
    void aMistake() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/33", null);
        assertThat(check().text()).contains("Warning");
    }

    @Test
    void manyThatOverlap() throws ApiException {
        for (int i = 0; i < 9; i++) {
            cluster.create(namespace, "n" + i, "10." + i + ".0.0/16", null);
        }
        cluster.create(namespace, "all", "10.0.0.0/8", null);
        assertThat(check().changes()).hasSize(10);
    }

    @Test
    void aStatusThatSomebodyElseChanged() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        check();
        Network network = cluster.network(namespace, "a");
        network.setStatus(null);
        cluster.networks().updateStatus(network);
        check();
    }

    @Test
    void theNextRelease() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        check();
        ControllerDescriptor[] planned = {TypedController.descriptor(new NextRelease())};
        ControllerDescriptor[] real = {TypedController.descriptor(new NextRelease())};
        assertThat(both.check(planned, real).text())
                .contains("status.conditions[Reviewed]", "0 to create, 1 to change");
    }
}
