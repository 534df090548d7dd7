package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A custom type that a webhook converts: {@code spec.host} of version 1 is {@code spec.hostname} of version 2. */
class ConversionWebhookContractTest extends Contract {

    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    private final String group;
    private final TestWebhook webhook = new TestWebhook(converts(object -> {}));

    ConversionWebhookContractTest(TestedServer server) {
        super(server);
        group = namespace + ".example.com";
    }

    /** Leaves no type that nobody converts: the real server could not empty any namespace then. */
    @AfterEach
    void clean() {
        // What deletes a type's objects with the type waits for minutes where one of its lists fails, as while
        // conversion changes.
        webhook.answer(converts(object -> {}));
        List.of("v1", "v2").forEach(version -> api.delete(sites(version)));
        api.patch(definition(), Api.MERGE_PATCH, "{'spec':{'conversion':{'strategy':'None','webhook':null}}}");
        api.delete(definition());
        eventually(() -> assertThat(api.get(definition()).code()).isEqualTo(404));
        webhook.close();
    }

    /** Converts as it should, and then changes what comes of it. */
    private static Function<ObjectNode, String> converts(Consumer<ObjectNode> change) {
        return review -> {
            ObjectNode answer = json("{'apiVersion':'apiextensions.k8s.io/v1','kind':'ConversionReview'}");
            ObjectNode response = answer.putObject("response")
                    .put("uid", review.at("/request/uid").asText());
            response.putObject("result").put("status", "Success");
            for (JsonNode given : review.at("/request/objects")) {
                ObjectNode object = given.deepCopy();
                object.set("apiVersion", review.at("/request/desiredAPIVersion"));
                boolean old = object.path("apiVersion").asText().endsWith("/v1");
                if (object.get("spec") instanceof ObjectNode spec && spec.has(old ? "hostname" : "host")) {
                    spec.set(old ? "host" : "hostname", spec.remove(old ? "hostname" : "host"));
                }
                response.withArray("convertedObjects").add(object);
            }
            change.accept(response);
            return answer.toString();
        };
    }

    private static String version(String name, boolean storage, String field) {
        return """
                {'name':'%s','served':true,'storage':%s,'subresources':{'status':{},'scale':{
                  'specReplicasPath':'.spec.size','statusReplicasPath':'.status.size'}},
                 'selectableFields':[{'jsonPath':'.spec.%3$s'}],
                 'additionalPrinterColumns':[{'name':'Host','type':'string','jsonPath':'.spec.%3$s'}],
                 'schema':{'openAPIV3Schema':{'type':'object','properties':{
                  'spec':{'type':'object','properties':{'%3$s':{'type':'string'},'size':{'type':'integer','default':1}}},
                  'status':{'type':'object','properties':{'size':{'type':'integer'}}}}}}}""".formatted(name, storage, field);
    }

    private String versions(boolean newStored) {
        return "[" + version("v1", !newStored, "host") + "," + version("v2", newStored, "hostname") + "]";
    }

    private String conversion(String clientConfig) {
        return "{'strategy':'Webhook','webhook':{'conversionReviewVersions':['v1'],'clientConfig':" + clientConfig
                + "}}";
    }

    private String definition() {
        return DEFINITIONS + "/sites." + group;
    }

    private void define() {
        api.create(DEFINITIONS, json("""
                {'metadata':{'name':'sites.%1$s'},'spec':{'group':'%1$s','scope':'Namespaced',
                  'names':{'plural':'sites','kind':'Site'},'versions':%2$s,'conversion':%3$s}}""", group, versions(false), conversion(webhook.clientConfig())))
                .ok();
        eventually(() -> api.get(sites("v2")).ok());
        eventually(() -> api.create(sites("v1") + "?dryRun=All", site("v1", "probe", "x"))
                .ok());
    }

    private String sites(String version) {
        return "/apis/" + group + "/" + version + "/namespaces/" + namespace + "/sites";
    }

    private String site(String version) {
        return sites(version) + "/s";
    }

    private ObjectNode site(String version, String name, String host) {
        return json(
                "{'apiVersion':'%s/%s','kind':'Site','metadata':{'name':'%s'},'spec':{'%s':'%s'}}",
                group, version, name, version.equals("v1") ? "host" : "hostname", host);
    }

    private Reply create(String version, String name) {
        return api.create(sites(version), site(version, name, "h")).ok();
    }

