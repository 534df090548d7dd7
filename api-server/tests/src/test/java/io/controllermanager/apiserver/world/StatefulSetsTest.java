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

class StatefulSetsTest {

    private static final String WEB = APPS + "statefulsets/web";
    private static final String CLAIMS = "'volumeClaimTemplates': [{'metadata': {'name': 'data'}, 'spec': {"
            + "'accessModes': ['ReadWriteOnce'], 'resources': {'requests': {'storage': '1Gi'}}}}]";

    private final MovingCluster cluster = new MovingCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private void create(String spec) {
        cluster.create(
                APPS + "statefulsets",
                workload("StatefulSet", "'serviceName': 'web'," + spec + "," + template("image:1")));
    }

    private List<String> images() {
        return cluster.each(CORE + "pods", "/spec/containers/0/image");
    }

    @Test
    void havePodsWithNamesAndClaims() {
        create("'replicas': 2, " + CLAIMS);

        JsonNode pod = cluster.get(CORE + "pods/web-1");
        assertThat(pod.at("/metadata/labels/statefulset.kubernetes.io~1pod-name")
                        .asText())
                .isEqualTo("web-1");
        assertThat(pod.at("/spec/hostname").asText()).isEqualTo("web-1");
        assertThat(pod.at("/spec/subdomain").asText()).isEqualTo("web");
        assertThat(pod.at("/spec/volumes/0/persistentVolumeClaim/claimName").asText())
                .isEqualTo("data-web-1");
        assertThat(cluster.each(CORE + "persistentvolumeclaims", "/status/phase"))
                .containsExactly("Bound", "Bound");
        JsonNode status = cluster.status(WEB);
        assertThat(status.path("readyReplicas").asInt()).isEqualTo(2);
        assertThat(status.path("availableReplicas").asInt()).isEqualTo(2);
        assertThat(status.path("currentRevision")).isEqualTo(status.path("updateRevision"));
        assertThat(pod.at("/metadata/labels/controller-revision-hash")).isEqualTo(status.path("updateRevision"));
    }

    @Test
    void comeUpInOrder() {
        Rule first = cluster.server.world().when(Step.READY, "Pod", "web-0").never();
        Rule second = cluster.server.world().when(Step.READY, "Pod", "web-1").never();
        create("'replicas': 3");
        assertThat(cluster.names(CORE + "pods")).containsExactly("web-0");

        first.after(Duration.ZERO);
        assertThat(cluster.names(CORE + "pods")).containsExactly("web-0", "web-1");
        assertThat(cluster.status(WEB).path("readyReplicas").asInt()).isEqualTo(1);

        second.after(Duration.ZERO);
        assertThat(cluster.status(WEB).path("readyReplicas").asInt()).isEqualTo(3);
    }

    @Test
    void comeUpAllAtOnceWhereTheyMay() {
        cluster.server.world().when(Step.READY, "Pod", "web-0").never();
        create("'replicas': 3, 'podManagementPolicy': 'Parallel'");
        assertThat(cluster.status(WEB).path("readyReplicas").asInt()).isEqualTo(2);
    }

    @Test
    void updateFromTheHighestDownToThePartition() {
        create("'replicas': 3");
        String before = cluster.status(WEB).path("currentRevision").asText();
        cluster.patch(WEB, "{'spec': {'updateStrategy': {'rollingUpdate': {'partition': 2}}}}");

        cluster.patch(WEB, image("image:2"));

        assertThat(images()).containsExactly("image:1", "image:1", "image:2");
        assertThat(cluster.status(WEB).path("currentRevision").asText()).isEqualTo(before);
        assertThat(cluster.status(WEB).path("updateRevision").asText()).isNotEqualTo(before);
        assertThat(cluster.status(WEB).path("updatedReplicas").asInt()).isEqualTo(1);

        cluster.patch(WEB, "{'spec': {'updateStrategy': {'rollingUpdate': {'partition': 0}}}}");

        assertThat(images()).containsOnly("image:2");
        assertThat(cluster.status(WEB).path("currentRevision").asText()).isNotEqualTo(before);
    }

    @Test
    void stopAnUpdateAtAPodThatDoesNotComeUp() {
        create("'replicas': 3");
        Rule rule = cluster.server.world().when(Step.READY, "Pod", "web-2").never();

        cluster.patch(WEB, image("image:2"));
        assertThat(images()).containsExactly("image:1", "image:1", "image:2");

        rule.after(Duration.ZERO);
        assertThat(images()).containsOnly("image:2");
    }

    @Test
    void updateNothingOfThemselvesOnDelete() {
        create("'replicas': 2, 'updateStrategy': {'type': 'OnDelete'}");
        cluster.patch(WEB, image("image:2"));
        assertThat(images()).containsOnly("image:1");

        cluster.delete(CORE + "pods/web-0");
        assertThat(images()).containsExactly("image:2", "image:1");
    }

    @Test
    void shrinkFromTheHighestAndLeaveTheirClaims() {
        create("'replicas': 3, " + CLAIMS);
        cluster.patch(WEB, "{'spec': {'replicas': 1}}");

        assertThat(cluster.names(CORE + "pods")).containsExactly("web-0");
        assertThat(cluster.names(CORE + "persistentvolumeclaims")).hasSize(3);
        assertThat(cluster.status(WEB).path("replicas").asInt()).isEqualTo(1);
    }
}
