package io.controllermanager.apiserver.world;

import static io.controllermanager.apiserver.world.MovingCluster.APPS;
import static io.controllermanager.apiserver.world.MovingCluster.CORE;
import static io.controllermanager.apiserver.world.MovingCluster.template;
import static io.controllermanager.apiserver.world.MovingCluster.workload;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pods, DaemonSets and claims. */
class PodsTest {

    private static final String POD = CORE + "pods/p";
    private static final String CLAIM = CORE + "persistentvolumeclaims/c";

    private final MovingCluster cluster = new MovingCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private void createPod(String spec) {
        cluster.create(
                CORE + "pods",
                "{'metadata': {'name': 'p'}, 'spec': {" + spec + "'containers': [{'name': 'main', 'image': 'i:1'}]}}");
    }

    private void createClaim(String spec) {
        cluster.create(
                CORE + "persistentvolumeclaims",
                "{'metadata': {'name': 'c'}, 'spec': {" + spec + "'accessModes': ['ReadWriteOnce'],"
                        + " 'resources': {'requests': {'storage': '1Gi'}}}}");
    }

    @Test
    void comeUpAfterATimeOfTheServersClock() {
        cluster.server.world().when(Step.READY, "Pod", "default/p").after(Duration.ofSeconds(10));
        createPod("");
        assertThat(cluster.status(POD)
                        .at("/containerStatuses/0/state/waiting/reason")
                        .asText())
                .isEqualTo("ContainerCreating");
        assertThat(cluster.condition(POD, "Ready")).isEqualTo("False ContainersNotReady");

        cluster.advance(Duration.ofSeconds(9));
        assertThat(cluster.status(POD).path("phase").asText()).isEqualTo("Pending");
        assertThat(cluster.server.runWorld()).isEqualTo(Duration.ofSeconds(1));

        cluster.advance(Duration.ofSeconds(1));
        assertThat(cluster.server.runWorld()).isNull();
        assertThat(cluster.status(POD).path("phase").asText()).isEqualTo("Running");
        assertThat(cluster.condition(POD, "Ready")).isEqualTo("True");
    }

    @Test
    void restartTheirContainers() {
        Rule rule =
                cluster.server.world().when(Step.READY, "Pod", "p").failing(3).never();
        createPod("");
        JsonNode container = cluster.status(POD).at("/containerStatuses/0");
        assertThat(container.at("/state/waiting/reason").asText()).isEqualTo("CrashLoopBackOff");
        assertThat(container.path("restartCount").asInt()).isEqualTo(3);

        rule.after(Duration.ZERO);
        container = cluster.status(POD).at("/containerStatuses/0");
        assertThat(container.path("ready").asBoolean()).isTrue();
        assertThat(container.path("restartCount").asInt()).isEqualTo(3);
    }

    @Test
    void endThatDoNotRestart() {
        createPod("'restartPolicy': 'Never',");
        assertThat(cluster.status(POD).path("phase").asText()).isEqualTo("Succeeded");
        assertThat(cluster.status(POD)
                        .at("/containerStatuses/0/state/terminated/exitCode")
                        .asInt(-1))
                .isZero();
    }

    @Test
    void endWithAnErrorAsOftenAsToldTo() {
        cluster.server.world().when(Step.COMPLETE, "Pod", "*").failing(1);
        createPod("'restartPolicy': 'Never',");
        assertThat(cluster.status(POD).path("phase").asText()).isEqualTo("Failed");

        cluster.delete(POD);
        createPod("'restartPolicy': 'Never',");
        assertThat(cluster.status(POD).path("phase").asText()).isEqualTo("Succeeded");
    }

    @Test
    void waitForTheirClaims() {
        createPod("'volumes': [{'name': 'v', 'persistentVolumeClaim': {'claimName': 'c'}}],");
        assertThat(cluster.condition(POD, "PodScheduled")).isEqualTo("False Unschedulable");
        assertThat(cluster.status(POD).path("phase").asText()).isEqualTo("Pending");

        createClaim("");
        assertThat(cluster.condition(POD, "PodScheduled")).isEqualTo("True");
        assertThat(cluster.condition(POD, "Ready")).isEqualTo("True");
    }

    @Test
    void waitForTheirSchedulingGates() {
        createPod("'schedulingGates': [{'name': 'example.com/quota'}],");
        assertThat(cluster.condition(POD, "PodScheduled")).isEqualTo("False SchedulingGated");
        assertThat(cluster.status(POD).path("phase").asText()).isEqualTo("Pending");

        cluster.patch(POD, "{'spec': {'schedulingGates': null}}");
        assertThat(cluster.condition(POD, "Ready")).isEqualTo("True");
    }

