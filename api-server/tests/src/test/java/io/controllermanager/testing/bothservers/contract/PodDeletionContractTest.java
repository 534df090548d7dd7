package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.bothservers.TestedServer;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Pod on a node has time to end, and no kubelet ends it here. */
class PodDeletionContractTest extends Contract {

    private static final String FORCED = "{'gracePeriodSeconds':0}";

    private final String pods = "/api/v1/namespaces/" + namespace + "/pods";
    private final String pod = pods + "/p";

    PodDeletionContractTest(TestedServer server) {
        super(server);
    }

    private Reply createPod(String metadata, String spec) {
        return api.create(
                        pods,
                        json(
                                "{'metadata':{%s'name':'p'},'spec':{%s'containers':[{'name':'c','image':'i:1'}]}}",
                                metadata, spec))
                .ok();
    }

    private Reply createOnNode() {
        return createPod("", "'nodeName':'n',");
    }

    private static long grace(Reply pod) {
        return pod.node("/metadata/deletionGracePeriodSeconds").asLong(-1);
    }

    private static Instant end(Reply pod) {
        return Instant.parse(pod.at("/metadata/deletionTimestamp"));
    }

    private void assertGone() {
        api.get(pod).refused(404, "NotFound");
    }

    private void force() {
        api.delete(pod, FORCED).ok();
        assertGone();
    }

    @Test
    void goesAtOnceWhereItIsOnNoNode() {
        createPod("", "");
        Reply deleted = api.delete(pod, "{'gracePeriodSeconds':100}").ok();
        assertThat(deleted.at("/kind")).isEqualTo("Pod");
        assertThat(grace(deleted)).isZero();
        assertThat(end(deleted)).isNotNull();
        assertThat(deleted.node("/metadata/generation").asInt()).isEqualTo(2);
        assertGone();
    }

    @Test
    void isSeenToEndByWatches() {
        String version = createPod("", "").version();
        api.delete(pod).ok();
        try (Watching watch = api.watch(pods + "?watch=true&resourceVersion=" + version)) {
            Watching.Event marked = watch.next();
            assertThat(marked.type()).isEqualTo("MODIFIED");
            assertThat(marked.object().at("/metadata/deletionTimestamp").asText())
                    .isNotEmpty();
            assertThat(watch.next().type()).isEqualTo("DELETED");
        }
    }

    @Test
    void waitsOnItsNode() {
        createOnNode();
        Reply deleted = api.delete(pod).ok();
        assertThat(deleted.code()).isEqualTo(200);
        assertThat(grace(deleted)).isEqualTo(30);
        assertThat(deleted.node("/metadata/generation").asInt()).isEqualTo(2);
        assertThat(end(deleted)).isAfter(Instant.parse(deleted.at("/metadata/creationTimestamp")));
        assertThat(api.get(pod).ok().version()).isEqualTo(deleted.version());
        force();
    }

    @Test
    void saysItselfHowLongItTakes() {
        createPod("", "'nodeName':'n','terminationGracePeriodSeconds':7,");
        assertThat(grace(api.delete(pod).ok())).isEqualTo(7);
        force();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Succeeded", "Failed"})
    void goesAtOnceWhenItHasEnded(String phase) {
        createOnNode();
        api.patch(pod + "/status", Api.MERGE_PATCH, "{'status':{'phase':'" + phase + "'}}")
                .ok();
        assertThat(grace(api.delete(pod).ok())).isZero();
        assertGone();
    }

    @Test
    void getsLessTimeByAnotherDeletionButNotMore() {
        createOnNode();
        Reply first = api.delete(pod + "?gracePeriodSeconds=600").ok();
        assertThat(grace(first)).isEqualTo(600);
        assertThat(api.delete(pod, "{'gracePeriodSeconds':700}").ok().version()).isEqualTo(first.version());
        assertThat(api.delete(pod, "{'propagationPolicy':'Foreground'}").ok().version())
                .isEqualTo(first.version());
        Reply second = api.delete(pod, "{'gracePeriodSeconds':500}").ok();
        assertThat(grace(second)).isEqualTo(500);
        assertThat(end(second)).isEqualTo(end(first).minusSeconds(100));
        assertThat(second.node("/metadata/generation").asInt()).isEqualTo(2);
        force();
    }

    @Test
    void getsOneSecondForATimeBelowNone() {
        createOnNode();
        assertThat(grace(api.delete(pod, "{'gracePeriodSeconds':-5}").ok())).isEqualTo(1);
        force();
    }

    @Test
    void takesNoTextForATime() {
        createOnNode();
        api.delete(pod + "?gracePeriodSeconds=soon").refused(400, "BadRequest");
        force();
    }

    @Test
    void waitsForItsFinalizersToo() {
        createPod("'finalizers':['example.com/f'],", "'nodeName':'n',");
        api.delete(pod, FORCED).ok();
        assertThat(grace(api.get(pod).ok())).isZero();
        api.patch(pod, Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}").ok();
        assertGone();
    }

    @Test
    void waitsOnItsNodeWithoutFinalizers() {
        createPod("'finalizers':['example.com/f'],", "'nodeName':'n',");
        api.delete(pod).ok();
        api.patch(pod, Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}").ok();
        api.get(pod).ok();
        force();
    }

    @Test
    void staysAfterADryRun() {
        createOnNode();
        assertThat(grace(api.delete(pod + "?dryRun=All&gracePeriodSeconds=9").ok()))
                .isEqualTo(9);
        assertThat(api.get(pod).ok().node("/metadata/deletionTimestamp").isMissingNode())
                .isTrue();
        api.delete(pod + "?dryRun=All&gracePeriodSeconds=0").ok();
        api.get(pod).ok();
        force();
    }

    @Test
    void getsItsTimeWhereAllAreDeleted() {
        createOnNode();
        assertThat(api.delete(pods + "?gracePeriodSeconds=8").ok().at("/kind")).isEqualTo("PodList");
        assertThat(grace(api.get(pod).ok())).isEqualTo(8);
        api.delete(pods, FORCED).ok();
        assertGone();
    }

    @Test
    void getsItsTimeWhereItsOwnerIsDeleted() {
        String owner = create("owner").uid();
        createPod(
                "'ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'owner','uid':'" + owner
                        + "','blockOwnerDeletion':true}],",
                "'nodeName':'n',");
        api.delete(configMap("owner"), "{'propagationPolicy':'Foreground'}").ok();
        eventually(() -> assertThat(grace(api.get(pod).ok())).isEqualTo(30));
        api.get(configMap("owner")).ok();
        force();
        eventually(() -> api.get(configMap("owner")).refused(404, "NotFound"));
    }

    @Test
    void holdsItsNamespace() {
        createPod("", "'nodeName':'n','terminationGracePeriodSeconds':1,");
        api.delete("/api/v1/namespaces/" + namespace).ok();
        eventually(() -> assertThat(grace(api.get(pod).ok())).isEqualTo(1));
        assertThat(api.get("/api/v1/namespaces/" + namespace).ok().at("/status/phase"))
                .isEqualTo("Terminating");
        force();
        eventually(() -> api.get("/api/v1/namespaces/" + namespace).refused(404, "NotFound"));
    }
}
