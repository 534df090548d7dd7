package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the server adds to an object that is created, beyond the defaults of its type, and warns of. */
class AdmissionContractTest extends Contract {

    private final String pods = of("v1", "pods");

    AdmissionContractTest(TestedServer server) {
        super(server);
        // It is there sooner or later where controllers make it, and without it the real server takes no Pod.
        api.create(of("v1", "serviceaccounts"), json("{'metadata':{'name':'default'}}"));
    }

    private Reply createPod(String rest) {
        return api.create(pods + "?fieldManager=m", json("""
                        {'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i:1'}]%s}}""", rest)).ok();
    }

    @Test
    void givesAPodATokenAPriorityAndTolerations() {
        Reply pod = createPod("");
        String volume = pod.at("/spec/volumes/0/name");
        assertThat(volume).matches("kube-api-access-[a-z0-9]{5}");
        assertThat(pod.node("/spec/containers/0/volumeMounts"))
                .isEqualTo(json("""
                {'v':[{'name':'%s','mountPath':'/var/run/secrets/kubernetes.io/serviceaccount','readOnly':true}]}""", volume).path("v"));
        assertThat(pod.node("/spec/volumes/0/projected")).isEqualTo(json("""
                {'defaultMode':420,'sources':[
                  {'serviceAccountToken':{'expirationSeconds':3607,'path':'token'}},
                  {'configMap':{'name':'kube-root-ca.crt','items':[{'key':'ca.crt','path':'ca.crt'}]}},
                  {'downwardAPI':{'items':[
                    {'fieldRef':{'apiVersion':'v1','fieldPath':'metadata.namespace'},'path':'namespace'}]}}]}"""));
        assertThat(pod.at("/spec/serviceAccountName")).isEqualTo("default");
        assertThat(pod.at("/spec/serviceAccount")).isEqualTo("default");
        assertThat(pod.node("/spec/priority").asInt(-1)).isZero();
        assertThat(pod.at("/spec/preemptionPolicy")).isEqualTo("PreemptLowerPriority");
        assertThat(pod.node("/spec/tolerations")).isEqualTo(json("""
                {'v':[{'key':'node.kubernetes.io/not-ready','operator':'Exists','effect':'NoExecute','tolerationSeconds':300},
                 {'key':'node.kubernetes.io/unreachable','operator':'Exists','effect':'NoExecute','tolerationSeconds':300}]}""").path("v"));
        assertThat(pod.node("/metadata/managedFields").toString())
                .doesNotContain("f:tolerations", "f:volumes", "f:priority", "f:serviceAccount");
    }

    @Test
    void leavesWhatAPodSays() {
        Reply pod = createPod(",'automountServiceAccountToken':false,'priorityClassName':'system-node-critical',"
                + "'tolerations':[{'operator':'Exists'}]");
        assertThat(pod.node("/spec").has("volumes")).isFalse();
        assertThat(pod.node("/spec/priority").asInt()).isEqualTo(2_000_001_000);
        assertThat(pod.node("/spec/tolerations")).hasSize(1);
    }

    @Test
    void protectsClaimsAndVolumes() {
        Reply claim = api.create(of("v1", "persistentvolumeclaims") + "?fieldManager=m", json("""
                        {'metadata':{'name':'c'},'spec':{'accessModes':['ReadWriteOnce'],
                         'resources':{'requests':{'storage':'1Gi'}}}}"""))
                .ok();
        assertThat(claim.node("/metadata/finalizers").toString()).isEqualTo("[\"kubernetes.io/pvc-protection\"]");
        assertThat(claim.node("/metadata/managedFields").toString()).doesNotContain("f:finalizers");
        Reply volume =
                api.create("/api/v1/persistentvolumes?dryRun=All", json("""
                        {'metadata':{'name':'v','finalizers':['a.b/c']},'spec':{'accessModes':['ReadWriteOnce'],
                         'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x'}}}""")).ok();
        assertThat(volume.node("/metadata/finalizers").toString())
                .isEqualTo("[\"a.b/c\",\"kubernetes.io/pv-protection\"]");
    }

    @Test
    void notesWhoAsksForACertificate() {
        String request =
                "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQlpNQk1HQnlx"
                        + "R1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCRVh4WStvM1E5bmttNFJmUGRLa09TL1p0eWU2dG54anRWbFVoNHY3RS85bEJ1Rno5"
                        + "ZzgwcGVYNWlIQk9jd1hEClNMWXVqb0Z6UFJjTmVhZzQxVTlqallLZ0FEQUtCZ2dxaGtqT1BRUURBZ05JQURCRkFpQjlndytRZG9B"
                        + "amRHSlIKTWNhaEhPUzgvdFZxUEtUbmMyTU1TNDZPTldSUllBSWhBTk02NC9sS2hVb2RsOTE3bWJNblN2L3JqZSthVEdxawpwWWFY"
                        + "aHZlZVRIaFEKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";
        Reply created = api.create(
                        "/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All", json("""
                        {'metadata':{'name':'r'},'spec':{'signerName':'example.com/a','usages':['digital signature'],
                         'username':'another','request':'%s'}}""", request))
                .ok();
        JsonNode whoAmI = api.create(
                        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                        json("{'apiVersion':'authentication.k8s.io/v1','kind':'SelfSubjectReview'}"))
                .ok()
                .node("/status/userInfo");
        assertThat(created.at("/spec/username"))
                .isEqualTo(whoAmI.path("username").asText("none"));
        assertThat(created.node("/spec/groups")).isEqualTo(whoAmI.path("groups"));
    }

    @Test
    void warnsOfWhatIsDeprecated() {
        assertThat(api.get(of("v1", "endpoints")).ok().warnings())
                .containsExactly(
                        "299 - \"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\"");
        String group = namespace + ".example.com";
        String version = "{'name':'%s','served':true,'storage':%s%s,'schema':{'openAPIV3Schema':{'type':'object'}}}";
        String versions = String.join(
                ",",
                List.of(
                        version.formatted("v1", "true", ""),
                        version.formatted("v1beta1", "false", ",'deprecated':true"),
                        version.formatted(
                                "v1alpha1", "false", ",'deprecated':true,'deprecationWarning':'do not use this'")));
        api.create(DEFINITIONS, json("""
                        {'metadata':{'name':'things.%1$s'},'spec':{'group':'%1$s','scope':'Namespaced',
                         'names':{'plural':'things','kind':'Thing'},'versions':[%2$s]}}""", group, versions)).ok();
        eventually(() -> {
            assertThat(api.get(of(group + "/v1", "things")).ok().warnings()).isEmpty();
            assertThat(api.get(of(group + "/v1beta1", "things")).ok().warnings())
                    .containsExactly("299 - \"%1$s/v1beta1 Thing is deprecated; use %1$s/v1 Thing\"".formatted(group));
            assertThat(api.get(of(group + "/v1alpha1", "things")).ok().warnings())
                    .containsExactly("299 - \"do not use this\"");
        });
        api.delete(DEFINITIONS + "/things." + group).ok();
        eventually(() -> {
            Reply gone = api.get(of(group + "/v1", "things"));
            assertThat(gone.code()).isEqualTo(404);
            assertThat(gone.body().isMissingNode()).isTrue();
        });
    }
}