    private static void shows(JsonNode object, String spec) {
        assertThat(object.path("spec")).isEqualTo(json(spec));
    }

    private static final String OLD = "{'host':'h','size':1}";
    private static final String NEW = "{'hostname':'h','size':1}";

    @DefiningTest
    void showsObjectsInBothVersions() {
        define();
        shows(create("v1", "s").body(), OLD);
        webhook.forget();
        Reply seen = api.get(site("v2")).ok();
        shows(seen.body(), NEW);
        assertThat(seen.at("/apiVersion")).isEqualTo(group + "/v2");
        JsonNode request = webhook.last();
        assertThat(request.path("desiredAPIVersion").asText()).isEqualTo(group + "/v2");
        assertThat(request.at("/objects/0/apiVersion").asText()).isEqualTo(group + "/v1");
        shows(request.at("/objects/0"), OLD);
        shows(create("v2", "t").body(), NEW);
        shows(api.get(sites("v1") + "/t").ok().body(), OLD);
        Reply list = api.get(sites("v2")).ok();
        assertThat(list.names()).containsExactly("s", "t");
        shows(list.node("/items/0"), NEW);
        shows(list.node("/items/1"), NEW);
        shows(api.get(sites("v2") + "?limit=1").ok().node("/items/0"), NEW);
        assertThat(api.get(site("v2"), TABLE).ok().at("/rows/0/cells/1")).isEqualTo("h");
        assertThat(api.get(sites("v2"), TABLE).ok().at("/rows/1/cells/1")).isEqualTo("h");
        assertThat(api.get(sites("v2") + "?fieldSelector=spec.hostname=h").ok().names())
                .hasSize(2);
        assertThat(api.get(sites("v2") + "?fieldSelector=spec.hostname=i").ok().names())
                .isEmpty();
        assertThat(api.get(site("v2") + "/scale").ok().node("/spec/replicas").asInt())
                .isEqualTo(1);
    }

    @DefiningTest
    void watchesInBothVersions() {
        define();
        create("v1", "s");
        try (Watching watch = api.watch(sites("v2") + "?watch=true");
                Watching stored = api.watch(sites("v1") + "?watch=true")) {
            shows(watch.next("ADDED", "s").object(), NEW);
            shows(stored.next("ADDED", "s").object(), OLD);
            api.patch(site("v2"), Api.MERGE_PATCH, "{'spec':{'hostname':'i'}}").ok();
            shows(watch.next("MODIFIED", "s").object(), "{'hostname':'i','size':1}");
            shows(stored.next("MODIFIED", "s").object(), "{'host':'i','size':1}");
            api.delete(site("v2")).ok();
            shows(watch.next("DELETED", "s").object(), "{'hostname':'i','size':1}");
            shows(stored.next("DELETED", "s").object(), "{'host':'i','size':1}");
        }
    }

    @DefiningTest
    void writesInTheVersionThatIsNotStored() {
        define();
        Reply created = create("v2", "s");
        assertThat(created.node("/metadata/managedFields").toString()).contains("f:hostname", group + "/v2");
        ObjectNode changed = (ObjectNode) created.body();
        changed.withObject("/spec").put("hostname", "i");
        Reply put = api.put(site("v2"), changed).ok();
        assertThat(put.node("/metadata/generation").asInt()).isEqualTo(2);
        assertThat(api.put(site("v2"), put.body()).ok().version()).isEqualTo(put.version());
        assertThat(api.patch(site("v2"), Api.JSON_PATCH, "[{'op':'test','path':'/spec/hostname','value':'i'}]")
                        .ok()
                        .version())
                .isEqualTo(put.version());
        assertThat(api.patch(site("v2"), Api.MERGE_PATCH, "{'spec':{'hostname':'j'}}")
                        .ok()
                        .at("/spec/hostname"))
                .isEqualTo("j");
        assertThat(api.patch(site("v2") + "?dryRun=All", Api.MERGE_PATCH, "{'spec':{'hostname':'k'}}")
                        .ok()
                        .at("/spec/hostname"))
                .isEqualTo("k");
        api.patch(site("v2") + "/status", Api.MERGE_PATCH, "{'status':{'size':3}}")
                .ok();
        api.patch(site("v2") + "/scale", Api.MERGE_PATCH, "{'spec':{'replicas':5}}")
                .ok();
        Reply old = api.get(site("v1")).ok();
        shows(old.body(), "{'host':'j','size':5}");
        assertThat(old.node("/status/size").asInt()).isEqualTo(3);
        api.patch(
                        site("v1") + "?fieldManager=f&force=true",
                        Api.APPLY_PATCH,
                        site("v1", "s", "applied").toString())
                .ok();
        shows(api.get(site("v2")).ok().body(), "{'hostname':'applied','size':5}");
        api.patch(
                        sites("v2") + "/n?fieldManager=f",
                        Api.APPLY_PATCH,
                        site("v2", "n", "new").toString())
                .ok();
        shows(api.get(sites("v1") + "/n").ok().body(), "{'host':'new','size':1}");
        shows(api.delete(sites("v2")).ok().node("/items/0"), "{'hostname':'new','size':1}");
        assertThat(api.get(sites("v1")).ok().names()).isEmpty();
    }

