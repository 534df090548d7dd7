package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;

/** What is read of a custom resource that was stored by another schema, or by another version's. */
class StoredVersionsContractTest extends Contract {

    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    private static final String BEFORE = "'kept':{'type':'string'},'lost':{'type':'string'}";
    private static final String SINCE = "'kept':{'type':'string'},'size':{'type':'integer','default':3}";

    private final String group;

    StoredVersionsContractTest(TestedServer server) {
        super(server);
        group = namespace + ".example.com";
    }

    /** The definition of one version, with the properties of its spec. */
    private static String version(String name, boolean storage, String properties) {
        return """
                {'name':'%s','served':true,'storage':%s,'subresources':{'status':{}},%s
                 'additionalPrinterColumns':[{'name':'Size','type':'integer','jsonPath':'.spec.size'}],
                 'schema':{'openAPIV3Schema':{'type':'object','properties':{
                  'spec':{'type':'object','properties':{%s}},'status':{'type':'object'}}}}}""".formatted(
                        name,
                        storage,
                        properties.contains("'size'") ? "'selectableFields':[{'jsonPath':'.spec.size'}]," : "",
                        properties);
    }

    private void define(String... versions) {
        api.create(DEFINITIONS, json("""
                {'metadata':{'name':'records.%1$s'},
                 'spec':{'group':'%1$s','scope':'Namespaced','names':{'plural':'records','kind':'Record'},
                  'versions':[%2$s]}}""", group, String.join(",", versions))).ok();
        eventually(() -> api.get(records("v1")).ok());
    }

    private void redefine(String... versions) {
        api.patch(
                        DEFINITIONS + "/records." + group,
                        Api.MERGE_PATCH,
                        "{'spec':{'versions':[" + String.join(",", versions) + "]}}")
                .ok();
    }

    private String records(String version) {
        return "/apis/" + group + "/" + version + "/namespaces/" + namespace + "/records";
    }

    private String record(String version) {
        return records(version) + "/r";
    }

    private ObjectNode newRecord(String version, String spec) {
        return json("{'apiVersion':'%s/%s','kind':'Record','metadata':{'name':'r'},'spec':{%s}}", group, version, spec);
    }

    private Reply create(String version, String spec) {
        return api.create(records(version), newRecord(version, spec)).ok();
    }

    private static void shows(JsonNode object, String spec) {
        assertThat(object.path("spec")).isEqualTo(json(spec));
    }

    private static final String SEEN = "{'kept':'a','size':3}";

