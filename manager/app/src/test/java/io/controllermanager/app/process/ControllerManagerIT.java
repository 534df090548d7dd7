package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.EventsV1Api;
import io.kubernetes.client.openapi.models.V1Lease;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ControllerManagerIT extends SamplesFixture {

    @Test
    void reconcilesWhatIsSwitchedOnAndReleasesItsLease() throws Exception {
        try (RunningJar jar = RunningJar.startExecutable(
                directory, arguments("first", "--controllers=*,-network", "--concurrent-foo-syncs=3"))) {
            jar.awaitStatus("/actuator/health/readiness", 200);
            // Another test may have made the Deployment.
            await("it leads").until(() -> jar.body("/actuator/leaderelection").contains("\"leading\":true"));
            await("the Deployment is there")
                    .until(() -> new AppsV1Api(client)
                            .listNamespacedDeployment(namespace).execute().getItems().stream()
                                    .anyMatch(deployment -> "example-foo"
                                            .equals(Objects.requireNonNull(deployment.getMetadata())
                                                    .getName())));
            assertThat(jar.body("/actuator/controllers"))
                    .contains("\"name\":\"network\",\"state\":\"DISABLED\"")
                    .contains("\"workers\":3");
            assertThat(jar.body("/actuator/informers"))
                    .contains("foos.samplecontroller.k8s.io")
                    .doesNotContain("networks")
                    // All that the metrics have.
                    .contains(
                            "\"objects\":1,",
                            "\"approximateBytes\":",
                            "\"resourceVersion\":\"",
                            "\"resourceVersionAge\":\"PT",
                            "\"lists\":1,",
                            "\"lastListDuration\":\"PT",
                            "\"lastListItems\":",
                            "\"watches\":",
                            "\"watchEnds\":{\"cut\":",
                            "\"events\":{\"ADDED\":",
                            "\"undecodable\":0,",
                            "\"backlog\":",
                            "\"lag\":\"PT",
                            "\"failures\":0",
                            "\"sinceLastMessage\":\"PT");
            await("it leads")
                    .untilAsserted(() -> assertThat(jar.body("/actuator/leaderelection"))
                            .contains("\"leading\":true", namespace + "/first"));
            // Asked for beside the answer, and part of the next.
            await("the API server's version is known")
                    .until(() -> jar.body("/actuator/info").contains("\"kubernetes\":\"" + plane.version() + "\""));
            assertThat(jar.body("/actuator/info"))
                    .contains("\"controllerManager\":\"" + System.getProperty("project.version") + "\"");
            assertMetrics(jar.body("/actuator/prometheus"));
            await("an Event tells who leads")
                    .until(() -> leadershipEvents("first").anyMatch("became leader"::equals));
            jar.terminate();
            assertThat(jar.exitCode()).isZero();
            assertThat(jar.err()).isEmpty();
            assertThat(holder("first")).isNullOrEmpty();
            // A process that ends gives its last Event two seconds: HandOverTest expects it, where the time is virtual.
            assertThat(leadershipEvents("first").distinct()).isSubsetOf("became leader", "stopped leading");
        }
    }

    @Test
    void anOperatorActsOnOneControllerOnceThatIsAllowed() throws Exception {
        try (RunningJar jar = start("forbidden")) {
            jar.awaitStatus("/actuator/health/readiness", 200);
            assertThat(jar.post("/actuator/controllers/foo", "{\"action\":\"pause\"}")
                            .statusCode())
                    .isEqualTo(405);
        }
        try (RunningJar jar = start("allowed", "--management.endpoint.controllers.access=unrestricted")) {
            await("foo works").until(() -> jar.body("/actuator/controllers/foo").contains("\"state\":\"RUNNING\""));
            assertThat(jar.post("/actuator/controllers/foo", "{\"action\":\"pause\"}")
                            .body())
                    .contains("\"state\":\"PAUSED\"");
            await("what was under way has ended")
                    .until(() -> jar.body("/actuator/controllers/foo/queue").contains("\"processingKeys\":0"));
            assertThat(jar.post(
                                    "/actuator/controllers/foo",
                                    "{\"action\":\"reconcile\",\"key\":\"" + namespace + "/example-foo\"}")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(jar.body("/actuator/controllers/foo/queue")).contains("\"depthByPriority\":{\"100\":1");
            assertThat(jar.post("/actuator/controllers/foo", "{\"action\":\"resize\",\"workers\":5}")
                            .body())
                    .contains("\"workers\":5");
            assertThat(jar.post("/actuator/controllers/foo", "{\"action\":\"resume\"}")
                            .body())
                    .contains("\"state\":\"RUNNING\"");
            assertThat(jar.post("/actuator/controllers/foo", "{\"action\":\"stop\"}")
                            .body())
                    .contains("\"state\":\"STOPPED\"");
            assertThat(jar.body("/actuator/informers")).contains("networks").doesNotContain("foos.samplecontroller");
            assertThat(jar.post("/actuator/controllers/foo", "{\"action\":\"pause\"}"))
                    .isEqualTo(new HttpAnswer(409, "{\"error\":\"controller \\\"foo\\\" is stopped\"}"));
            assertThat(jar.post("/actuator/controllers/fo", "{\"action\":\"pause\"}")
                            .statusCode())
                    .isEqualTo(404);
            assertThat(jar.post("/actuator/controllers/foo", "{\"action\":\"dance\"}")
                            .statusCode())
                    .isEqualTo(400);
            jar.post("/actuator/controllers/foo", "{\"action\":\"start\"}");
            await("foo works again")
                    .until(() -> jar.body("/actuator/controllers/foo").contains("\"state\":\"RUNNING\""));
            assertThat(jar.status("/actuator/health/readiness")).isEqualTo(200);
        }
    }

    @Test
    void leavesWithCode2WhenToldToOnLossOfLeadership() throws Exception {
        try (RunningJar jar = start("second", "--controller-manager.leader-election.on-loss=exit")) {
            await("it leads").until(() -> jar.body("/actuator/leaderelection").contains("\"leading\":true"));
            await("another takes the Lease")
                    .ignoreExceptionsInstanceOf(ApiException.class)
                    .until(() -> {
                        V1Lease lease = lease("second");
                        Objects.requireNonNull(lease.getSpec()).setHolderIdentity("somebody-else");
                        new CoordinationV1Api(client)
                                .replaceNamespacedLease("second", namespace, lease)
                                .execute();
                        return true;
                    });
            assertThat(jar.exitCode()).isEqualTo(2);
        }
    }

    private RunningJar start(String lease, String... more) throws IOException, InterruptedException {
        return RunningJar.start(directory, arguments(lease, more));
    }

    private void assertMetrics(String metrics) throws IOException, InterruptedException {
        assertThat(metrics)
                .contains(
                        "workqueue_depth{controller=\"foo\",name=\"foo\",priority=\"0\"}",
                        "workqueue_adds_total{controller=\"foo\",name=\"foo\"}",
                        "workqueue_queue_duration_seconds_bucket{controller=\"foo\",name=\"foo\",le=",
                        "workqueue_work_duration_seconds_bucket{controller=\"foo\",name=\"foo\",le=",
                        "workqueue_unfinished_work_seconds{controller=\"foo\",name=\"foo\"}",
                        "workqueue_longest_running_processor_seconds{controller=\"foo\",name=\"foo\"}",
                        "workqueue_retries_total{controller=\"foo\",name=\"foo\"}",
                        "controller_runtime_reconcile_total{controller=\"foo\",result=\"success\"}",
                        "controller_runtime_reconcile_errors_total{controller=\"foo\"}",
                        "controller_runtime_reconcile_time_seconds_bucket{controller=\"foo\",le=",
                        "controller_runtime_reconcile_panics_total{controller=\"foo\"}",
                        "controller_runtime_terminal_reconcile_errors_total{controller=\"foo\"}",
                        "controller_runtime_reconcile_timeouts_total{controller=\"foo\"}",
                        "controller_runtime_max_concurrent_reconciles{controller=\"foo\"} 3",
                        "controller_runtime_active_workers{controller=\"foo\"}",
                        "leader_election_master_status{name=\"first\"} 1",
                        "leader_election_slowpath_total{name=\"first\"}",
                        "leader_election_transitions_total{name=\"first\"} 0",
                        "leader_election_renew_failures_total{name=\"first\"} 0",
                        "leader_election_renew_duration_seconds_count{name=\"first\"}",
                        "leader_election_last_renewal_seconds{name=\"first\"} ",
                        "rest_client_requests_total{code=\"200\",host=",
                        "rest_client_request_duration_seconds_bucket{host=");
        assertThat(problems(metrics))
                .as("what promtool check metrics would say")
                .isEmpty();
    }

    private String problems(String metrics) throws IOException, InterruptedException {
        Process linter = new ProcessBuilder(
                        plane.binaries().program("check-metrics").toString())
                .redirectErrorStream(true)
                .start();
        try (OutputStream scrape = linter.getOutputStream()) {
            scrape.write(metrics.getBytes(StandardCharsets.UTF_8));
        }
        String problems = new String(linter.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(linter.waitFor()).as("exit code; it said: " + problems).isZero();
        return problems;
    }

    /** What the Events of a Lease say of whoever held it. */
    private Stream<String> leadershipEvents(String lease) throws ApiException {
        return new EventsV1Api(client)
                .listNamespacedEvent(namespace).execute().getItems().stream()
                        .filter(event -> event.getRegarding() != null
                                && "Lease".equals(event.getRegarding().getKind())
                                && lease.equals(event.getRegarding().getName()))
                        .map(event -> String.valueOf(event.getNote()))
                        .map(note -> note.substring(note.indexOf(' ') + 1));
    }

    private String holder(String name) throws ApiException {
        return Objects.requireNonNull(lease(name).getSpec()).getHolderIdentity();
    }

    private V1Lease lease(String name) throws ApiException {
        return new CoordinationV1Api(client)
                .readNamespacedLease(name, namespace)
                .execute();
    }
}
