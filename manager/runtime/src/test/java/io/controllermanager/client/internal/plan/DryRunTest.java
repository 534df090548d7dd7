package io.controllermanager.client.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.writes.WriteRecording;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AuthorizationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1ResourceAttributes;
import io.kubernetes.client.openapi.models.V1SelfSubjectAccessReview;
import io.kubernetes.client.openapi.models.V1SelfSubjectAccessReviewSpec;
import java.util.List;
import java.util.Map;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is planned by one write is there for the next, and nothing is changed. */
class DryRunTest {

    private final ApiServer server = ApiServer.start();
    private final SystemTimer timer = new SystemTimer("dry-run-test");
    private final Plan plan = new Plan();
    private final ApiConnection connection = ApiConnection.builder(Clock.system(), timer)
            .apiClient(server.client())
            .dryRun(plan)
            .build();
    private final ResourceClient<V1ConfigMap> maps =
            new ResourceClient<>(connection.apiClient(), ResourceTypes.CONFIG_MAP);
    private final ResourceClient<V1ConfigMap> real = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    private WriteRecording recording = server.recordWrites();

    @AfterEach
    void close() {
        recording.close();
        connection.close();
        timer.close();
        server.close();
    }

    private static V1ConfigMap map(String name, String key, String value) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace("default").name(name))
                .data(Map.of(key, value));
    }

    private static Patch merge(String json) {
        return new Patch.Merge(json.replace('\'', '"'));
    }

    private static Patch apply(String manager, String data) {
        String json = "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'},'data':%s}".formatted(data);
        return new Patch.Apply(json.replace('\'', '"'), manager, true);
    }

    /** How the only planned object would differ, after it was seen that none has changed. */
    private List<String> planned(String action) {
        assertThat(recording.writes()).as("written by the dry run").isEmpty();
        PlanReport.Change change = plan.report(List.of(), List.of()).changes().get(0);
        assertThat(change.action()).isEqualTo(action);
        return Difference.texts(change.differences());
    }

    private void record() {
        recording.close();
        recording = server.recordWrites();
    }

    private void given(V1ConfigMap object) throws ApiException {
        real.create(object);
        record();
    }

    @Test
    void aMergePatchComesOnTopOfAnother() throws ApiException {
        given(map("a", "x", "1"));
        maps.patch("default", "a", merge("{'data':{'x':'2'}}"));
        V1ConfigMap answer = maps.patch("default", "a", merge("{'data':{'y':'1'}}"));
        assertThat(answer.getData()).containsOnly(Map.entry("x", "2"), Map.entry("y", "1"));
        assertThat(maps.get("default", "a")).isEqualTo(answer);
        assertThat(planned("change")).containsExactly("data.x: \"1\" -> \"2\"", "data.y: \"1\"");
    }

    @Test
    void whatIsChangedBackIsNoChange() throws ApiException {
        given(map("a", "x", "1"));
        maps.patch("default", "a", merge("{'data':{'x':'2'}}"));
        maps.patch("default", "a", merge("{'data':{'x':'1'}}"));
        assertThat(plan.report(List.of(), List.of()).changes()).isEmpty();
    }

    @Test
    void anUpdateHoldsForThePlannedVersionOnly() throws ApiException {
        given(map("a", "x", "1"));
        V1ConfigMap before = maps.get("default", "a");
        V1ConfigMap answer = maps.patch("default", "a", merge("{'data':{'x':'2'}}"));
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> maps.update(before.data(Map.of("x", "3"))))
                .satisfies(e -> assertThat(e.getCode()).isEqualTo(409));
        maps.update(answer.data(Map.of("x", "4")));
        assertThat(planned("change")).containsExactly("data.x: \"1\" -> \"4\"");
    }

    @Test
    void anApplyLeavesWhatOthersHavePlanned() throws ApiException {
        given(map("a", "x", "1"));
        maps.patch("default", "a", apply("one", "{'p':'1','q':'1'}"));
        maps.patch("default", "a", merge("{'data':{'y':'1'}}"));
        maps.patch("default", "a", apply("two", "{'z':'1'}"));
        maps.patch("default", "a", apply("one", "{'p':'2'}"));
        assertThat(planned("change")).containsExactlyInAnyOrder("data.p: \"2\"", "data.y: \"1\"", "data.z: \"1\"");
    }

    @Test
    void aPlannedObjectIsChangedAndDeleted() throws ApiException {
        String uid = maps.create(map("a", "x", "1")).getMetadata().getUid();
        maps.patch("default", "a", merge("{'data':{'y':'1'}}"));
        V1ConfigMap answer = maps.patch("default", "a", apply("one", "{'z':'1'}"));
        assertThat(answer.getMetadata().getUid()).isEqualTo(uid);
        assertThat(planned("create")).contains("data.x: \"1\"", "data.y: \"1\"", "data.z: \"1\"");
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> maps.create(map("a", "x", "1")))
                .satisfies(e -> assertThat(e.getCode()).isEqualTo(409));
        assertThat(maps.delete("default", "a", uid)).isTrue();
        assertThat(maps.delete("default", "a")).isFalse();
        assertThat(plan.report(List.of(), List.of()).changes()).isEmpty();
    }

    @Test
    void aDeletedObjectIsGoneAndMadeAgain() throws ApiException {
        given(map("a", "x", "1"));
        assertThat(maps.delete("default", "a")).isTrue();
        assertThat(maps.get("default", "a")).isNull();
        assertThat(planned("delete")).isEmpty();
        maps.create(map("a", "x", "2"));
        maps.patch("default", "a", merge("{'data':{'y':'1'}}"));
        assertThat(planned("change")).containsExactly("data.x: \"1\" -> \"2\"", "data.y: \"1\"");
        assertThat(plan.report(List.of(), List.of()).changes().get(0))
                .matches(PlanReport.Change::replaced)
                .matches(PlanReport.Change::unchecked);
    }

    @Test
    void aPlannedFinalizerKeepsAnObject() throws ApiException {
        given(map("a", "x", "1"));
        maps.patch("default", "a", merge("{'metadata':{'finalizers':['example.com/f']}}"));
        maps.delete("default", "a");
        V1ConfigMap left = maps.get("default", "a");
        assertThat(left.getMetadata().getDeletionTimestamp()).isNotNull();
        maps.patch("default", "a", merge("{'metadata':{'finalizers':null}}"));
        assertThat(maps.get("default", "a")).isNull();
        assertThat(planned("delete")).isEmpty();
    }

    @Test
    void theStatusOfWhatIsOnlyPlannedStaysHere() throws ApiException {
        ResourceClient<V1Pod> pods = new ResourceClient<>(connection.apiClient(), ResourceTypes.POD);
        V1Pod pod = new V1Pod()
                .metadata(new V1ObjectMeta().namespace("default").name("p"))
                .spec(new V1PodSpec()
                        .containers(List.of(new V1Container().name("c").image("i"))));
        pods.create(pod);
        V1Pod answer = pods.patchStatus("default", "p", merge("{'status':{'message':'hello'}}"));
        assertThat(answer.getStatus().getMessage()).isEqualTo("hello");
        pods.patch("default", "p", merge("{'metadata':{'labels':{'a':'b'}}}"));
        assertThat(planned("create")).contains("status.message: \"hello\"", "metadata.labels.a: \"b\"");
    }

    @Test
    void whatOthersChangeMeanwhileIsUnderWhatIsPlanned() throws ApiException {
        given(map("a", "x", "1"));
        maps.patch("default", "a", merge("{'data':{'x':'2'}}"));
        real.patch("default", "a", merge("{'data':{'other':'1'}}"));
        record();
        maps.patch("default", "a", merge("{'data':{'y':'1'}}"));
        assertThat(planned("change")).containsExactly("data.x: \"1\" -> \"2\"", "data.y: \"1\"");
    }

    @Test
    void aNameIsMadeForWhatHasNone() throws ApiException {
        V1ConfigMap nameless = new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace("default").generateName("a-"));
        String first = maps.create(nameless).getMetadata().getName();
        maps.patch("default", first, merge("{'data':{'y':'1'}}"));
        assertThat(maps.create(nameless).getMetadata().getName())
                .startsWith("a-")
                .isNotEqualTo(first);
        assertThat(maps.get("default", first).getData()).containsOnly(Map.entry("y", "1"));
        assertThat(plan.report(List.of(), List.of()).changes()).hasSize(2);
    }

    @Test
    void whatMayNotBeReadAloneIsListed() throws ApiException {
        given(map("a", "x", "1"));
        ApiClient client = server.client();
        client.setHttpClient(client.getHttpClient()
                .newBuilder()
                .addNetworkInterceptor(chain -> {
                    Response answer = chain.proceed(chain.request());
                    boolean alone = chain.request().method().equals("GET")
                            && chain.request().url().encodedPath().endsWith("/a");
                    return alone ? answer.newBuilder().code(403).build() : answer;
                })
                .build());
        try (ApiConnection listing = ApiConnection.builder(Clock.system(), timer)
                .apiClient(client)
                .dryRun(plan)
                .build()) {
            new ResourceClient<V1ConfigMap>(listing.apiClient(), ResourceTypes.CONFIG_MAP)
                    .patch("default", "a", merge("{'data':{'x':'2'}}"));
        }
        assertThat(planned("change")).containsExactly("data.x: \"1\" -> \"2\"");
    }

    @Test
    void whatCannotBeADryRunIsRefused() {
        CoreV1Api core = new CoreV1Api(connection.apiClient());
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() ->
                        core.deleteCollectionNamespacedConfigMap("default").execute())
                .withMessageContaining("was not sent: this is a dry run, and it is of a whole collection");
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> core.patchNamespacedPodEphemeralcontainers("p", "default", new V1Patch("{}"))
                        .execute())
                .withMessageContaining("of the subresource ephemeralcontainers nothing can be planned");
        PlanReport report = plan.report(List.of(), List.of());
        assertThat(report.unknown()).hasSize(2);
        assertThat(report.exitCode()).isEqualTo(PlanReport.FAILED);
    }

    @Test
    void aReviewIsLetThrough() throws ApiException {
        V1SelfSubjectAccessReview review = new V1SelfSubjectAccessReview()
                .spec(new V1SelfSubjectAccessReviewSpec()
                        .resourceAttributes(
                                new V1ResourceAttributes().resource("pods").verb("get")));
        assertThat(new AuthorizationV1Api(connection.apiClient())
                        .createSelfSubjectAccessReview(review)
                        .execute()
                        .getStatus()
                        .getAllowed())
                .isTrue();
    }
}
