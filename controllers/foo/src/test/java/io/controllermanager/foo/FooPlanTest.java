package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.internal.plan.PlanReport;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controllers.PlanAndTruth;
import io.kubernetes.client.openapi.ApiException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a dry run tells of Foos is what a real run then does. */
@OnBothServers
class FooPlanTest {

    private final FooCluster cluster;
    private final String namespace;
    private final PlanAndTruth both;

    FooPlanTest(TestedServer server) {
        cluster = new FooCluster(server);
        namespace = cluster.createNamespace();
        both = new PlanAndTruth(
                server, namespace, "apis/samplecontroller.k8s.io/v1alpha1/foos", "apis/apps/v1/deployments");
    }

    @BeforeEach
    void installCrd() throws ApiException {
        cluster.installCrd(Foo.TYPE, FooCrd.OWN.manifest());
    }

    private PlanReport check() {
        return both.check(controller(), controller());
    }

    private static ControllerDescriptor[] controller() {
        return new ControllerDescriptor[] {FooController.descriptor()};
    }

    @Test
    void aNewFoo() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        PlanReport plan = check();
        assertThat(plan.exitCode()).isEqualTo(PlanReport.CHANGES);
        assertThat(plan.text())
                .contains(
                        "controller foo:",
                        "create deployments.apps " + namespace + "/web",
                        "    spec.replicas: 3",
                        "change foos.samplecontroller.k8s.io " + namespace + "/foo",
                        "    status.availableReplicas: 0",
                        "Event of Foo " + namespace + "/foo: Normal Synced: Foo synced successfully",
                        "1 to create, 1 to change, 0 to delete");
    }

    @Test
    void aFooThatNeedsNothing() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        check();
        PlanReport again = check();
        assertThat(again.changes()).isEmpty();
        assertThat(again.exitCode()).isEqualTo(PlanReport.NO_CHANGE);
    }

    @Test
    void aFooThatIsScaled() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        check();
        cluster.patchFoo(namespace, "foo", "{\"spec\":{\"replicas\":5}}");
        assertThat(check().text()).contains("    spec.replicas: 3 -> 5");
    }

    @Test
    void aFooWhoseDeploymentWasDeleted() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        check();
        cluster.deployments().delete(namespace, "web");
        assertThat(check().text()).contains("create deployments.apps");
    }

    @Test
    void aFooWithAnotherDeploymentName() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        check();
        cluster.patchFoo(namespace, "foo", "{\"spec\":{\"deploymentName\":\"other\"}}");
        assertThat(check().text()).contains("create deployments.apps " + namespace + "/other");
    }

    @Test
    void aFooWithoutReplicas() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", null);
        assertThat(check().text()).contains("    spec.replicas: 1");
    }

    @Test
    void aFooWithoutAName() throws ApiException {
        cluster.createFoo(namespace, "foo", null, 1);
        PlanReport plan = check();
        assertThat(plan.invalid()).containsExactly("foo " + namespace + "/foo: spec.deploymentName is empty");
        assertThat(plan.text()).contains("Warning DeploymentNameMissing");
        assertThat(plan.exitCode()).isEqualTo(PlanReport.NO_CHANGE);
    }

    @Test
    void aFooWithAnImpossibleName() throws ApiException {
        cluster.createFoo(namespace, "foo", "Not_A_Name", 1);
        assertThat(check().text()).contains("Warning InvalidDeployment");
    }

    @Test
    void twoFoosThatWantOneDeployment() throws ApiException {
        cluster.createFoo(namespace, "a", "web", 1);
        check();
        cluster.createFoo(namespace, "b", "web", 2);
        assertThat(check().text()).contains("Warning ErrResourceExists");
    }

    @Test
    void availableReplicas() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        check();
        cluster.setAvailableReplicas(namespace, "web", 2);
        assertThat(check().text()).contains("    status.availableReplicas: 0 -> 2");
    }

    @Test
    void aDeploymentThatSomebodyScaled() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        check();
        cluster.patchDeployment(namespace, "web", "{\"spec\":{\"replicas\":7}}");
        assertThat(check().text()).contains("    spec.replicas: 7 -> 3");
    }

    @Test
    void manyFoos() throws ApiException {
        for (int i = 0; i < 30; i++) {
            cluster.createFoo(namespace, "foo-" + i, "web-" + i, 1 + i % 10);
        }
        assertThat(check().text()).contains("30 to create, 30 to change, 0 to delete");
    }
}