    @DefiningTest
    void followsAFieldThroughTheVersions() {
        define();
        api.patch(
                        site("v1") + "?fieldManager=a",
                        Api.APPLY_PATCH,
                        site("v1", "s", "a").toString())
                .ok();
        Reply conflict = api.patch(
                site("v2") + "?fieldManager=b",
                Api.APPLY_PATCH,
                site("v2", "s", "b").toString());
        assertThat(conflict.refused(409, "Conflict").message()).contains("conflict with \"a\": .spec.host");
        api.patch(
                        site("v2") + "?fieldManager=b&force=true",
                        Api.APPLY_PATCH,
                        site("v2", "s", "b").toString())
                .ok();
        Reply forced = api.get(site("v1")).ok();
        assertThat(forced.at("/spec/host")).isEqualTo("b");
        assertThat(forced.node("/metadata/managedFields").toString()).doesNotContain("f:host\"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            COUNT     | conversion webhook for GV1, Kind=Site returned 2 objects, expected 1
            NAME      | conversion webhook for GV1, Kind=Site returned invalid object: must have the same name: s != other
            UID       | conversion webhook for GV1, Kind=Site returned invalid object: must have the same UID:
            NAMESPACE | conversion webhook for GV1, Kind=Site returned invalid object: must have the same namespace: NS != other
            VERSION   | conversion webhook for GV1, Kind=Site returned invalid object at index 0: invalid groupVersion (expected GV2, received other/v3)
            KIND      | conversion webhook for GV1, Kind=Site returned invalid object at index 0: invalid kind (expected Site, received Other)
            REVIEW    | conversion webhook for GV1, Kind=Site failed: expected response.uid=
            NONE      | conversion webhook for GV1, Kind=Site failed: response.result.status was 'Failure', not 'Success'
            SAID      | conversion webhook for GV1, Kind=Site failed: why not
            GARBAGE   | conversion webhook for GV1, Kind=Site failed: couldn't get version/kind; json parse error:
            ERROR     | conversion webhook for GV1, Kind=Site failed: an error on the server ("broken") has prevented the request from succeeding
            EMPTY     | conversion webhook for GV1, Kind=Site failed: no response provided
            """)
    @Execution(ExecutionMode.CONCURRENT)
    void tellsWhatIsWrongWithAnAnswer(String wrong, String message) {
        define();
        create("v1", "s");
        webhook.answer(
                switch (wrong) {
                    case "GARBAGE" -> review -> "garbage";
                    case "ERROR" -> review -> "!500broken";
                    case "EMPTY" ->
                        review -> "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"ConversionReview\"}";
                    default -> converts(response -> spoil(response, wrong));
                });
        String told = message.replace("GV", group + "/v").replace("NS", namespace);
        assertThat(api.get(site("v2")).refused(500, "").message()).startsWith(told);
        assertThat(api.create(sites("v2"), site("v2", "t", "h")).code()).isEqualTo(500);
        api.patch(site("v2"), Api.MERGE_PATCH, "{'spec':{'hostname':'i'}}").refused(500, "");
        api.delete(site("v2")).refused(500, "");
        shows(api.get(site("v1")).ok().body(), OLD);
        api.delete(site("v1")).ok();
    }

    private static void spoil(ObjectNode response, String wrong) {
        ObjectNode first = (ObjectNode) response.at("/convertedObjects/0");
        ObjectNode metadata = first.withObject("/metadata");
        switch (wrong) {
            case "COUNT" -> response.withArray("convertedObjects").add(first.deepCopy());
            case "NAME" -> metadata.put("name", "other");
            case "UID" -> metadata.put("uid", "other");
            case "NAMESPACE" -> metadata.put("namespace", "other");
            case "VERSION" -> first.put("apiVersion", "other/v3");
            case "KIND" -> first.put("kind", "Other");
            case "REVIEW" -> response.put("uid", "other");
            case "NONE" -> response.withObject("/result").put("status", "Failure");
            default -> response.withObject("/result").put("status", "Failure").put("message", "why not");
        }
    }

    @DefiningTest
    void tellsThatNobodyListens() {
        define();
        create("v1", "s");
        webhook.close();
        String told =
                "conversion webhook for %s/v1, Kind=Site failed: Post \"https://127.0.0.1:%2$d/path?timeout=30s\":"
                        + " dial tcp 127.0.0.1:%2$d: connect: connection refused";
        eventually(() -> assertThat(api.get(site("v2")).refused(500, "").message())
                .isEqualTo(told.formatted(group, webhook.port())));
    }

    @DefiningTest
    void letsLabelsAndAnnotationsBeConverted() {
        define();
        Reply created = create("v1", "s");
        webhook.answer(converts(response -> {
            ObjectNode metadata = ((ObjectNode) response.at("/convertedObjects/0")).withObject("/metadata");
            metadata.put("generation", 9)
                    .put("creationTimestamp", "2020-01-01T00:00:00Z")
                    .put("resourceVersion", "1");
            metadata.withObject("/annotations").put("a", "b");
            metadata.withObject("/labels").put("l", "m");
            metadata.putArray("finalizers").add("example.com/f");
        }));
        Reply seen = api.get(site("v2")).ok();
        assertThat(seen.at("/metadata/annotations/a")).isEqualTo("b");
        assertThat(seen.at("/metadata/labels/l")).isEqualTo("m");
        assertThat(seen.version()).isEqualTo(created.version());
        assertThat(seen.node("/metadata/generation").asInt()).isEqualTo(1);
        assertThat(seen.node("/metadata").has("finalizers")).isFalse();
    }

    @DefiningTest
    void keepsOnlyWhatTheSchemaKnows() {
        define();
        create("v1", "s");
        webhook.answer(converts(response -> ((ObjectNode) response.at("/convertedObjects/0"))
                .withObject("/spec")
                .put("unknown", 1)));
        shows(api.get(site("v2")).ok().body(), NEW);
    }

    @DefiningTest
    void migratesWhatIsStored() {
        define();
        Reply created = create("v1", "s");
        api.patch(definition(), Api.MERGE_PATCH, "{'spec':{'versions':" + versions(true) + "}}")
                .ok();
        Reply stored = api.get(definition()).ok();
        assertThat(stored.node("/status/storedVersions").toString()).isEqualTo("[\"v1\",\"v2\"]");
        // What is stored stays until it is written.
        shows(api.get(site("v1")).ok().body(), OLD);
        eventually(() -> assertThat(api.put(site("v2"), api.get(site("v2")).ok().body())
                        .ok()
                        .version())
                .isNotEqualTo(created.version()));
        Reply migrated = api.get(site("v2")).ok();
        shows(migrated.body(), NEW);
        assertThat(migrated.node("/metadata/generation").asInt()).isEqualTo(1);
        assertThat(api.put(site("v1"), api.get(site("v1")).ok().body()).ok().version())
                .isEqualTo(migrated.version());

        String drop = "{'spec':{'versions':[" + version("v2", true, "hostname") + "]}}";
        assertThat(api.patch(definition(), Api.MERGE_PATCH, drop)
                        .refused(422, "Invalid")
                        .message())
                .contains("status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions;");
        api.patch(definition() + "/status", Api.MERGE_PATCH, "{'status':{'storedVersions':['v2']}}")
                .ok();
        assertThat(api.get(definition()).ok().node("/status/storedVersions").toString())
                .isEqualTo("[\"v2\"]");
        api.patch(definition(), Api.MERGE_PATCH, drop).ok();
        eventually(() -> assertThat(api.get(site("v1")).code()).isEqualTo(404));
        shows(api.get(site("v2")).ok().body(), NEW);
    }

    @DefiningTest
    void endsWatchesWhenTheWebhookIsAnother() {
        define();
        create("v1", "s");
        try (Watching watch = api.watch(sites("v2") + "?watch=true")) {
            watch.next("ADDED", "s");
            api.patch(
                            definition(),
                            Api.JSON_PATCH,
                            "[{'op':'replace','path':'/spec/conversion/webhook/clientConfig/url','value':'https://localhost:%d/'}]"
                                    .formatted(webhook.port()))
                    .ok();
            assertThat(watch.toEnd()).isEmpty();
        }
    }

    @DefiningTest
    void asksAdmissionInTheVersionOfTheRule() {
        define();
        create("v1", "s");
        try (TestWebhook judge = new TestWebhook(TestWebhook.allows())) {
            String configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
            api.create(configurations, json("""
                    {'metadata':{'name':'%1$s'},'webhooks':[{'name':'a.example.com','clientConfig':%2$s,'sideEffects':'None',
                     'admissionReviewVersions':['v1'],
                     'rules':[{'apiGroups':['%1$s'],'apiVersions':['v1'],'resources':['sites'],'operations':['UPDATE']}]}]}""", group, judge.clientConfig())).ok();
            eventually(() -> {
                api.patch(site("v2"), Api.MERGE_PATCH, "{'spec':{'hostname':'i'}}")
                        .ok();
                assertThat(judge.requests()).isNotEmpty();
            });
            JsonNode request = judge.last();
            assertThat(request.at("/kind/version").asText()).isEqualTo("v1");
            assertThat(request.at("/resource/version").asText()).isEqualTo("v1");
            assertThat(request.at("/requestKind/version").asText()).isEqualTo("v2");
            assertThat(request.at("/object/apiVersion").asText()).isEqualTo(group + "/v1");
            assertThat(request.at("/object/spec/host").asText()).isEqualTo("i");
            assertThat(request.at("/oldObject/spec").has("host")).isTrue();
            api.delete(configurations + "/" + group).ok();
        }
    }

    @DefiningTest
    void letsAWebhookChangeItInTheVersionOfTheRule() {
        define();
        try (TestWebhook changes =
                new TestWebhook(TestWebhook.patches("[{'op':'replace','path':'/spec/host','value':'changed'}]"))) {
            String configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
            api.create(configurations, json("""
                    {'metadata':{'name':'%1$s'},'webhooks':[{'name':'a.example.com','clientConfig':%2$s,'sideEffects':'None',
                     'admissionReviewVersions':['v1'],
                     'rules':[{'apiGroups':['%1$s'],'apiVersions':['v1'],'resources':['*'],'operations':['CREATE']}]}]}""", group, changes.clientConfig())).ok();
            eventually(() -> assertThat(api.create(sites("v2") + "?dryRun=All", site("v2", "s", "h"))
                            .ok()
                            .at("/spec/hostname"))
                    .isEqualTo("changed"));
            api.delete(configurations + "/" + group).ok();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {'strategy':'Webhook'}                                                          | spec.conversion.webhookClientConfig
            {'strategy':'Webhook','webhook':{'conversionReviewVersions':['v1']}}            | spec.conversion.webhookClientConfig
            {'strategy':'Webhook','webhook':{'clientConfig':{'url':'https://a/'},'conversionReviewVersions':[]}} | spec.conversion.conversionReviewVersions
            {'strategy':'Webhook','webhook':{'clientConfig':{},'conversionReviewVersions':['v1']}} | spec.conversion.webhookClientConfig
            {'strategy':'Webhook','webhook':{'clientConfig':{'url':'http://a/'},'conversionReviewVersions':['v1']}} | spec.conversion.webhookClientConfig.url
            {'strategy':'None','webhook':{'clientConfig':{'url':'https://a/'},'conversionReviewVersions':['v1']}} | spec.conversion.webhookClientConfig
            {'strategy':'Other'}                                                            | spec.conversion.strategy
            """)
    void refusesAConversionThatMakesNoSense(String conversion, String field) {
        Reply refused = api.create(DEFINITIONS + "?dryRun=All", json("""
                {'metadata':{'name':'sites.%1$s'},'spec':{'group':'%1$s','scope':'Namespaced',
                  'names':{'plural':'sites','kind':'Site'},'versions':%2$s,'conversion':%3$s}}""", group, versions(false), conversion));
        assertThat(refused.refused(422, "Invalid").node("/details/causes").findValuesAsText("field"))
                .contains(field);
    }
}
