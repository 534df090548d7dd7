package io.controllermanager.app.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.EventsV1Api;
import io.kubernetes.client.openapi.models.EventsV1Event;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;

/** Where a scenario plays: a release whose pods work in one namespace, and who looks at that. For one thread. */
final class Stage {

    private final TestCluster cluster;
    private final Release release;
    private final AuditTrail trail;
    private final String watched;
    private final String operator;
    private final Set<String> restarted = new HashSet<>();
    private @Nullable RenderedPod pod;

    /**
     * With nobody on it.
     *
     * @param watched the namespace where the controllers' objects are
     * @param operator the token of somebody who may use all endpoints
     */
    Stage(TestCluster cluster, Release release, AuditTrail trail, String watched, String operator) {
        this.cluster = cluster;
        this.release = release;
        this.trail = trail;
        this.watched = watched;
        this.operator = operator;
    }

    /** The pod that works from now on. */
    void enter(RenderedPod next) {
        pod = next;
    }

    RenderedPod pod() {
        return Objects.requireNonNull(pod, "nobody works yet");
    }

    TestCluster cluster() {
        return cluster;
    }

    ApiClient admin() {
        return cluster.admin();
    }

    Release release() {
        return release;
    }

    String watched() {
        return watched;
    }

    String get(RenderedPod asked, String path) {
        return asked.get(path, operator).body();
    }

    /** Has a controller begin anew; once only while the same rights are missing. */
    void restart(String controller) {
        if (restarted.add(controller)) {
            act(controller, "stop");
            act(controller, "start");
        }
    }

    /** Does something to a controller of the pod, as an operator would. */
    private void act(String controller, String action) {
        RenderedPod.Answer answer =
                pod().post("/actuator/controllers/" + controller, operator, "{\"action\":\"" + action + "\"}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    /** Expects that the pod is not ready and tells which right a copy of its wants for. */
    void expectMissing(Right right) {
        assertThat(pod().isReady()).as("ready").isFalse();
        assertThat(missing())
                .as("missing permissions")
                .anyMatch(line -> line.contains("verb=\"" + right.verb() + "\"")
                        && line.contains("resource=\"" + right.resource()));
    }

    void expectNothingMissing() {
        assertThat(missing()).as("missing permissions").isEmpty();
        assertThat(pod().isReady()).as("ready").isTrue();
    }

    private List<String> missing() {
        RenderedPod.Answer answer = pod().get("/actuator/prometheus", operator);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body()
                .lines()
                .filter(line -> line.startsWith("reflector_missing_permission{"))
                .toList();
    }

    /**
     * Takes rights away, has something happen that needs each, and waits for its refusal; then something that the scenario
     * expects has not come about. With the rights back, it does.
     */
    void without(List<Proof> proofs) throws Exception {
        for (Proof proof : proofs) {
            run(proof.prepared());
        }
        restarted.clear();
        Map<Right, Long> before =
                proofs.stream().collect(Collectors.toMap(Proof::right, proof -> trail.refusals(proof.refused())));
        List<Right> rights = proofs.stream().map(Proof::right).toList();
        release.remove(rights);
        try {
            for (Proof proof : proofs) {
                run(proof.cause());
                soon(
                        "without the right to " + proof.right() + " something is refused",
                        () -> assertThat(trail.refusals(proof.refused())).isGreaterThan(before.get(proof.right())));
                soon("without the right to " + proof.right() + ": " + proof.failure(), proof.seen());
            }
        } finally {
            release.restore(rights);
        }
        for (Proof proof : proofs) {
            soon("all is well with the right to " + proof.right(), proof.healed());
        }
    }

    private static void run(ThrowingRunnable what) throws Exception {
        try {
            what.run();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Waits for it, whatever the API server refuses meanwhile. */
    static void soon(String what, ThrowingRunnable assertion) {
        await(what).ignoreExceptionsInstanceOf(ApiException.class).untilAsserted(assertion);
    }

    /** The Events of a namespace about an object for a reason. */
    List<EventsV1Event> events(String namespace, String name, String reason) throws ApiException {
        return new EventsV1Api(admin())
                .listNamespacedEvent(namespace).execute().getItems().stream()
                        .filter(event -> event.getRegarding() != null
                                && name.equals(event.getRegarding().getName()))
                        .filter(event -> reason.equals(event.getReason()))
                        .toList();
    }

    void expectEvent(String name, String reason) throws ApiException {
        assertThat(events(watched, name, reason))
                .as("Events %s of %s", reason, name)
                .isNotEmpty();
    }

    void expectEvents(String name, String reason, int count) throws ApiException {
        assertThat(events(watched, name, reason))
                .as("Events %s of %s", reason, name)
                .hasSize(count);
    }

    void expectNoEvent(String name, String reason) throws ApiException {
        assertThat(events(watched, name, reason))
                .as("Events %s of %s", reason, name)
                .isEmpty();
    }

    /** Expects that an Event has become a series. */
    void expectSeries(String name, String reason) throws ApiException {
        assertThat(events(watched, name, reason))
                .as("series of Events %s of %s", reason, name)
                .anyMatch(event -> event.getSeries() != null);
    }

    void expectNoSeries(String name, String reason) throws ApiException {
        assertThat(events(watched, name, reason))
                .as("Events %s of %s", reason, name)
                .isNotEmpty()
                .allMatch(event -> event.getSeries() == null);
    }
}
