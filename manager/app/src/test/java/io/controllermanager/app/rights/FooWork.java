package io.controllermanager.app.rights;

import static io.controllermanager.app.rights.Stage.soon;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.app.rights.Proof.Group;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the controller foo does. */
final class FooWork extends CustomWork {

    private static final String SYNCED = "Synced";
    private static final String RESOURCE_EXISTS = "ErrResourceExists";

    private final AppsV1Api apps;

    FooWork(Stage stage) {
        super(
                stage,
                new CustomObjects(stage, "samplecontroller.k8s.io", "v1alpha1", "Foo", "foos"),
                Set.of("samplecontroller.k8s.io", "apps"));
        this.apps = new AppsV1Api(stage.admin());
    }

    @Override
    public void round(String name) throws Exception {
        create(name, name, 1);
        soon("a new Foo has its Deployment, its status and an Event", () -> {
            expectReplicas(name, 1);
            expectStatus(name, 0);
            stage.expectEvent(name, SYNCED);
        });
        scale(name, 2);
        soon("its Deployment follows the Foo", () -> {
            expectReplicas(name, 2);
            stage.expectSeries(name, SYNCED);
        });
        drift(name);
        soon("the Foo's replicas are put back", () -> expectReplicas(name, 2));
        String taken = name + "-taken";
        createDeployment(taken);
        create(taken, taken, 1);
        soon("somebody else's Deployment is left alone", () -> stage.expectEvent(taken, RESOURCE_EXISTS));
        objects.delete(name);
        objects.delete(taken);
    }

    @Override
    Proof proof(Right right, String name) {
        return switch (right.what()) {
            case "list foos", "list deployments" -> Proof.ofList(stage, "foo", right);
            case "watch foos" -> Proof.ofWatch(stage, Group.WATCHES, right);
            case "watch deployments" -> Proof.ofWatch(stage, Group.BEHIND, right);
            case "get deployments" -> notInTheCopy(right, name);
            case "create deployments" ->
                Proof.of(
                        right,
                        Group.WRITES,
                        () -> create(name, name, 1),
                        "the Foo has no Deployment",
                        () -> assertThat(deployment(name)).isNull(),
                        () -> expectReplicas(name, 1));
            case "update foos/finalizers" -> notMadeAgain(right, name);
            case "patch deployments" ->
                Proof.of(
                                right,
                                Group.WRITES,
                                () -> scale(name, 2),
                                "its Deployment does not follow the Foo",
                                () -> expectReplicas(name, 1),
                                () -> expectReplicas(name, 2))
                        .prepared(() -> createAndWait(name));
            case "patch foos/status", "patch foos" ->
                Proof.of(
                                right,
                                Group.WRITES,
                                () -> makeAvailable(name),
                                "the Foo's status does not follow its Deployment",
                                () -> expectStatus(name, 0),
                                () -> expectStatus(name, 1))
                        .prepared(() -> createAndWait(name));
            case "create events" ->
                Proof.of(
                                right,
                                Group.WRITES,
                                () -> create(name, name, 1),
                                "no Event tells that the Deployment is somebody else's",
                                () -> stage.expectNoEvent(name, RESOURCE_EXISTS),
                                () -> expectNewOneToHaveAnEvent(name))
                        .prepared(() -> createDeployment(name));
            case "patch events" -> noSeries(right, name);
            default -> throw new AssertionError("nothing is known to need the right to " + right);
        };
    }

    /** The audit log shows what needs it: to block the Foo's deletion by a new Deployment. */
    private Proof notMadeAgain(Right right, String name) {
        return Proof.of(
                        right,
                        Group.WATCHES,
                        () -> apps.deleteNamespacedDeployment(name, namespace).execute(),
                        "a lost Deployment is not made again",
                        () -> assertThat(deployment(name)).isNull(),
                        () -> expectReplicas(name, 1))
                .refused(granted("create deployments"))
                .prepared(() -> createAndWait(name));
    }

    /** Needed where the copy of the Deployments is behind: here since it may not be watched at that time. */
    private Proof notInTheCopy(Right right, String name) {
        return Proof.of(
                        right,
                        Group.BEHIND,
                        () -> {
                            createDeployment(name);
                            create(name, name, 1);
                        },
                        "nobody is told that the Deployment is somebody else's",
                        () -> stage.expectNoEvent(name, RESOURCE_EXISTS),
                        () -> stage.expectEvent(name, RESOURCE_EXISTS))
                .position(2);
    }

