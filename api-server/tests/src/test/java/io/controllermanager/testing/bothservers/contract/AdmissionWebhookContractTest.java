package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Webhooks of admission: when they are asked, with what, and what becomes of their answers. */
class AdmissionWebhookContractTest extends Contract {

    private static final String CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/";
    private static final String MUTATING = "mutatingwebhookconfigurations";
    private static final String VALIDATING = "validatingwebhookconfigurations";

    private static final String ALL_CONFIG_MAPS =
            "'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['configmaps'],'operations':['*']}]";

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<String> installed = new ArrayList<>();

    AdmissionWebhookContractTest(TestedServer server) {
        super(server);
    }

    @AfterEach
    void clean() throws Exception {
        installed.forEach(api::delete);
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private TestWebhook webhook(Function<ObjectNode, String> answer) {
        TestWebhook webhook = new TestWebhook(answer);
        open.add(webhook);
        return webhook;
    }

    /** A webhook's entry that is about this case's namespace alone. */
    private String hook(String name, String clientConfig, String fields) {
        return ("{'name':'%s.example.com','clientConfig':%s,'sideEffects':'None','admissionReviewVersions':['v1'],%s,"
                        + "'namespaceSelector':{'matchLabels':{'kubernetes.io/metadata.name':'%s'}}}")
                .formatted(name, clientConfig, fields, namespace);
    }

    /** Installs webhooks, and waits until the server goes by them: one more refuses Secrets that are labelled. */
    private void install(String plural, String name, String... hooks) {
        TestWebhook refusing = webhook(TestWebhook.admission("'allowed':false,'status':{'message':'installed'}"));
        String secrets = ALL_CONFIG_MAPS.replace("configmaps", "secrets");
        String labelled = ",'objectSelector':{'matchLabels':{'for':'" + name + "'}}";
        String last = hook(name + ".last", refusing.clientConfig(), secrets + labelled);
        String all = Stream.concat(Stream.of(hooks), Stream.of(last)).collect(Collectors.joining(","));
        String path = CONFIGURATIONS + plural;
        api.create(path, json("{'metadata':{'name':'%s'},'webhooks':[%s]}", name + "." + namespace, all))
                .ok();
        installed.add(path + "/" + name + "." + namespace);
        ObjectNode secret = json("{'metadata':{'name':'s','labels':{'for':'%s'}}}", name);
        eventually(() -> assertThat(
                        api.create(of("v1", "secrets") + "?dryRun=All", secret).message())
                .contains(name + ".last.example.com\" denied the request: installed"));
    }

    private TestWebhook validating(Function<ObjectNode, String> answer, String fields) {
        TestWebhook webhook = webhook(answer);
        install(VALIDATING, "v", hook("v", webhook.clientConfig(), fields));
        webhook.forget();
        return webhook;
    }

    private TestWebhook mutating(Function<ObjectNode, String> answer, String fields) {
        TestWebhook webhook = webhook(answer);
        install(MUTATING, "m", hook("m", webhook.clientConfig(), fields));
        webhook.forget();
        return webhook;
    }

    private static void asks(JsonNode request, String expected) {
        json(expected)
                .properties()
                .forEach(field -> assertThat(request.path(field.getKey()))
                        .as(field.getKey())
                        .isEqualTo(field.getValue()));
    }

    @Test
    void asksAboutEachWrite() {
        TestWebhook webhook = validating(TestWebhook.allows(), ALL_CONFIG_MAPS);
        api.create(configMaps() + "?fieldManager=m", newConfigMap("a")).ok();
        JsonNode created = webhook.last();
        asks(created, """
                {'kind':{'group':'','version':'v1','kind':'ConfigMap'},
                 'resource':{'group':'','version':'v1','resource':'configmaps'},
                 'requestKind':{'group':'','version':'v1','kind':'ConfigMap'},
                 'requestResource':{'group':'','version':'v1','resource':'configmaps'},
                 'name':'a','namespace':'%s','operation':'CREATE','oldObject':null,'dryRun':false,
                 'options':{'kind':'CreateOptions','apiVersion':'meta.k8s.io/v1','fieldManager':'m'}}""".formatted(namespace));
        assertThat(created.has("subResource")).isFalse();
        assertThat(created.at("/userInfo/username").asText()).isNotEmpty();
        assertThat(created.at("/userInfo/groups").toString()).contains("system:authenticated");
        assertThat(created.at("/object/kind").asText()).isEqualTo("ConfigMap");
        assertThat(created.at("/object/metadata/uid").asText()).isNotEmpty();

        api.put(configMap("a"), newConfigMap("a", "b")).ok();
        asks(
                webhook.last(),
                "{'operation':'UPDATE','name':'a','options':{'kind':'UpdateOptions','apiVersion':'meta.k8s.io/v1'}}");
        assertThat(webhook.last().at("/object/metadata/labels/app").asText()).isEqualTo("b");
        assertThat(webhook.last().at("/oldObject/data/key").asText()).isEqualTo("value");

        api.patch(configMap("a") + "?dryRun=All", Api.MERGE_PATCH, "{'data':{'key':'c'}}")
                .ok();
        asks(webhook.last(), """
                {'operation':'UPDATE','dryRun':true,
                 'options':{'kind':'UpdateOptions','apiVersion':'meta.k8s.io/v1','dryRun':['All']}}""");
        assertThat(webhook.last().at("/object/data/key").asText()).isEqualTo("c");

        String applied = newConfigMap("n").toString();
        api.patch(configMap("n") + "?fieldManager=f", Api.APPLY_PATCH, applied).ok();
        asks(webhook.last(), "{'operation':'CREATE','name':'n','oldObject':null}");
        assertThat(webhook.last().at("/options/kind").asText()).isEqualTo("CreateOptions");
        api.patch(configMap("n") + "?fieldManager=f", Api.APPLY_PATCH, applied.replace("value", "w"))
                .ok();
        asks(webhook.last(), "{'operation':'UPDATE'}");

        api.delete(configMap("a"), "{'kind':'DeleteOptions','apiVersion':'v1','propagationPolicy':'Background'}")
                .ok();
        asks(webhook.last(), """
                {'operation':'DELETE','name':'a','object':null,
                 'options':{'kind':'DeleteOptions','apiVersion':'meta.k8s.io/v1','propagationPolicy':'Background'}}""");
        assertThat(webhook.last().at("/oldObject/metadata/labels/app").asText()).isEqualTo("b");
        webhook.forget();
        api.delete(configMaps() + "?labelSelector=none").ok();
        assertThat(webhook.requests()).isEmpty();
        api.delete(configMaps() + "?fieldSelector=metadata.name%3Dn").ok();
        asks(webhook.last(), "{'operation':'DELETE','object':null}");
        assertThat(webhook.last().has("name")).isFalse();
        assertThat(webhook.requests()).hasSize(1);
    }

    @Test
    void givesAGeneratedNameToJudgeAlone() {
        TestWebhook mutates = mutating(TestWebhook.allows(), ALL_CONFIG_MAPS);
        TestWebhook judges = validating(TestWebhook.allows(), ALL_CONFIG_MAPS);
        mutates.forget();
        Reply created = api.create(configMaps(), json("{'metadata':{'generateName':'g-'}}"))
                .ok();
        assertThat(mutates.last().has("name")).isFalse();
        assertThat(judges.last().at("/object/metadata/name").asText()).isEqualTo(created.at("/metadata/name"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            'rules':[{'apiGroups':['*'],'apiVersions':['*'],'resources':['*'],'operations':['*']}]                               | true
            'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['*/*'],'operations':['CREATE'],'scope':'Namespaced'}]   | true
            'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['configmaps/*'],'operations':['CREATE','DELETE']}]      | true
            'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['configmaps'],'operations':['CREATE'],'scope':'Cluster'}] | false
            'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['configmaps/status'],'operations':['CREATE']}]          | false
            'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['configmaps'],'operations':['UPDATE','DELETE']}]        | false
            'rules':[{'apiGroups':[''],'apiVersions':['v2'],'resources':['configmaps'],'operations':['*']}]                      | false
            'rules':[{'apiGroups':['apps'],'apiVersions':['v1'],'resources':['configmaps'],'operations':['*']}]                  | false
            'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['secrets'],'operations':['*']},{'apiGroups':[''],'apiVersions':['v1'],'resources':['configmaps'],'operations':['CREATE']}] | true
            ALL,'objectSelector':{'matchLabels':{'app':'a'}}                                                                     | true
            ALL,'objectSelector':{'matchExpressions':[{'key':'app','operator':'NotIn','values':['a','b']}]}                      | false
            ALL,'matchConditions':[{'name':'a','expression':'object.metadata.name == request.name && request.operation == "CREATE"'}] | true
            ALL,'matchConditions':[{'name':'a','expression':'true'},{'name':'b','expression':'has(object.data)'}]                | false
            ALL,'matchConditions':[{'name':'a','expression':'oldObject == null'}]                                                | true
            ALL,'matchConditions':[{'name':'a','expression':'object.metadata.labels.exists(l, l == "app")'}]                     | true
            ALL,'matchConditions':[{'name':'a','expression':'object.spec.x == 1'},{'name':'b','expression':'false'}]             | false
            ALL,'failurePolicy':'Ignore','matchConditions':[{'name':'a','expression':'object.spec.x == 1'}]                      | false
            """)
    void asksAboutWhatItWants(String fields, boolean asked) {
        TestWebhook webhook = validating(
                TestWebhook.allows(), fields.replace("ALL", ALL_CONFIG_MAPS).replace("\"", "\\\""));
        api.create(configMaps(), newConfigMap("a", "a")).ok();
        assertThat(webhook.requests()).hasSize(asked ? 1 : 0);
    }

    @Test
    void refusesWhatAConditionCannotJudge() {
        validating(
                TestWebhook.allows(),
                ALL_CONFIG_MAPS + ",'matchConditions':[{'name':'a','expression':'object.spec.x == 1'}]");
        assertThat(api.create(configMaps(), newConfigMap("a"))
                        .refused(403, "Forbidden")
                        .message())
                .isEqualTo(
                        "configmaps \"a\" is forbidden: expression 'object.spec.x == 1' resulted in error: no such key: spec");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            'status':{'code':409,'reason':'Conflict','message':'no'} | 409 | Conflict | denied the request: no
            'status':{'reason':'Because'}                            | 400 | Because  | denied the request: Because
            'status':{'code':200,'status':'Success','message':'m'}   | 400 | ''       | denied the request: m
            'status':{'code':503}                                    | 503 | ''       | denied the request without explanation
            'auditAnnotations':{'a':'b'}                             | 400 | ''       | denied the request without explanation
            """)
    void refusesInTheWebhooksWords(String fields, int code, String reason, String message) {
        validating(TestWebhook.admission("'allowed':false," + fields), ALL_CONFIG_MAPS);
        Reply refused = api.create(configMaps(), newConfigMap("a"));
        assertThat(refused.refused(code, reason.equals("''") ? "" : reason).message())
                .isEqualTo("admission webhook \"v.example.com\" " + message);
        api.get(configMap("a")).refused(404, "NotFound");
    }

    @Test
    void refusesWithDetails() {
        validating(
                TestWebhook.admission(
                        "'allowed':false,'status':{'code':422,'reason':'Invalid','message':'taken',"
                                + "'details':{'kind':'ConfigMap','causes':[{'reason':'FieldValueDuplicate','message':'taken','field':'data.key'}]}}"),
                ALL_CONFIG_MAPS);
        Reply refused = api.create(configMaps(), newConfigMap("a")).refused(422, "Invalid");
        assertThat(refused.at("/details/causes/0/field")).isEqualTo("data.key");
    }

    @Test
    void refusesUpdatesAndDeletions() {
        create("a");
        validating(TestWebhook.admission("'allowed':false"), ALL_CONFIG_MAPS);
        for (Reply reply : List.of(
                api.put(configMap("a"), newConfigMap("a")),
                api.patch(configMap("a"), Api.JSON_PATCH, "[]"),
                api.patch(
                        configMap("a") + "?fieldManager=f",
                        Api.APPLY_PATCH,
                        newConfigMap("a").toString()),
                api.delete(configMap("a")),
                api.delete(configMap("a") + "?dryRun=All"),
                api.delete(configMaps()))) {
            assertThat(reply.refused(400, "").message()).contains("v.example.com\" denied");
        }
        api.get(configMap("a")).ok();
    }

    @Test
    void tellsWarnings() {
        validating(TestWebhook.admission("'allowed':true,'warnings':['careful','twice','twice']"), ALL_CONFIG_MAPS);
        assertThat(api.create(configMaps(), newConfigMap("a")).ok().warnings())
                .containsExactly("299 - \"careful\"", "299 - \"twice\"");
        assertThat(api.put(configMap("a"), newConfigMap("a")).ok().warnings()).hasSize(2);
        assertThat(api.delete(configMap("a")).ok().warnings()).hasSize(2);
    }

    @Test
    void changesAnObjectForNobody() {
        mutating(
                TestWebhook.patches(
                        "[{'op':'add','path':'/metadata/labels','value':{'l':'v'}},{'op':'add','path':'/data/added','value':'x'},"
                                + "{'op':'add','path':'/unknown','value':1}]"),
                ALL_CONFIG_MAPS);
        Reply created =
                api.create(configMaps() + "?fieldManager=m", newConfigMap("a")).ok();
        assertThat(created.at("/metadata/labels/l")).isEqualTo("v");
        assertThat(created.at("/data/added")).isEqualTo("x");
        assertThat(created.body().has("unknown")).isFalse();
        assertThat(created.node("/metadata/managedFields").toString())
                .contains("f:key")
                .doesNotContain("f:added", "f:l\"");
        Reply patched = api.patch(configMap("a"), Api.MERGE_PATCH, "{'data':{'added':'y','key':'z'}}")
                .ok();
        assertThat(patched.node("/data")).isEqualTo(json("{'added':'x','key':'z'}"));
    }

    @Test
    void judgesWhatWasChanged() {
        mutating(TestWebhook.patches("[{'op':'add','path':'/data','value':{'a/b':'c'}}]"), ALL_CONFIG_MAPS);
        TestWebhook judges = validating(TestWebhook.allows(), ALL_CONFIG_MAPS);
        judges.forget();
        assertThat(api.create(configMaps(), newConfigMap("a"))
                        .refused(422, "Invalid")
                        .message())
                .contains("data[a/b]");
        assertThat(judges.requests()).isEmpty();
    }

    @Test
    void setsDefaultsAfterAChange() {
        TestWebhook webhook = mutating(
                TestWebhook.patches("[{'op':'remove','path':'/spec/replicas'}]"),
                "'rules':[{'apiGroups':['apps'],'apiVersions':['v1'],'resources':['deployments'],'operations':['CREATE']}]");
        ObjectNode deployment = newDeployment("d");
        deployment.withObject("/spec").put("replicas", 3);
        assertThat(api.create(deployments(), deployment)
                        .ok()
                        .node("/spec/replicas")
                        .asInt())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            garbage                                    | couldn't get version/kind; json parse error:
            !500broken                                 | an error on the server ("broken") has prevented the request from succeeding
            !404                                       | the server could not find the requested resource
            {}                                         | received invalid webhook response: webhook response was absent
            {"response":{"uid":"UID","allowed":true}}  | received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=
            {"apiVersion":"admission.k8s.io/v1","kind":"Other","response":{"uid":"UID","allowed":true}} | failed calling webhook
            {"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","response":{"uid":"UID","allowed":true}} | failed calling webhook
            {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"} | received invalid webhook response: webhook response was absent
            {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u","allowed":true}} | received invalid webhook response: expected response.uid="
            """)
    void failsOrGoesOnWithoutAnAnswer(String answer, String message) {
        TestWebhook failing = webhook(
                review -> answer.replace("UID", review.at("/request/uid").asText()));
        install(VALIDATING, "v", hook("v", failing.clientConfig(), ALL_CONFIG_MAPS));
        Reply refused = api.create(configMaps(), newConfigMap("a")).refused(500, "InternalError");
        String begin = "Internal error occurred: failed calling webhook \"v.example.com\": ";
        assertThat(refused.message()).startsWith(begin).contains(message);
        assertThat(refused.at("/details/causes/0/message")).startsWith("failed calling webhook");
        api.patch(
                        installed.get(0),
                        Api.JSON_PATCH,
                        "[{'op':'add','path':'/webhooks/0/failurePolicy','value':'Ignore'}]")
                .ok();
        eventually(() ->
                api.create(configMaps() + "?dryRun=All", newConfigMap("a")).ok());
    }

    @Test
    void tellsThatNobodyListens() {
        TestWebhook gone = webhook(TestWebhook.allows());
        gone.close();
        install(MUTATING, "m", hook("m", gone.clientConfig(), ALL_CONFIG_MAPS));
        assertThat(api.create(configMaps(), newConfigMap("a"))
                        .refused(500, "InternalError")
                        .message())
                .isEqualTo(
                        ("Internal error occurred: failed calling webhook \"m.example.com\": failed to call webhook: "
                                        + "Post \"https://127.0.0.1:%1$d/path?timeout=10s\": dial tcp 127.0.0.1:%1$d: connect: connection refused")
                                .formatted(gone.port()));
    }

    @Test
    void waitsNoLongerThanItMay() {
        TestWebhook slow = webhook(TestWebhook.HANGS);
        install(VALIDATING, "v", hook("v", slow.clientConfig(), ALL_CONFIG_MAPS + ",'timeoutSeconds':1"));
        assertThat(api.create(configMaps(), newConfigMap("a"))
                        .refused(500, "InternalError")
                        .message())
                .isEqualTo(
                        ("Internal error occurred: failed calling webhook \"v.example.com\": failed to call webhook: "
                                        + "Post \"https://127.0.0.1:%d/path?timeout=1s\": context deadline exceeded")
                                .formatted(slow.port()));
    }

    @Test
    void trustsTheBundleAlone() {
        TestWebhook webhook = webhook(TestWebhook.allows());
        install(
                VALIDATING,
                "v",
                hook("v", "{'url':'https://127.0.0.1:%d/path'}".formatted(webhook.port()), ALL_CONFIG_MAPS));
        assertThat(api.create(configMaps(), newConfigMap("a"))
                        .refused(500, "InternalError")
                        .message())
                .endsWith("tls: failed to verify certificate: x509: certificate signed by unknown authority");
    }

    @Test
    void findsNoServiceThatIsNotThere() {
        install(
                VALIDATING,
                "v",
                hook(
                        "v",
                        "{'service':{'name':'s','namespace':'%s','path':'/p'}}".formatted(namespace),
                        ALL_CONFIG_MAPS));
        assertThat(api.create(configMaps(), newConfigMap("a"))
                        .refused(500, "InternalError")
                        .message())
                .isEqualTo("Internal error occurred: failed calling webhook \"v.example.com\": failed to call webhook: "
                        + "Post \"https://s.%s.svc:443/p?timeout=10s\": service \"s\" not found".formatted(namespace));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            'patch':'W10='                                      | webhook returned response.patch but not response.patchType
            'patchType':'JSONPatch'                             | webhook returned response.patchType but not response.patch
            'patchType':'Other','patch':'W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL2RhdGEifV0=' | unsupported patch type "Other"
            'patchType':'JSONPatch','patch':'eA=='              | received undecodable patch in webhook response
            'patchType':'JSONPatch','patch':'W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL25vbmUifV0=' | Internal error occurred:
            """)
    void takesNoPatchThatIsNone(String fields, String message) {
        mutating(TestWebhook.admission("'allowed':true," + fields), ALL_CONFIG_MAPS);
        assertThat(api.create(configMaps(), newConfigMap("a"))
                        .refused(500, "InternalError")
                        .message())
                .contains(message);
    }

    @Test
    void takesNoPatchFromOneThatJudges() {
        validating(TestWebhook.patches("[{'op':'add','path':'/metadata/labels','value':{}}]"), ALL_CONFIG_MAPS);
        assertThat(api.create(configMaps(), newConfigMap("a"))
                        .refused(500, "InternalError")
                        .message())
                .endsWith("received invalid webhook response: validating webhook may not return response.patch");
    }

    @Test
    void takesNoPatchOfADeletion() {
        create("a");
        mutating(TestWebhook.patches("[{'op':'add','path':'/metadata/labels','value':{}}]"), ALL_CONFIG_MAPS);
        assertThat(api.delete(configMap("a")).refused(500, "InternalError").message())
                .isEqualTo(
                        "Internal error occurred: admission webhook \"m.example.com\" attempted to modify the object,"
                                + " which is not supported for this operation");
    }

    @Test
    void asksOnceMoreWhereAnotherChanged() {
        String count = "[{'op':'add','path':'/metadata/labels','value':{'l':'v'}}]";
        TestWebhook first = webhook(TestWebhook.allows());
        TestWebhook never = webhook(TestWebhook.allows());
        TestWebhook changes = webhook(TestWebhook.patches(count));
        String again = ALL_CONFIG_MAPS + ",'reinvocationPolicy':'IfNeeded'";
        install(
                MUTATING,
                "m",
                hook("a", first.clientConfig(), again),
                hook("b", never.clientConfig(), ALL_CONFIG_MAPS),
                hook("c", changes.clientConfig(), again));
        List.of(first, never, changes).forEach(TestWebhook::forget);
        api.create(configMaps(), newConfigMap("a")).ok();
        assertThat(first.requests()).hasSize(2);
        assertThat(first.last().at("/object/metadata/labels/l").asText()).isEqualTo("v");
        assertThat(never.requests()).hasSize(1);
        assertThat(changes.requests()).hasSize(1);
    }

    @Test
    void asksInTheOrderOfNames() {
        install(
                MUTATING,
                "b",
                hook(
                        "b",
                        webhook(TestWebhook.patches("[{'op':'replace','path':'/data/key','value':'b'}]"))
                                .clientConfig(),
                        ALL_CONFIG_MAPS));
        install(
                MUTATING,
                "a",
                hook(
                        "a",
                        webhook(TestWebhook.patches("[{'op':'replace','path':'/data/key','value':'a'}]"))
                                .clientConfig(),
                        ALL_CONFIG_MAPS));
        assertThat(api.create(configMaps(), newConfigMap("a")).ok().at("/data/key"))
                .isEqualTo("b");
    }

    @Test
    void seesScalesAndStatuses() {
        TestWebhook webhook = validating(
                TestWebhook.allows(),
                "'rules':[{'apiGroups':['apps'],'apiVersions':['v1'],'resources':['deployments/*'],'operations':['UPDATE']}]");
        api.create(deployments(), newDeployment("d")).ok();
        webhook.forget();
        api.patch(deployment("d") + "/scale", Api.MERGE_PATCH, "{'spec':{'replicas':4}}")
                .ok();
        asks(webhook.last(), """
                {'kind':{'group':'autoscaling','version':'v1','kind':'Scale'},'subResource':'scale','requestSubResource':'scale',
                 'resource':{'group':'apps','version':'v1','resource':'deployments'}}""");
        assertThat(webhook.last().at("/object/spec/replicas").asInt()).isEqualTo(4);
        assertThat(webhook.last().at("/oldObject/spec/replicas").asInt()).isEqualTo(1);
        api.patch(deployment("d") + "/status", Api.MERGE_PATCH, "{'status':{'replicas':4}}")
                .ok();
        asks(webhook.last(), "{'kind':{'group':'apps','version':'v1','kind':'Deployment'},'subResource':'status'}");
        assertThat(webhook.last().at("/object/status/replicas").asInt()).isEqualTo(4);
    }

    @Test
    void changesAScale() {
        TestWebhook webhook = mutating(
                TestWebhook.patches("[{'op':'replace','path':'/spec/replicas','value':7}]"),
                "'rules':[{'apiGroups':['apps'],'apiVersions':['v1'],'resources':['deployments/scale'],'operations':['UPDATE']}]");
        api.create(deployments(), newDeployment("d")).ok();
        Reply scaled = api.patch(deployment("d") + "/scale", Api.MERGE_PATCH, "{'spec':{'replicas':4}}")
                .ok();
        assertThat(scaled.node("/spec/replicas").asInt()).isEqualTo(7);
        assertThat(api.get(deployment("d")).ok().node("/spec/replicas").asInt()).isEqualTo(7);
    }

    @Test
    void asksAboutAnEvent() {
        TestWebhook webhook = webhook(TestWebhook.allows());
        String rules =
                "'rules':[{'apiGroups':['events.k8s.io'],'apiVersions':['v1'],'resources':['events'],'operations':['CREATE']}]";
        install(VALIDATING, "v", hook("v", webhook.clientConfig(), rules));
        api.create(of("v1", "events"), json("""
                {'metadata':{'name':'e'},'involvedObject':{'kind':'Pod','namespace':'%s','name':'p'},'message':'hello',
                 'reason':'R','type':'Normal'}""", namespace)).ok();
        asks(webhook.last(), """
                {'kind':{'group':'events.k8s.io','version':'v1','kind':'Event'},
                 'requestKind':{'group':'','version':'v1','kind':'Event'},
                 'resource':{'group':'events.k8s.io','version':'v1','resource':'events'}}""");
        assertThat(webhook.last().at("/object/note").asText()).isEqualTo("hello");
        api.patch(installed.get(0), Api.JSON_PATCH, "[{'op':'add','path':'/webhooks/0/matchPolicy','value':'Exact'}]")
                .ok();
        eventually(() -> {
            webhook.forget();
            api.create(
                            of("v1", "events") + "?dryRun=All",
                            json(
                                    "{'metadata':{'generateName':'e'},"
                                            + "'involvedObject':{'kind':'Pod','namespace':'%s','name':'p'}}",
                                    namespace))
                    .ok();
            assertThat(webhook.requests()).isEmpty();
        });
    }

    @Test
    void asksAboutAnEviction() {
        TestWebhook webhook = validating(
                TestWebhook.admission("'allowed':false"),
                "'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['pods/eviction'],'operations':['CREATE']}]");
        api.create(of("v1", "serviceaccounts"), json("{'metadata':{'name':'default'}}"));
        api.create(
                        of("v1", "pods"),
                        json("{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i:1'}]}}"))
                .ok();
        Reply refused = api.create(
                of("v1", "pods") + "/p/eviction",
                json("{'apiVersion':'policy/v1','kind':'Eviction','metadata':{'name':'p'}}"));
        assertThat(refused.refused(400, "").message()).contains("denied the request");
        asks(
                webhook.last(),
                "{'kind':{'group':'policy','version':'v1','kind':'Eviction'},'subResource':'eviction','name':'p'}");
    }

    @Test
    void leavesItsOwnConfigurationsAlone() {
        TestWebhook webhook = validating(
                TestWebhook.admission("'allowed':false"),
                "'rules':[{'apiGroups':['admissionregistration.k8s.io'],'apiVersions':['*'],'resources':['*'],'operations':['*']}]");
        api.patch(installed.get(0), Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                .ok();
        assertThat(webhook.requests()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            'name':'a.b'                                    | webhooks[0].name
            'sideEffects':'Some'                            | webhooks[0].sideEffects
            'sideEffects':null                              | webhooks[0].sideEffects
            'admissionReviewVersions':[]                    | webhooks[0].admissionReviewVersions
            'timeoutSeconds':31                             | webhooks[0].timeoutSeconds
            'failurePolicy':'Never'                         | webhooks[0].failurePolicy
            'reinvocationPolicy':'Always'                   | webhooks[0].reinvocationPolicy
            'clientConfig':{}                               | webhooks[0].clientConfig
            'clientConfig':{'url':'http://a/b'}             | webhooks[0].clientConfig.url
            'clientConfig':{'url':'https://a/b?c=d'}        | webhooks[0].clientConfig.url
            'clientConfig':{'service':{'name':'s','namespace':'n','path':'p'}} | webhooks[0].clientConfig.service.path
            'clientConfig':{'service':{'name':'s','namespace':'n','port':0}}   | webhooks[0].clientConfig.service.port
            'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['a']}] | webhooks[0].rules[0].operations
            'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['a'],'operations':['GET']}] | webhooks[0].rules[0].operations[0]
            'rules':[{'apiGroups':[''],'apiVersions':['v1'],'operations':['*']}] | webhooks[0].rules[0].resources
            'matchConditions':[{'name':'a','expression':'1 + 1'}] | webhooks[0].matchConditions[0].expression
            'matchConditions':[{'name':'a','expression':'nothing'}] | webhooks[0].matchConditions[0].expression
            """)
    void refusesAConfigurationThatMakesNoSense(String change, String field) {
        ObjectNode hook = json(
                hook("m", "{'url':'https://127.0.0.1:1/'}", ALL_CONFIG_MAPS).replace("%", "%%"));
        hook.setAll(json("{" + change + "}"));
        hook.remove("none");
        ObjectNode configuration = json("{'metadata':{'name':'refused'}}");
        configuration.putArray("webhooks").add(hook);
        Reply refused = api.create(CONFIGURATIONS + MUTATING + "?dryRun=All", configuration)
                .refused(422, "Invalid");
        assertThat(refused.node("/details/causes").findValuesAsText("field")).contains(field);
    }
}