    @DefiningTest
    void showsOldObjectsAsTheNewSchemaHasThem() {
        define(version("v1", true, BEFORE));
        Reply created = create("v1", "'kept':'a','lost':'b'");
        redefine(version("v1", true, SINCE));
        eventually(() -> shows(api.get(record("v1")).ok().body(), SEEN));
        assertThat(api.get(record("v1")).version()).isEqualTo(created.version());
        shows(api.get(records("v1")).ok().node("/items/0"), SEEN);
        shows(api.get(records("v1") + "?limit=1").ok().node("/items/0"), SEEN);
        assertThat(api.get(record("v1"), TABLE).ok().at("/rows/0/cells/1")).isEqualTo("3");
        assertThat(api.get(records("v1") + "?fieldSelector=spec.size=3").ok().names())
                .containsExactly("r");
        assertThat(api.get(records("v1") + "?fieldSelector=spec.size=4").ok().names())
                .isEmpty();
        try (Watching watch = api.watch(records("v1") + "?watch=true")) {
            shows(watch.next("ADDED", "r").object(), SEEN);
            Reply dry = api.patch(record("v1") + "?dryRun=All", Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}");
            assertThat(dry.ok().node("/metadata/generation").asInt()).isEqualTo(1);
            Reply labelled = api.patch(record("v1"), Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                    .ok();
            shows(labelled.body(), SEEN);
            assertThat(labelled.node("/metadata/generation").asInt()).isEqualTo(1);
            shows(watch.next("MODIFIED", "r").object(), SEEN);
            api.delete(record("v1")).ok();
            shows(watch.next("DELETED", "r").object(), SEEN);
        }
    }

    @DefiningTest
    void endsTheWatchesOfWhatIsDefinedAnew() {
        define(version("v1", true, BEFORE));
        Reply created = create("v1", "'kept':'a','lost':'b'");
        String since = records("v1") + "?watch=true&resourceVersion=" + created.version();
        try (Watching watch = api.watch(since)) {
            // What is not about the types that are served leaves their watches alone.
            api.patch(DEFINITIONS + "/records." + group, Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                    .ok();
            api.patch(record("v1"), Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                    .ok();
            watch.next("MODIFIED", "r");
            redefine(version("v1", true, SINCE));
            assertThat(watch.toEnd()).isEmpty();
        }
        eventually(() -> shows(api.get(record("v1")).ok().body(), SEEN));
        // The real server says at first that it is not ready for watches.
        eventually(() -> {
            try (Watching watch = api.watch(since)) {
                assertThat(watch.next().object().path("code").asInt()).isEqualTo(410);
            }
        });
    }

    @DefiningTest
    void showsOfAnotherVersionsObjectWhatThisOneKnows() {
        define(
                version("v1", true, "'both':{'type':'string','default':'d'},'old':{'type':'string','default':'o'}"),
                version("v2", false, "'both':{'type':'string'},'new':{'type':'string','default':'n'}"));
        create("v1", "'old':'x'");
        shows(api.get(record("v1")).ok().body(), "{'both':'d','old':'x'}");
        shows(api.get(record("v2")).ok().body(), "{'both':'d'}");
        shows(api.get(records("v2")).ok().node("/items/0"), "{'both':'d'}");
        assertThat(api.get(record("v2")).at("/apiVersion")).isEqualTo(group + "/v2");
        try (Watching watch = api.watch(records("v2") + "?watch=true")) {
            shows(watch.next("ADDED", "r").object(), "{'both':'d'}");
        }
        Reply labelled = api.patch(record("v2"), Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                .ok();
        shows(labelled.body(), "{'both':'d'}");
        // A patch is given the defaults of its own version, which counts though they are not stored.
        assertThat(labelled.node("/metadata/generation").asInt()).isEqualTo(2);
        // What was written by the other version has lost what that does not know.
        shows(api.get(record("v1")).ok().body(), "{'both':'d','old':'o'}");
    }

    @DefiningTest
    void storesOfAnObjectWhatTheStoredVersionKnows() {
        define(
                version("v1", true, "'both':{'type':'string','default':'d'},'old':{'type':'string','default':'o'}"),
                version("v2", false, "'both':{'type':'string'},'new':{'type':'string','default':'n'}"));
        String fields = "'both':'b','new':'x'";
        Reply dry = api.create(records("v2") + "?dryRun=All", newRecord("v2", fields));
        shows(dry.ok().body(), "{'both':'b'}");
        Reply created = create("v2", fields);
        shows(created.body(), "{'both':'b'}");
        shows(api.get(record("v1")).ok().body(), "{'both':'b','old':'o'}");
        Reply same = api.patch(record("v2"), Api.MERGE_PATCH, "{'spec':{'new':'y'}}");
        shows(same.ok().body(), "{'both':'b'}");
    }

    @DefiningTest
    void nobodyOwnsTheDefaultsOfTheOtherVersion() {
        define(
                version("v1", true, "'both':{'type':'string'},'old':{'type':'string'}"),
                version("v2", false, "'both':{'type':'string'},'new':{'type':'string','default':'n'}"));
        create("v1", "'both':'b'");
        api.patch(record("v2") + "?fieldManager=labels", Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                .ok();
        String applied = newRecord("v2", "'new':'y'").toString();
        api.patch(record("v2") + "?fieldManager=owner", Api.APPLY_PATCH, applied)
                .ok();
    }

    @DefiningTest
    void storesAnObjectInANewVersionWhenItIsWrittenNext() {
        String both = "'kept':{'type':'string'}";
        define(version("v1", true, both), version("v2", false, both));
        Reply created = create("v1", "'kept':'a'");
        redefine(version("v1", false, both), version("v2", true, both));
        eventually(
                () -> assertThat(api.get(DEFINITIONS + "/records." + group).ok().node("/status/storedVersions"))
                        .hasSize(2));
        eventually(() -> assertThat(
                        api.patch(record("v1"), Api.MERGE_PATCH, "{}").ok().version())
                .isNotEqualTo(created.version()));
        Reply stored = api.get(record("v2")).ok();
        assertThat(stored.at("/apiVersion")).isEqualTo(group + "/v2");
        assertThat(stored.node("/metadata/generation").asInt()).isEqualTo(1);
        assertThat(api.patch(record("v1"), Api.MERGE_PATCH, "{}").ok().version())
                .isEqualTo(stored.version());
    }
}