    /** The name that is somebody else's is told again when the Foo comes back to it. */
    private Proof noSeries(Right right, String name) {
        String other = name + "-other";
        return Proof.of(
                        right,
                        Group.WRITES,
                        () -> rename(name, name),
                        "an Event that came again is no series",
                        () -> stage.expectNoSeries(name, RESOURCE_EXISTS),
                        () -> expectNewOneToHaveAnEvent(name))
                .prepared(() -> {
                    createDeployment(name);
                    createDeployment(other);
                    create(name, name, 1);
                    soon("it is told", () -> stage.expectEvents(name, RESOURCE_EXISTS, 1));
                    rename(name, other);
                    soon("so is another name", () -> stage.expectEvents(name, RESOURCE_EXISTS, 2));
                });
    }

    private void expectNewOneToHaveAnEvent(String name) throws ApiException {
        create(name + "-healed", name + "-healed", 1);
        stage.expectEvent(name + "-healed", SYNCED);
    }

    private void createAndWait(String name) throws ApiException {
        create(name, name, 1);
        soon("it works", () -> {
            expectReplicas(name, 1);
            expectStatus(name, 0);
        });
    }

    /** Says that a Deployment's pod is there, as Kubernetes would. */
    private void makeAvailable(String name) throws ApiException {
        V1Deployment deployment = Objects.requireNonNull(deployment(name));
        deployment.setStatus(
                new V1DeploymentStatus().replicas(1).readyReplicas(1).availableReplicas(1));
        apps.replaceNamespacedDeploymentStatus(name, namespace, deployment).execute();
    }

    private Right granted(String what) {
        return stage.release().granted().stream()
                .filter(right -> right.what().equals(what))
                .findAny()
                .orElseThrow();
    }

    private void create(String name, String deploymentName, int replicas) throws ApiException {
        if (objects.get(name) != null) {
            return;
        }
        JsonObject spec = new JsonObject();
        spec.addProperty("deploymentName", deploymentName);
        spec.addProperty("replicas", replicas);
        objects.create(name, spec);
    }

    private void scale(String name, int replicas) throws ApiException {
        JsonObject part = new JsonObject();
        part.addProperty("replicas", replicas);
        objects.change(name, part);
    }

    private void rename(String name, String deploymentName) throws ApiException {
        JsonObject part = new JsonObject();
        part.addProperty("deploymentName", deploymentName);
        objects.change(name, part);
    }

    private void drift(String name) throws ApiException {
        new DynamicKubernetesApi("apps", "v1", "deployments", stage.admin())
                .patch(
                        namespace,
                        name,
                        V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH,
                        new V1Patch("{\"spec\":{\"replicas\":5}}"))
                .throwsApiException();
    }

    private void createDeployment(String name) throws ApiException {
        Map<String, String> labels = Map.of("app", name);
        apps.createNamespacedDeployment(
                        namespace,
                        new V1Deployment()
                                .metadata(new V1ObjectMeta().name(name))
                                .spec(new V1DeploymentSpec()
                                        .selector(new V1LabelSelector().matchLabels(labels))
                                        .template(new V1PodTemplateSpec()
                                                .metadata(new V1ObjectMeta().labels(labels))
                                                .spec(new V1PodSpec()
                                                        .containers(List.of(new V1Container()
                                                                .name("main")
                                                                .image("main")))))))
                .execute();
    }

    private @Nullable V1Deployment deployment(String name) throws ApiException {
        return apps.listNamespacedDeployment(namespace).execute().getItems().stream()
                .filter(each -> name.equals(each.getMetadata().getName()))
                .findAny()
                .orElse(null);
    }

    private void expectReplicas(String name, int replicas) throws ApiException {
        V1Deployment deployment = deployment(name);
        assertThat(deployment).as("Deployment " + name).isNotNull();
        assertThat(Objects.requireNonNull(Objects.requireNonNull(deployment).getSpec())
                        .getReplicas())
                .isEqualTo(replicas);
    }

    private void expectStatus(String name, int available) {
        assertThat(status(name))
                .as("status of " + name)
                .isEqualTo(JsonParser.parseString("{\"availableReplicas\":" + available + "}"));
    }

    private @Nullable JsonElement status(String name) {
        JsonObject foo = objects.get(name);
        return foo == null ? null : foo.get("status");
    }
}
