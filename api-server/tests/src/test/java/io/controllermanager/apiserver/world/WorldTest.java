package io.controllermanager.apiserver.world;

import static io.controllermanager.apiserver.world.MovingCluster.APPS;
import static io.controllermanager.apiserver.world.MovingCluster.BATCH;
import static io.controllermanager.apiserver.world.MovingCluster.CORE;
import static io.controllermanager.apiserver.world.MovingCluster.template;
import static io.controllermanager.apiserver.world.MovingCluster.workload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.writes.RecordedWrite;
import io.controllermanager.apiserver.writes.WriteRecording;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WorldTest {

    private static final String DEPLOYMENT = workload("Deployment", "'replicas': 2," + template("image:1"));

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("embedded-api-server-world"))
                .collect(Collectors.toSet());
    }

    private static CoreV1Api createPod(ApiServer server) throws ApiException {
        CoreV1Api api = new CoreV1Api(server.client());
        V1Container container = new V1Container().name("main").image("i:1");
        api.createNamespacedPod(
                        "default",
                        new V1Pod()
                                .metadata(new V1ObjectMeta().name("p"))
                                .spec(new V1PodSpec().containers(List.of(container))))
                .execute();
        return api;
    }

    @Test
    void isOffUnlessSwitchedOn() {
        try (ApiServer server = ApiServer.start()) {
            assertThatThrownBy(server::world)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("world(true)");
            assertThat(server.runWorld()).isNull();
            assertThat(server.objects())
                    .noneMatch(object -> object.path("kind").asText().equals("Node"));
        }
    }

    @Test
    void tellsItsWritesFromThoseOfOthers() {
        try (MovingCluster cluster = new MovingCluster();
                WriteRecording recording = cluster.server.recordWrites()) {
            cluster.create(APPS + "deployments", DEPLOYMENT);

            assertThat(recording.writes())
                    .filteredOn(write -> !write.userAgent().isEmpty())
                    .extracting(RecordedWrite::what)
                    .containsExactly("create deployments.apps default/web");
            assertThat(recording.writes())
                    .filteredOn(write -> write.userAgent().isEmpty())
                    .extracting(RecordedWrite::resource)
                    .contains("replicasets.apps", "pods", "deployments.apps");
        }
    }

    @Test
    void writesEachObjectNoOftenerThanItMust() {
        try (MovingCluster cluster = new MovingCluster();
                WriteRecording recording = cluster.server.recordWrites()) {
            cluster.create(APPS + "deployments", DEPLOYMENT);
            // The ReplicaSet and its status, two Pods and theirs, the Deployment and its status.
            assertThat(recording.writes()).hasSizeLessThanOrEqualTo(9);
        }
    }

    @Test
    void writesNothingAboutWhatIsSettled() {
        try (MovingCluster cluster = new MovingCluster()) {
            cluster.create(APPS + "deployments", DEPLOYMENT);
            long version = cluster.server.version();
            cluster.server.world().clear();
            cluster.advance(Duration.ofDays(1));
            cluster.get(CORE + "pods");
            assertThat(cluster.server.version()).isEqualTo(version);
        }
    }

    @Test
    void isForOwnersOfAnyKind() {
        try (MovingCluster cluster = new MovingCluster()) {
            cluster.create(CORE + "configmaps", "{'metadata': {'name': 'top'}}");
            String uid =
                    cluster.get(CORE + "configmaps/top").at("/metadata/uid").asText();
            cluster.server.world().when(Step.READY, "ConfigMap", "t*p").never();
            cluster.create(
                    APPS + "deployments",
                    DEPLOYMENT.replace(
                            "{'name': 'web'}",
                            "{'name': 'web', 'ownerReferences': [{'apiVersion': 'v1', 'kind': 'ConfigMap',"
                                    + " 'name': 'top', 'uid': '" + uid + "'}]}"));

            assertThat(cluster.each(CORE + "pods", "/status/phase")).containsExactly("Pending", "Pending");

            cluster.server.world().clear();
            assertThat(cluster.each(CORE + "pods", "/status/phase")).containsExactly("Running", "Running");
        }
    }

    @Test
    void keepsToTheRulesThatAreInItsDocumentation() {
        try (MovingCluster cluster = new MovingCluster()) {
            ApiServer server = cluster.server;
            server.world().when(Step.READY, "Deployment", "web").after(Duration.ofSeconds(30));
            server.world().when(Step.COMPLETE, "Job", "import").failing(2);
            server.world().when(Step.BOUND, "PersistentVolumeClaim", "data-*").never();
            assertThat(server.runWorld()).isNull();

            cluster.create(APPS + "deployments", DEPLOYMENT);
            cluster.create(
                    BATCH + "jobs",
                    "{'metadata': {'name': 'import'}, 'spec': {'template': {'spec': {'restartPolicy': 'Never',"
                            + " 'containers': [{'name': 'main', 'image': 'i:1'}]}}}}");
            cluster.create(
                    CORE + "persistentvolumeclaims",
                    "{'metadata': {'name': 'data-0'}, 'spec': {'accessModes': ['ReadWriteOnce'],"
                            + " 'resources': {'requests': {'storage': '1Gi'}}}}");
            assertThat(server.runWorld()).isEqualTo(Duration.ofSeconds(30));
            assertThat(cluster.status(BATCH + "jobs/import").path("failed").asInt())
                    .isEqualTo(2);
            assertThat(cluster.status(CORE + "persistentvolumeclaims/data-0")
                            .path("phase")
                            .asText())
                    .isEqualTo("Pending");

            cluster.advance(Duration.ofSeconds(30));
            assertThat(cluster.status(APPS + "deployments/web")
                            .path("readyReplicas")
                            .asInt())
                    .isEqualTo(2);
        }
    }

    @Test
    void refusesToFailAStepThatCannot() {
        try (MovingCluster cluster = new MovingCluster()) {
            Rule rule = cluster.server.world().when(Step.BOUND, "PersistentVolumeClaim", "c");
            assertThatThrownBy(() -> rule.failing(1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void refusesNonsense() {
        try (MovingCluster cluster = new MovingCluster()) {
            World world = cluster.server.world();
            Rule rule = world.when(Step.READY, "Pod", "p");
            assertThatThrownBy(() -> rule.failing(-1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("times is -1");
            assertThatThrownBy(() -> rule.after(Duration.ofSeconds(-1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("time is PT-1S");
            assertThatThrownBy(() -> world.when(null, "Pod", "p")).hasMessage("step");
            assertThatThrownBy(() -> world.when(Step.READY, null, "p")).hasMessage("kind");
            assertThatThrownBy(() -> world.when(Step.READY, "Pod", null)).hasMessage("name");
        }
    }

    @Test
    void takesATimeBeyondAllTimesForNever() {
        try (MovingCluster cluster = new MovingCluster()) {
            cluster.server.world().when(Step.READY, "Deployment", "web").after(Duration.ofSeconds(Long.MAX_VALUE));
            cluster.create(APPS + "deployments", DEPLOYMENT);
            assertThat(cluster.each(CORE + "pods", "/status/phase")).containsExactly("Pending", "Pending");
        }
    }

    @Test
    void makesNothingInANamespaceThatGoes() {
        try (MovingCluster cluster = new MovingCluster()) {
            cluster.create("/api/v1/namespaces", "{'metadata': {'name': 'n'}}");
            cluster.create(APPS.replace("default", "n") + "deployments", DEPLOYMENT);
            cluster.delete("/api/v1/namespaces/n");
            assertThat(cluster.get("/api/v1/namespaces/n").path("code").asInt()).isEqualTo(404);
        }
    }

    @Test
    void goesOnAfterARestartAndARestore() {
        try (MovingCluster cluster = new MovingCluster()) {
            long empty = cluster.server.version();
            cluster.create(APPS + "deployments", DEPLOYMENT);
            cluster.server.restart();
            cluster.patch(APPS + "deployments/web", "{'spec': {'replicas': 3}}");
            assertThat(cluster.status(APPS + "deployments/web")
                            .path("readyReplicas")
                            .asInt())
                    .isEqualTo(3);

            cluster.server.restore(empty);
            assertThat(cluster.names(CORE + "pods")).isEmpty();
            cluster.create(APPS + "deployments", DEPLOYMENT);
            assertThat(cluster.names(CORE + "pods")).hasSize(2);
        }
    }

    @Test
    void movesByTheMachinesTimeInAThreadThatEnds() throws ApiException {
        try (ApiServer server = ApiServer.builder().world(true).start()) {
            server.world().when(Step.READY, "Pod", "p").after(Duration.ofMillis(20));
            CoreV1Api api = createPod(server);
            await().until(() -> api.readNamespacedPod("p", "default")
                    .execute()
                    .getStatus()
                    .getPhase()
                    .equals("Running"));
            await().until(() -> threads().isEmpty());
        }
    }

    @Test
    void leavesNoThreadWhenItIsClosed() throws ApiException {
        Set<Thread> before = threads();
        Set<Thread> own;
        try (ApiServer server = ApiServer.builder().world(true).start()) {
            server.world().when(Step.READY, "Pod", "p").after(Duration.ofHours(1));
            createPod(server);
            own = threads();
            own.removeAll(before);
            assertThat(own).hasSize(1);
        }
        await().until(() -> Collections.disjoint(threads(), own));
    }
}
