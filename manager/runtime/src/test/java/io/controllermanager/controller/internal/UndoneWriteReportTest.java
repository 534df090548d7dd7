package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import okhttp3.RequestBody;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A reconcile that wants 3 replicas, and somebody else. */
class UndoneWriteReportTest {

    private static final Request KEY = new Request("ns", "a");
    private static final ResourcePath DEPLOYMENT = new ResourcePath("apps", "v1", "deployments", "ns", "a", null);

    private final VirtualTime time = new VirtualTime();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final List<String> events = new ArrayList<>();
    private final List<String> read = new ArrayList<>();
    private @Nullable String object;
    private int version;

    private final KeyMemories memories = new KeyMemories();
    private final UndoneWriteReport report =
            new UndoneWriteReport("foo", memories, time, new NotingRecorder(), registry, request -> {
                read.add(request.method() + " " + request.url());
                return object;
            });

    @Test
    void saysWhoChangesItBack() {
        fight("kubectl-edit");
        assertThat(events).isEmpty();

        reconcile();
        assertThat(read).containsExactly("GET https://server/apis/apps/v1/namespaces/ns/deployments/a");
        assertThat(events)
                .containsExactly(
                        "Deployment ns/a WritesUndone kubectl-edit changes back what foo writes, again and again; "
                                + "foo waits up to 60 s before it writes again");
        assertThat(registry.scrape().lines())
                .contains("controller_manager_undone_writes_total{controller=\"foo\",manager=\"kubectl-edit\"} 1.0");

        // The same words, so that the Event is counted.
        undo("kubectl-edit");
        time.advance(report.remaining(KEY));
        reconcile();
        assertThat(events).hasSize(2);
        assertThat(events.get(1)).isEqualTo(events.get(0));
        assertThat(report.remaining(KEY)).isEqualTo(UndoneWrites.pause(UndoneWrites.MANY + 2));
    }

    @Test
    void noOtherKeyPauses() {
        fight("kubectl-edit");
        assertThat(report.remaining(new Request("ns", "b"))).isZero();
        assertThat(report.remaining(KEY)).isPositive();
        time.advance(report.remaining(KEY));
        assertThat(report.remaining(KEY)).isZero();
    }

    @Test
    void whoIsAskedForByAnOperatorDoesNotPause() {
        fight("kubectl-edit");
        report.waive(KEY);
        assertThat(report.remaining(KEY)).isZero();
    }

    @Test
    void saysNothingOfWhatNobodyHasUndoneSince() {
        fight("kubectl-edit");
        object = own();
        reconcile();
        assertThat(read).hasSize(1);
        assertThat(events).isEmpty();
    }

    @Test
    void anotherProcessMayHaveThisOnesName() {
        fight("controller-manager");
        reconcile();
        assertThat(events).singleElement().asString().contains("controller-manager changes back");
    }

    @Test
    void whereTheObjectCannotBeReadNobodyIsNamed() {
        fight("kubectl-edit");
        object = null;
        reconcile();
        assertThat(events).singleElement().asString().contains("unknown changes back");
    }

    @Test
    void whatIsWrittenOutsideOfAReconcileIsNobodys() {
        assertThat(report.observes(patch(), DEPLOYMENT)).isFalse();
    }

    @Test
    void aNewObjectOfTheNameDoesNotPause() {
        fight("kubectl-edit");
        memories.forget(KEY);
        assertThat(report.remaining(KEY)).isZero();
        reconcile();
        assertThat(read).isEmpty();
    }

    /** Up to the first pause, which then is over; the last word is the other's. */
    private void fight(String manager) {
        for (int i = 0; i <= UndoneWrites.MANY; i++) {
            assertThat(report.remaining(KEY)).isZero();
            reconcile();
            undo(manager);
        }
        assertThat(report.remaining(KEY)).isEqualTo(UndoneWrites.pause(UndoneWrites.MANY));
    }

    private void reconcile() {
        report.during(KEY, () -> {
            version++;
            assertThat(report.observes(patch(), DEPLOYMENT)).isTrue();
            report.written(patch(), DEPLOYMENT, JsonParser.parseString(own()).getAsJsonObject());
            return "done";
        });
    }

    private void undo(String manager) {
        version++;
        object =
                json(1, entry("controller-manager", "{\"f:labels\":{}}") + "," + entry(manager, "{\"f:replicas\":{}}"));
    }

    private String own() {
        return json(3, entry("controller-manager", "{\"f:labels\":{},\"f:replicas\":{}}"));
    }

    private String json(int replicas, String managers) {
        return """
                {"apiVersion": "apps/v1", "kind": "Deployment",
                 "metadata": {"namespace": "ns", "name": "a", "uid": "u", "resourceVersion": "%d", "generation": %1$d,
                              "managedFields": [%s, %s]},
                 "spec": {"replicas": %d}}
                """.formatted(version, entry("kube-controller-manager", "{\"f:status\":{}}"), managers, replicas);
    }

    private String entry(String manager, String fields) {
        return "{\"manager\":\"%s\",\"operation\":\"Update\",\"time\":\"t%d\",\"fieldsV1\":%s}"
                .formatted(manager, version, fields);
    }

    private static okhttp3.Request patch() {
        return new okhttp3.Request.Builder()
                .url("https://server/apis/apps/v1/namespaces/ns/deployments/a?fieldValidation=Warn")
                .header("User-Agent", "controller-manager/0.1")
                .patch(RequestBody.create("{}", null))
                .build();
    }

    private final class NotingRecorder implements EventRecorder {

        @Override
        public void normal(KubernetesObject regarding, String reason, String note) {
            throw new AssertionError(note);
        }

        @Override
        public void warning(KubernetesObject regarding, String reason, String note) {
            events.add(regarding.getKind() + " " + regarding.getMetadata().getNamespace() + "/"
                    + regarding.getMetadata().getName() + " " + reason + " " + note);
        }
    }
}
