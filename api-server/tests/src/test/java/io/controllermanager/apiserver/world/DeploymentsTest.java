package io.controllermanager.apiserver.world;

import static io.controllermanager.apiserver.world.MovingCluster.APPS;
import static io.controllermanager.apiserver.world.MovingCluster.CORE;
import static io.controllermanager.apiserver.world.MovingCluster.image;
import static io.controllermanager.apiserver.world.MovingCluster.template;
import static io.controllermanager.apiserver.world.MovingCluster.workload;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeploymentsTest {

    private static final String WEB = APPS + "deployments/web";

    private final MovingCluster cluster = new MovingCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private void create(String spec) {
        cluster.create(APPS + "deployments", workload("Deployment", spec + "," + template("image:1")));
    }

    private List<Integer> sizes() {
        return cluster.each(APPS + "replicasets", "/spec/replicas").stream()
                .map(Integer::valueOf)
                .toList();
    }

    @Test
    void areAvailableWhenTheAnswerComes() {
        create("'replicas': 2");

        JsonNode status = cluster.status(WEB);
        assertThat(status.path("observedGeneration").asInt()).isEqualTo(1);
        for (String count : List.of("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")) {
            assertThat(status.path(count).asInt()).as(count).isEqualTo(2);
        }
        assertThat(status.has("unavailableReplicas")).isFalse();
        assertThat(cluster.condition(WEB, "Available")).isEqualTo("True MinimumReplicasAvailable");
        assertThat(cluster.condition(WEB, "Progressing")).isEqualTo("True NewReplicaSetAvailable");
    }

    @Test
    void ownReplicaSetsThatOwnPods() {
        create("'replicas': 2");

        JsonNode set = cluster.get(APPS + "replicasets").path("items").path(0);
        String hash = set.at("/metadata/labels/pod-template-hash").asText();
        assertThat(set.at("/metadata/name").asText()).isEqualTo("web-" + hash);
        assertThat(set.at("/metadata/ownerReferences/0/name").asText()).isEqualTo("web");
        for (JsonNode pod : cluster.get(CORE + "pods?labelSelector=app=web").path("items")) {
            assertThat(pod.at("/metadata/name").asText()).matches("web-" + hash + "-[a-z0-9]{5}");
            assertThat(pod.at("/metadata/ownerReferences/0/uid")).isEqualTo(set.at("/metadata/uid"));
            assertThat(pod.at("/spec/nodeName").asText()).isEqualTo("node");
            assertThat(pod.at("/status/phase").asText()).isEqualTo("Running");
            assertThat(pod.at("/status/podIP").asText()).isEqualTo("127.0.0.1");
            assertThat(pod.at("/status/containerStatuses/0/ready").asBoolean()).isTrue();
        }
        assertThat(cluster.names(CORE + "pods")).hasSize(2);
    }

    @Test
    void replacePodsThatGoOrEnd() {
        create("'replicas': 2");
        List<String> before = cluster.names(CORE + "pods");

        cluster.delete(CORE + "pods/" + before.get(0));
        cluster.patch(CORE + "pods/" + before.get(1) + "/status", "{'status': {'phase': 'Failed'}}");

        assertThat(cluster.status(WEB).path("readyReplicas").asInt()).isEqualTo(2);
        assertThat(cluster.names(CORE + "pods")).hasSize(3).doesNotContain(before.get(0));
    }

    @Test
    void takeTheirPodsWithThem() {
        create("'replicas': 2");

        cluster.delete(WEB);

        assertThat(cluster.names(APPS + "replicasets")).isEmpty();
        assertThat(cluster.names(CORE + "pods")).isEmpty();
    }

    @Test
    void rollOverAndBack() {
        create("'replicas': 4");
        cluster.patch(WEB, image("image:2"));

        assertThat(sizes()).containsExactlyInAnyOrder(0, 4);
        assertThat(cluster.each(CORE + "pods", "/spec/containers/0/image")).containsOnly("image:2");
        assertThat(cluster.status(WEB).path("updatedReplicas").asInt()).isEqualTo(4);

        cluster.patch(WEB, image("image:1"));

        assertThat(sizes()).containsExactlyInAnyOrder(0, 4);
        assertThat(cluster.each(CORE + "pods", "/spec/containers/0/image")).containsOnly("image:1");
    }

    /** Also where both templates have the same names and values, in other pairs. */
    @Test
    void rollOverWhenLabelsChangeTheirPlaces() {
        create("'replicas': 1");
        String labels = "{'spec': {'template': {'metadata': {'labels': {'x-a': '%s', 'x-e': '%s'}}}}}";
        cluster.patch(WEB, labels.formatted(1, 2));
        cluster.patch(WEB, labels.formatted(2, 1));
        assertThat(cluster.each(CORE + "pods", "/metadata/labels/x-a")).containsExactly("2");

        cluster.patch(WEB, labels.formatted(1, 2));
        assertThat(cluster.names(APPS + "replicasets")).hasSize(3);
    }

    @Test
    void keepTheirOldPodsWhileNewOnesDoNotComeUp() {
        create("'replicas': 2");
        Rule rule = cluster.server.world().when(Step.READY, "Deployment", "web").never();

        cluster.patch(WEB, image("image:2"));

        assertThat(cluster.each(CORE + "pods", "/spec/containers/0/image"))
                .containsExactlyInAnyOrder("image:1", "image:1", "image:2", "image:2");
        assertThat(cluster.status(WEB).path("updatedReplicas").asInt()).isEqualTo(2);
        assertThat(cluster.status(WEB).path("unavailableReplicas").asInt()).isEqualTo(2);
        assertThat(cluster.condition(WEB, "Available")).isEqualTo("True MinimumReplicasAvailable");
        assertThat(cluster.condition(WEB, "Progressing")).isEqualTo("True ReplicaSetUpdated");

        cluster.advance(Duration.ofSeconds(599));
        assertThat(cluster.condition(WEB, "Progressing")).isEqualTo("True ReplicaSetUpdated");
        cluster.advance(Duration.ofSeconds(1));
        assertThat(cluster.condition(WEB, "Progressing")).isEqualTo("False ProgressDeadlineExceeded");

        rule.after(Duration.ZERO);
        assertThat(sizes()).containsExactlyInAnyOrder(0, 2);
        assertThat(cluster.condition(WEB, "Progressing")).isEqualTo("True NewReplicaSetAvailable");
    }

    @Test
    void scaleDownFromTheYoungestThatIsNotReady() {
        create("'replicas': 1");
        List<String> first = cluster.names(CORE + "pods");
        cluster.server.world().when(Step.READY, "Deployment", "web").never();
        cluster.patch(WEB, "{'spec': {'replicas': 3}}");
        assertThat(cluster.status(WEB).path("unavailableReplicas").asInt()).isEqualTo(2);

        cluster.patch(WEB, "{'spec': {'replicas': 1}}");

        assertThat(cluster.names(CORE + "pods")).isEqualTo(first);
    }
}