    @Test
    void areReadyWhenTheirReadinessGatesAreOpen() {
        createPod("'readinessGates': [{'conditionType': 'example.com/up'}],");
        assertThat(cluster.condition(POD, "ContainersReady")).isEqualTo("True");
        assertThat(cluster.condition(POD, "Ready")).isEqualTo("False ReadinessGatesNotReady");

        cluster.send(
                "PATCH",
                POD + "/status",
                "application/strategic-merge-patch+json",
                "{'status': {'conditions': [{'type': 'example.com/up', 'status': 'True'}]}}");
        assertThat(cluster.condition(POD, "Ready")).isEqualTo("True");
    }

    @Test
    void areGoneAfterATimeOfTheServersClock() {
        cluster.server.world().when(Step.GONE, "Pod", "p").after(Duration.ofSeconds(20));
        createPod("");
        cluster.delete(POD);
        assertThat(cluster.get(POD).at("/metadata/deletionTimestamp").asText()).isNotEmpty();

        cluster.advance(Duration.ofSeconds(20));
        assertThat(cluster.get(POD).path("code").asInt()).isEqualTo(404);
    }

    @Test
    void ofADaemonSetAreOnEachNode() {
        cluster.create(APPS + "daemonsets", workload("DaemonSet", template("image:1")));
        cluster.create("/api/v1/nodes", "{'metadata': {'name': 'second'}}");

        assertThat(cluster.each(CORE + "pods", "/spec/nodeName")).containsExactlyInAnyOrder("node", "second");
        JsonNode status = cluster.status(APPS + "daemonsets/web");
        for (String count : List.of(
                "desiredNumberScheduled",
                "currentNumberScheduled",
                "numberReady",
                "updatedNumberScheduled",
                "numberAvailable")) {
            assertThat(status.path(count).asInt()).as(count).isEqualTo(2);
        }

        cluster.patch(APPS + "daemonsets/web", MovingCluster.image("image:2"));
        assertThat(cluster.each(CORE + "pods", "/spec/containers/0/image")).containsExactly("image:2", "image:2");

        cluster.delete("/api/v1/nodes/second");
        assertThat(cluster.each(CORE + "pods", "/spec/nodeName")).containsExactly("node");
    }

    @Test
    void claimsAreBoundByTheirClass() {
        createClaim("");

        JsonNode claim = cluster.get(CLAIM);
        assertThat(claim.at("/status/phase").asText()).isEqualTo("Bound");
        assertThat(claim.at("/status/capacity/storage").asText()).isEqualTo("1Gi");
        assertThat(claim.at("/status/accessModes/0").asText()).isEqualTo("ReadWriteOnce");
        assertThat(claim.at("/spec/storageClassName").asText()).isEqualTo("standard");
        assertThat(claim.at("/spec/volumeName").asText()).isEqualTo("pvc-default-c");
    }

    @Test
    void claimsWaitForTheirClassAndGrowOnlyWhereItAllowsThat() {
        createClaim("'storageClassName': 'slow',");
        assertThat(cluster.status(CLAIM).path("phase").asText()).isEqualTo("Pending");

        cluster.create(
                "/apis/storage.k8s.io/v1/storageclasses",
                "{'metadata': {'name': 'slow'}, 'provisioner': 'example.com/p'}");
        assertThat(cluster.status(CLAIM).path("phase").asText()).isEqualTo("Bound");

        cluster.patch(CLAIM, "{'spec': {'resources': {'requests': {'storage': '2Gi'}}}}");
        assertThat(cluster.status(CLAIM).at("/capacity/storage").asText()).isEqualTo("1Gi");
    }

    @Test
    void claimsAreBoundAndResizedAfterATime() {
        cluster.server.world().when(Step.BOUND, "PersistentVolumeClaim", "c").after(Duration.ofSeconds(5));
        cluster.server.world().when(Step.RESIZED, "PersistentVolumeClaim", "c").after(Duration.ofSeconds(5));
        createClaim("");
        assertThat(cluster.status(CLAIM).path("phase").asText()).isEqualTo("Pending");
        cluster.advance(Duration.ofSeconds(5));
        assertThat(cluster.status(CLAIM).path("phase").asText()).isEqualTo("Bound");

        for (int size = 2; size < 4; size++) {
            cluster.patch(CLAIM, "{'spec': {'resources': {'requests': {'storage': '" + size + "Gi'}}}}");
            assertThat(cluster.status(CLAIM).at("/capacity/storage").asText()).isEqualTo(size - 1 + "Gi");
            cluster.advance(Duration.ofSeconds(5));
            assertThat(cluster.status(CLAIM).at("/capacity/storage").asText()).isEqualTo(size + "Gi");
        }
    }
}
