package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controllers.HeldContext;
import io.controllermanager.testing.controllers.RecordedEvents;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One reconcile at a time, against an API server, with local copies that are brought up to date only when a test says
 * so: what happens when they are behind is half of what is tested here.
 */
@OnBothServers(with = FooCrd.class)
class FooReconcilerTest {

    private static final String SYNCED = "Normal Synced Foo synced successfully";

    private final ControllerDescriptor controller = FooController.descriptor();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final FooCluster cluster;
    private final FooCrd crd;
    private final String namespace;
    private final Request request;
    private final HeldContext context;
    private final RecordedEvents events;
    private final Reconciler reconciler;

    FooReconcilerTest(TestedServer server, FooCrd crd) {
        this.crd = crd;
        cluster = new FooCluster(server);
        namespace = cluster.createNamespace();
        request = new Request(namespace, "foo");
        context = new HeldContext(FooController.NAME, cluster.recordingClient(requests), Clock.system());
        events = context.events();
        reconciler = controller.reconcilerFactory().create(context);
    }

    @BeforeEach
    void installCrd() throws ApiException {
        cluster.installCrd(Foo.TYPE, crd.manifest());
    }

    /** Brings the local copies up to date. */
    private void catchUp() throws ApiException {
        catchUpOnFoos();
        context.copy(ResourceTypes.DEPLOYMENT).replace(cluster.deployments().list(namespace), "");
    }

    private void catchUpOnFoos() throws ApiException {
        context.copy(Foo.TYPE).replace(cluster.foos().list(namespace), "");
    }

    private Result reconcile() {
        requests.clear();
        events.lines().clear();
        return reconciler.reconcile(request);
    }

    private void reconcileAgainstTime() throws ApiException {
        catchUp();
        assertThat(reconcile()).isEqualTo(new Result(false));
    }

    /** All but the questions that discovery asks now and then. */
    private List<String> objectRequests() {
        return requests.stream()
                .filter(line -> !line.endsWith("/apis/samplecontroller.k8s.io/v1alpha1"))
                .filter(line -> !line.startsWith("forbidden"))
                .toList();
    }

    private void givenSynced(Integer replicas) throws ApiException {
        cluster.createFoo(namespace, "foo", "web", replicas);
        reconcileAgainstTime();
        catchUp();
    }

    private static V1OwnerReference reference(Foo owner) {
        return new V1OwnerReference()
                .apiVersion("samplecontroller.k8s.io/v1alpha1")
                .kind("Foo")
                .name(owner.getMetadata().getName())
                .uid(owner.getMetadata().getUid())
                .controller(true)
                .blockOwnerDeletion(true);
    }

    @Test
    void makesTheDeploymentThatSampleControllerMakes() throws ApiException {
        Foo foo = cluster.createFoo(namespace, "foo", "web", 3);
        reconcileAgainstTime();

        V1Deployment deployment = cluster.deployment(namespace, "web");
        assertThat(deployment.getMetadata().getOwnerReferences()).containsExactly(reference(foo));
        Map<String, String> labels = Map.of("app", "nginx", "controller", "foo");
        assertThat(deployment.getMetadata().getLabels()).isNullOrEmpty();
        assertThat(deployment.getSpec().getReplicas()).isEqualTo(3);
        assertThat(deployment.getSpec().getSelector().getMatchLabels()).isEqualTo(labels);
        assertThat(deployment.getSpec().getTemplate().getMetadata().getLabels()).isEqualTo(labels);
        assertThat(deployment.getSpec().getTemplate().getSpec().getContainers())
                .singleElement()
                .extracting(V1Container::getName, V1Container::getImage)
                .containsExactly("nginx", "nginx:latest");
        assertThat(cluster.foo(namespace, "foo").availableReplicas()).isZero();
        assertThat(events.lines()).containsExactly(SYNCED);
        assertThat(objectRequests()).hasSize(2).allMatch(line -> !line.startsWith("GET"));
    }

    @Test
    void writesNothingForAFooThatNeedsNoChange() throws ApiException {
        givenSynced(3);

        assertThat(reconcile()).isEqualTo(new Result(false));
        assertThat(requests).isEmpty();
        assertThat(events.lines()).isEmpty();
    }

    @Test
    void appliesChangedReplicasAndLeavesTheRestToOthers() throws ApiException {
        givenSynced(3);
        cluster.patchFoo(namespace, "foo", "{\"spec\":{\"replicas\":5}}");
        cluster.patchDeployment(
                namespace, "web", "{\"metadata\":{\"annotations\":{\"a\":\"b\"}},\"spec\":{\"paused\":true}}");
        reconcileAgainstTime();

        V1Deployment deployment = cluster.deployment(namespace, "web");
        assertThat(deployment.getSpec().getReplicas()).isEqualTo(5);
        assertThat(deployment.getSpec().getPaused()).isTrue();
        assertThat(deployment.getMetadata().getAnnotations()).containsEntry("a", "b");
        assertThat(events.lines()).containsExactly(SYNCED);
        assertThat(objectRequests()).hasSize(1);
    }

    @Test
    void setsBackReplicasScaledByHand() throws ApiException {
        givenSynced(3);
        cluster.patchDeployment(namespace, "web", "{\"spec\":{\"replicas\":1}}");
        reconcileAgainstTime();

        assertThat(cluster.deployment(namespace, "web").getSpec().getReplicas()).isEqualTo(3);
    }

    @Test
    void leavesReplicasAloneWhereTheFooNamesNone() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", null);
        reconcileAgainstTime();
        assertThat(cluster.deployment(namespace, "web").getSpec().getReplicas()).isEqualTo(1);

        cluster.patchDeployment(namespace, "web", "{\"spec\":{\"replicas\":4}}");
        reconcileAgainstTime();
        assertThat(cluster.deployment(namespace, "web").getSpec().getReplicas()).isEqualTo(4);
        assertThat(requests).isEmpty();
    }

    @Test
    void makesADeletedDeploymentAnew() throws ApiException {
        givenSynced(3);
        cluster.deployments().delete(namespace, "web");
        reconcileAgainstTime();

        assertThat(cluster.deployment(namespace, "web").getSpec().getReplicas()).isEqualTo(3);
        assertThat(events.lines()).containsExactly(SYNCED);
    }

    @Test
    void tellsAvailableReplicas() throws ApiException {
        givenSynced(3);
        cluster.setAvailableReplicas(namespace, "web", 2);
        reconcileAgainstTime();

        assertThat(cluster.foo(namespace, "foo").availableReplicas()).isEqualTo(2);
        assertThat(objectRequests()).hasSize(1);
        reconcileAgainstTime();
        assertThat(requests).isEmpty();
    }

    @Test
    void keepsToTheSpecThatAUserWritesMeanwhile() throws ApiException {
        givenSynced(3);
        cluster.setAvailableReplicas(namespace, "web", 2);
        catchUp();
        cluster.patchFoo(namespace, "foo", "{\"spec\":{\"replicas\":7}}");
        reconcile();

        Foo foo = cluster.foo(namespace, "foo");
        assertThat(foo.replicas()).isEqualTo(7);
        assertThat(foo.availableReplicas()).isEqualTo(2);
    }

    @Test
    void leavesTheOldDeploymentWhenTheNameChanges() throws ApiException {
        givenSynced(3);
        cluster.patchFoo(namespace, "foo", "{\"spec\":{\"deploymentName\":\"other\"}}");
        reconcileAgainstTime();

        assertThat(cluster.deployment(namespace, "other").getSpec().getReplicas())
                .isEqualTo(3);
        assertThat(cluster.deployment(namespace, "web").getSpec().getReplicas()).isEqualTo(3);
    }

    private V1Deployment givenDeploymentOfAnother() throws ApiException {
        Foo other = cluster.createFoo(namespace, "other", "web", 9);
        V1Deployment deployment = DeploymentTemplate.forFoo(other);
        deployment.getMetadata().addOwnerReferencesItem(reference(other));
        return cluster.deployments().create(deployment);
    }

    @Test
    void neverTouchesADeploymentThatAnotherOwnerHolds() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        V1Deployment before = givenDeploymentOfAnother();
        catchUp();

        String message = "Resource \"web\" already exists and is not managed by Foo";
        assertThatExceptionOfType(TerminalException.class)
                .isThrownBy(this::reconcile)
                .withMessage(message);
        assertThat(events.lines()).containsExactly("Warning ErrResourceExists " + message);
        assertThat(requests).isEmpty();
        assertThat(cluster.deployment(namespace, "web")).isEqualTo(before);

        assertThatExceptionOfType(TerminalException.class).isThrownBy(this::reconcile);
        assertThat(events.lines()).as("said once").isEmpty();
    }

    @Test
    void takesTheNameOnceTheOtherOwnerLetsGoOfIt() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        V1Deployment before = givenDeploymentOfAnother();
        catchUp();
        assertThat(HeldContext.concernedBy(controller, before)).doesNotContain(request);
        assertThatExceptionOfType(TerminalException.class).isThrownBy(this::reconcile);
        assertThat(HeldContext.concernedBy(controller, before)).contains(request);

        cluster.deployments().delete(namespace, "web");
        reconcileAgainstTime();
        assertThat(cluster.deployment(namespace, "web").getSpec().getReplicas()).isEqualTo(3);
        assertThat(HeldContext.concernedBy(controller, before)).doesNotContain(request);
    }

    @Test
    void recognizesItsOwnDeploymentBeforeTheLocalCopyHasIt() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        reconcileAgainstTime();
        catchUpOnFoos();

        assertThat(reconcile()).isEqualTo(new Result(false));
        assertThat(events.lines()).isEmpty();
    }

    @Test
    void reportsTheDeploymentOfAnotherBeforeTheLocalCopyHasIt() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        V1Deployment before = givenDeploymentOfAnother();
        catchUpOnFoos();

        assertThat(reconcile()).isEqualTo(new Result(true, Duration.ofSeconds(30)));
        assertThat(events.lines()).singleElement().asString().startsWith("Warning ErrResourceExists");
        assertThat(cluster.deployment(namespace, "web")).isEqualTo(before);
    }

    @Test
    void triesAgainWhenTheDeploymentChangedMeanwhile() throws ApiException {
        givenSynced(3);
        cluster.patchFoo(namespace, "foo", "{\"spec\":{\"replicas\":5}}");
        catchUp();
        cluster.patchDeployment(namespace, "web", "{\"metadata\":{\"ownerReferences\":null}}");

        assertThat(reconcile()).isEqualTo(new Result(true));
        assertThat(events.lines()).isEmpty();
        assertThat(cluster.deployment(namespace, "web").getSpec().getReplicas())
                .as("it has another owner by now")
                .isEqualTo(3);
    }

    @Test
    void isDoneWhenTheFooIsGone() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        catchUp();
        cluster.foos().delete(namespace, "foo");

        assertThat(reconcile()).isEqualTo(new Result(false));
        reconcileAgainstTime();
        assertThat(requests).isEmpty();
    }

    @Test
    void isDoneWhenTheDeploymentVanishesWhileItIsScaled() throws ApiException {
        givenSynced(3);
        cluster.patchFoo(namespace, "foo", "{\"spec\":{\"replicas\":5}}");
        catchUp();
        cluster.deployments().delete(namespace, "web");

        assertThat(reconcile()).isEqualTo(new Result(false));
        reconcileAgainstTime();
        assertThat(cluster.deployment(namespace, "web").getSpec().getReplicas()).isEqualTo(5);
    }

    @Test
    void makesNothingForAFooThatIsBeingDeleted() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        cluster.patchFoo(namespace, "foo", "{\"metadata\":{\"finalizers\":[\"example.com/wait\"]}}");
        cluster.foos().delete(namespace, "foo");
        reconcileAgainstTime();

        assertThat(requests).isEmpty();
    }

    @Test
    void doesNotScaleADeploymentThatIsBeingDeleted() throws ApiException {
        givenSynced(3);
        cluster.patchDeployment(namespace, "web", "{\"metadata\":{\"finalizers\":[\"example.com/wait\"]}}");
        cluster.deployments().delete(namespace, "web");
        cluster.patchFoo(namespace, "foo", "{\"spec\":{\"replicas\":5}}");
        reconcileAgainstTime();

        assertThat(requests).isEmpty();
    }

    @Test
    void makesNothingInANamespaceThatIsBeingDeleted() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 3);
        // Keeps the namespace until it is removed.
        cluster.patchFoo(namespace, "foo", "{\"metadata\":{\"finalizers\":[\"example.com/wait\"]}}");
        catchUp();
        new ResourceClient<V1Namespace>(cluster.user(), ResourceTypes.NAMESPACE).delete(null, namespace);
        awaitRefusal();

        assertThat(reconcile()).isEqualTo(new Result(false));
        assertThat(objectRequests()).hasSize(1);
        assertThat(events.lines()).isEmpty();
    }

    /** Waits until the API server's admission has heard that the namespace is going. */
    private void awaitRefusal() {
        AtomicInteger attempts = new AtomicInteger();
        await().until(() -> {
            try {
                cluster.createFoo(namespace, "probe-" + attempts.incrementAndGet(), "web", 3);
                return false;
            } catch (ApiException e) {
                return e.getCode() == 403;
            }
        });
    }

    @Test
    void reportsAnEmptyNameOnce() throws ApiException {
        cluster.createFoo(namespace, "foo", "", 3);
        catchUp();

        assertThatExceptionOfType(TerminalException.class).isThrownBy(this::reconcile);
        assertThat(events.lines()).singleElement().asString().startsWith("Warning DeploymentNameMissing");
        assertThatExceptionOfType(TerminalException.class).isThrownBy(this::reconcile);
        assertThat(events.lines()).isEmpty();
        assertThat(requests).isEmpty();

        cluster.patchFoo(namespace, "foo", "{\"spec\":{\"deploymentName\":\"web\"}}");
        reconcileAgainstTime();
        assertThat(events.lines()).containsExactly(SYNCED);
    }

    @Test
    void reportsANameThatNoDeploymentCanHave() throws ApiException {
        cluster.createFoo(namespace, "foo", "No_Such/Name", 3);
        catchUp();

        assertThatExceptionOfType(TerminalException.class).isThrownBy(this::reconcile);
        assertThat(events.lines())
                .singleElement()
                .asString()
                .startsWith("Warning InvalidDeployment")
                .contains("No_Such/Name");
        assertThatExceptionOfType(TerminalException.class).isThrownBy(this::reconcile);
        assertThat(events.lines()).isEmpty();
    }

    @Test
    void reportsAFooWhoseNameIsTooLongForALabel() throws ApiException {
        String name = "f".repeat(64);
        cluster.createFoo(namespace, name, "web", 3);
        catchUp();

        assertThatExceptionOfType(TerminalException.class)
                .isThrownBy(() -> reconciler.reconcile(new Request(namespace, name)));
        assertThat(events.lines()).singleElement().asString().startsWith("Warning InvalidDeployment");
    }
}
