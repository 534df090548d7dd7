package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

class CustomResourceContractTest extends Contract {

    CustomResourceContractTest(TestedServer server) {
        super(server);
    }

    private static final String SCHEMA = """
            {'type':'object','properties':{
              'spec':{'type':'object','required':['size'],'properties':{
                'size':{'type':'integer','minimum':1,'maximum':9},
                'color':{'type':'string','enum':['red','green'],'default':'red'},
                'name':{'type':'string','pattern':'^[a-z]+$','maxLength':5},
                'any':{'type':'object','x-kubernetes-preserve-unknown-fields':true},
                'port':{'x-kubernetes-int-or-string':true},
                'tags':{'type':'array','x-kubernetes-list-type':'set','items':{'type':'string'}},
                'parts':{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['id'],
                  'items':{'type':'object','required':['id'],'properties':{'id':{'type':'string'},'n':{'type':'integer','default':3}}}}}},
              'status':{'type':'object','properties':{'phase':{'type':'string'},'replicas':{'type':'integer'},
                'conditions':{'type':'array','items':{'type':'object','properties':{'type':{'type':'string'},'status':{'type':'string'}}}}}}}}""";

    private String group = "";

    /** A group of its own for each case: CRDs have no namespace. */
    @BeforeEach
    void define() {
        group = namespace + ".example.com";
        define(
                "'subresources':{'status':{},'scale':{'specReplicasPath':'.spec.size','statusReplicasPath':'.status.replicas'}},");
    }

    private void define(String subresources) {
        ObjectNode crd = json("""
                {'apiVersion':'apiextensions.k8s.io/v1','kind':'CustomResourceDefinition','metadata':{'name':'things.%1$s'},
                 'spec':{'group':'%1$s','scope':'Namespaced','names':{'plural':'things','kind':'Thing','shortNames':['th']},
                  'versions':[{'name':'v1','served':true,'storage':true,%2$s
                   'additionalPrinterColumns':[{'name':'Size','type':'integer','jsonPath':'.spec.size'},
                     {'name':'Ready','type':'string','jsonPath':'.status.conditions[?(@.type==\\'Ready\\')].status'}],
                   'schema':{'openAPIV3Schema':%3$s}}]}}""", group, subresources, SCHEMA);
        api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
                .ok();
        eventually(() -> api.get(things()).ok());
    }

    private String crd() {
        return "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things." + group;
    }

    private String things() {
        return "/apis/" + group + "/v1/namespaces/" + namespace + "/things";
    }

    private String thing(String name) {
        return things() + "/" + name;
    }

    private ObjectNode newThing(String spec) {
        return json("{'apiVersion':'%s/v1','kind':'Thing','metadata':{'name':'t'},'spec':{%s}}", group, spec);
    }

    private Reply createThing(String spec) {
        return api.create(things(), newThing(spec));
    }

    @DefiningTest
    void establishesADefinition() {
        eventually(() -> assertThat(api.get(crd()).ok().node("/status/conditions"))
                .anySatisfy(condition -> {
                    assertThat(condition.path("type").asText()).isEqualTo("Established");
                    assertThat(condition.path("status").asText()).isEqualTo("True");
                }));
        assertThat(api.get(crd()).at("/status/acceptedNames/singular")).isEqualTo("thing");
        assertThat(api.get(crd()).at("/status/storedVersions/0")).isEqualTo("v1");
    }

    @DefiningTest
    void showsADefinitionInDiscovery() {
        eventually(() -> assertThat(api.get("/apis/" + group + "/v1")
                        .ok()
                        .node("/resources")
                        .findValuesAsText("name"))
                .contains("things", "things/status", "things/scale"));
    }

    @DefiningTest
    void refusesADefinitionOfAnotherName() {
        ObjectNode object = json(
                "{'apiVersion':'apiextensions.k8s.io/v1','kind':'CustomResourceDefinition','metadata':{'name':'wrong.%1$s'},"
                        + "'spec':{'group':'%1$s','scope':'Namespaced','names':{'plural':'others','kind':'Other'},'versions':"
                        + "[{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{'type':'object'}}}]}}",
                group);
        api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", object)
                .refused(422, "Invalid");
    }

    @DefiningTest
    void setsDefaults() {
        Reply created = createThing("'size':1,'parts':[{'id':'a'}]").ok();
        assertThat(created.at("/spec/color")).isEqualTo("red");
        assertThat(created.node("/spec/parts/0/n").asInt()).isEqualTo(3);
    }

    @DefiningTest
    void prunesUnknownFieldsWithAWarning() {
        Reply created = createThing("'size':1,'siez':2,'any':{'x':{'y':1}}").ok();
        assertThat(created.node("/spec/siez").isMissingNode()).isTrue();
        assertThat(created.node("/spec/any/x/y").asInt()).isEqualTo(1);
        assertThat(created.warnings()).anyMatch(warning -> warning.contains("unknown field \\\"spec.siez\\\""));
    }

    @DefiningTest
    void prunesSilentlyWhenToldTo() {
        Reply created = api.create(things() + "?fieldValidation=Ignore", newThing("'size':1,'siez':2"))
                .ok();
        assertThat(created.node("/spec/siez").isMissingNode()).isTrue();
        assertThat(created.warnings()).isEmpty();
    }

    @DefiningTest
    void refusesUnknownFieldsWhenStrict() {
        Reply reply = api.create(things() + "?fieldValidation=Strict", newThing("'size':1,'siez':2"))
                .refused(400, "BadRequest");
        assertThat(reply.message()).contains("strict decoding error: unknown field \"spec.siez\"");
    }

    @DefiningTest
    void refusesUnknownFieldsOfBuiltInTypesWhenStrict() {
        Reply reply = api.create(
                        configMaps() + "?fieldValidation=Strict",
                        newConfigMap("a").put("dat", "x"))
                .refused(400, "BadRequest");
        assertThat(reply.message())
                .isEqualTo(
                        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: unknown field \"dat\"");
    }

    @DefiningTest
    void takesAFinalizerWithoutADomain() {
        ObjectNode object = newThing("'size':1");
        object.withObject("metadata").putArray("finalizers").add("held");
        Reply created = api.create(things(), object).ok();
        assertThat(created.at("/metadata/finalizers/0")).isEqualTo("held");
        api.patch(thing("t"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
    }

    @DefiningTest
    void needsRequiredFields() {
        Reply reply = createThing("'color':'red'").refused(422, "Invalid");
        assertThat(reply.message()).contains("spec.size: Required value");
        assertThat(reply.at("/details/causes/0/reason")).isEqualTo("FieldValueRequired");
    }

    @DefiningTest
    void judgesTypes() {
        Reply reply = createThing("'size':'big'").refused(422, "Invalid");
        assertThat(reply.message())
                .contains(
                        "spec.size: Invalid value: \"string\": spec.size in body must be of type integer: \"string\"");
    }

    @DefiningTest
    void judgesEnums() {
        Reply reply = createThing("'size':1,'color':'blue'").refused(422, "Invalid");
        assertThat(reply.message())
                .contains("spec.color: Unsupported value: \"blue\": supported values: \"red\", \"green\"");
    }

    @DefiningTest
    void judgesBounds() {
        assertThat(createThing("'size':0").refused(422, "Invalid").message())
                .contains("spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1");
        assertThat(createThing("'size':10").refused(422, "Invalid").message())
                .contains("spec.size in body should be less than or equal to 9");
    }

    @DefiningTest
    void judgesPatternsAndLengths() {
        assertThat(createThing("'size':1,'name':'A'").refused(422, "Invalid").message())
                .contains("spec.name in body should match '^[a-z]+$'");
        assertThat(createThing("'size':1,'name':'abcdef'")
                        .refused(422, "Invalid")
                        .message())
                .contains("spec.name: Too long: may not be more than 5 bytes");
    }

    @DefiningTest
    void takesIntegersOrStrings() {
        assertThat(createThing("'size':1,'port':80").ok().node("/spec/port").asInt())
                .isEqualTo(80);
        api.delete(thing("t")).ok();
        assertThat(createThing("'size':1,'port':'http'").ok().at("/spec/port")).isEqualTo("http");
        api.delete(thing("t")).ok();
        assertThat(createThing("'size':1,'port':true").code()).isEqualTo(422);
    }

    @DefiningTest
    void needsAVersionForAPut() {
        createThing("'size':1").ok();
        Reply reply = api.put(thing("t"), newThing("'size':2")).refused(422, "Invalid");
        assertThat(reply.message())
                .contains("metadata.resourceVersion: Invalid value")
                .contains("must be specified for an update");
    }

    @DefiningTest
    void countsGenerationsOfTheSpecButNotOfTheStatus() {
        createThing("'size':1").ok();
        assertThat(api.patch(thing("t"), Api.MERGE_PATCH, "{'spec':{'size':2}}")
                        .ok()
                        .node("/metadata/generation")
                        .asInt())
                .isEqualTo(2);
        Reply status = api.patch(thing("t") + "/status", Api.MERGE_PATCH, "{'status':{'phase':'Good'}}")
                .ok();
        assertThat(status.at("/status/phase")).isEqualTo("Good");
        assertThat(status.node("/metadata/generation").asInt()).isEqualTo(2);
        assertThat(api.patch(thing("t"), Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                        .ok()
                        .node("/metadata/generation")
                        .asInt())
                .isEqualTo(2);
    }

    @DefiningTest
    void keepsStatusAndSpecApart() {
        createThing("'size':1").ok();
        Reply status = api.patch(
                        thing("t") + "/status", Api.MERGE_PATCH, "{'spec':{'size':5},'status':{'phase':'Good'}}")
                .ok();
        assertThat(status.node("/spec/size").asInt()).isEqualTo(1);
        Reply spec = api.patch(thing("t"), Api.MERGE_PATCH, "{'spec':{'size':5},'status':{'phase':'Bad'}}")
                .ok();
        assertThat(spec.at("/status/phase")).isEqualTo("Good");
        assertThat(spec.node("/spec/size").asInt()).isEqualTo(5);
    }

    @DefiningTest
    void keepsTheVersionOfAStatusThatDoesNotChange() {
        createThing("'size':1").ok();
        ObjectNode object =
                (ObjectNode) api.patch(thing("t") + "/status", Api.MERGE_PATCH, "{'status':{'phase':'Good'}}")
                        .ok()
                        .body();
        assertThat(api.put(thing("t") + "/status", object).ok().version())
                .isEqualTo(object.at("/metadata/resourceVersion").asText());
    }

    @DefiningTest
    void locksTheStatusOptimistically() {
        ObjectNode old = (ObjectNode) createThing("'size':1").ok().body();
        api.patch(thing("t"), Api.MERGE_PATCH, "{'spec':{'size':2}}").ok();
        old.putObject("status").put("phase", "Good");
        api.put(thing("t") + "/status", old).refused(409, "Conflict");
    }

    @DefiningTest
    void scales() {
        createThing("'size':1").ok();
        Reply scale = api.get(thing("t") + "/scale").ok();
        assertThat(scale.at("/kind")).isEqualTo("Scale");
        assertThat(scale.node("/spec/replicas").asInt()).isEqualTo(1);
        assertThat(api.patch(thing("t") + "/scale", Api.MERGE_PATCH, "{'spec':{'replicas':4}}")
                        .ok()
                        .node("/spec/replicas")
                        .asInt())
                .isEqualTo(4);
        assertThat(api.get(thing("t")).node("/spec/size").asInt()).isEqualTo(4);
    }

    @DefiningTest
    void knowsNoStatusSubresourceThatIsNotDefined() {
        api.delete(crd()).ok();
        eventually(() -> assertThat(api.get(crd()).code()).isEqualTo(404));
        define("");
        ObjectNode object = newThing("'size':1");
        object.putObject("status").put("phase", "Good");
        // A server that is late may still take the first one by the definition that was deleted.
        eventually(() -> {
            api.delete(thing("t"));
            assertThat(api.create(things(), object).ok().at("/status/phase")).isEqualTo("Good");
        });
        assertThat(api.patch(thing("t") + "/status", Api.MERGE_PATCH, "{}").code())
                .isEqualTo(404);
        Reply changed = api.patch(thing("t"), Api.MERGE_PATCH, "{'status':{'phase':'Bad'}}")
                .ok();
        assertThat(changed.node("/metadata/generation").asInt()).isEqualTo(2);
    }

    @DefiningTest
    void takesNoStrategicMergePatch() {
        createThing("'size':1").ok();
        api.patch(thing("t"), Api.STRATEGIC_PATCH, "{'spec':{'size':2}}").refused(415, "UnsupportedMediaType");
    }

    @DefiningTest
    void appliesListsByTheKeysOfTheSchema() {
        String path = thing("t") + "?fieldManager=";
        String start = "{'apiVersion':'" + group + "/v1','kind':'Thing','metadata':{'name':'t'},'spec':{";
        api.patch(path + "one", Api.APPLY_PATCH, start + "'size':1,'tags':['a'],'parts':[{'id':'x','n':1}]}}")
                .ok();
        Reply merged = api.patch(
                        path + "two", Api.APPLY_PATCH, start + "'size':1,'tags':['b'],'parts':[{'id':'y','n':2}]}}")
                .ok();
        assertThat(merged.node("/spec/parts").findValuesAsText("id")).containsExactly("x", "y");
        assertThat(merged.node("/spec/tags")).extracting(JsonNode::asText).containsExactly("a", "b");
        Reply conflict = api.patch(path + "two", Api.APPLY_PATCH, start + "'size':1,'parts':[{'id':'x','n':9}]}}");
        assertThat(conflict.refused(409, "Conflict").at("/details/causes/0/field"))
                .isEqualTo(".spec.parts[id=\"x\"].n");
    }

    @DefiningTest
    void printsItsColumns() {
        createThing("'size':7").ok();
        api.patch(
                        thing("t") + "/status",
                        Api.MERGE_PATCH,
                        "{'status':{'conditions':[{'type':'Ready','status':'True'}]}}")
                .ok();
        Reply table = api.get(things(), "application/json;as=Table;v=v1;g=meta.k8s.io")
                .ok();
        assertThat(table.node("/columnDefinitions").findValuesAsText("name")).containsExactly("Name", "Size", "Ready");
        assertThat(table.node("/rows/0/cells")).extracting(JsonNode::asText).containsExactly("t", "7", "True");
        assertThat(table.at("/rows/0/object/metadata/name")).isEqualTo("t");
    }

    @DefiningTest
    void deletesWhatADefinitionDefined() {
        createThing("'size':1").ok();
        api.delete(crd()).ok();
        eventually(() -> assertThat(api.get(things()).code()).isEqualTo(404));
    }

    @DefiningTest
    void keepsADefinitionUntilItsInstancesAreGone() {
        ObjectNode held = newThing("'size':1");
        ((ObjectNode) held.get("metadata")).putArray("finalizers").add("example.com/f");
        Reply created = api.create(things(), held).ok();
        try (Watching watch = api.watch(things() + "?watch=true&resourceVersion=" + created.version())) {
            Reply deleted = api.delete(crd()).ok();
            assertThat(deleted.at("/kind")).isEqualTo("CustomResourceDefinition");
            assertThat(deleted.at("/metadata/finalizers/0")).isEqualTo("customresourcecleanup.apiextensions.k8s.io");
            eventually(() -> assertThat(api.get(thing("t")).ok().at("/metadata/deletionTimestamp"))
                    .isNotEmpty());
            assertThat(api.get(crd()).ok().node("/status/conditions").findValuesAsText("type"))
                    .contains("Terminating");
            ObjectNode late = newThing("'size':1");
            ((ObjectNode) late.get("metadata")).put("name", "late");
            assertThat(api.create(things(), late).refused(403, "Forbidden").message())
                    .contains("create not allowed while custom resource definition is terminating");
            api.patch(thing("t"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                    .ok();
            eventually(() -> api.get(crd()).refused(404, "NotFound"));
            assertThat(watch.toEnd()).extracting(Object::toString).containsExactly("MODIFIED t", "DELETED t");
        }
    }

    @DefiningTest
    void endsTheWatchesOfAVersionThatIsNoLongerServedAndKeepsItsObjects() {
        String before = api.get(things()).version();
        try (Watching watch = api.watch(things() + "?watch=true&resourceVersion=" + before)) {
            createThing("'size':1").ok();
            watch.next("ADDED", "t");
            serve(false);
            eventually(() -> assertThat(api.get(things()).code()).isEqualTo(404));
            assertThat(watch.toEnd()).isEmpty();
        }
        serve(true);
        eventually(() -> api.get(thing("t")).ok());
    }

    private void serve(boolean served) {
        api.patch(crd(), Api.JSON_PATCH, "[{'op':'replace','path':'/spec/versions/0/served','value':" + served + "}]")
                .ok();
    }

    @DefiningTest
    void notesTheVersionsThatWereStored() {
        String version = "{'name':'%s','served':true,'storage':%s,'schema':{'openAPIV3Schema':{'type':'object'}}}";
        api.patch(
                        crd(),
                        Api.MERGE_PATCH,
                        "{'spec':{'versions':[" + version.formatted("v1", false) + "," + version.formatted("v2", true)
                                + "]}}")
                .ok();
        eventually(() -> assertThat(api.get(crd()).ok().node("/status/storedVersions"))
                .extracting(JsonNode::asText)
                .containsExactly("v1", "v2"));
    }

    private Reply define(String scope, String values, String path) {
        ObjectNode crd = json("""
                {'metadata':{'name':'others.%1$s'},
                 'spec':{'group':'%1$s','scope':'%2$s','names':{'plural':'others','kind':'Other'},'versions':[
                  {'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{'type':'object','properties':
                    {'a':{'type':'string',%3$s}}}},
                   'additionalPrinterColumns':[{'name':'A','type':'string','jsonPath':'.a'},
                    {'name':'B','type':'string','jsonPath':'%4$s'}]}]}}""", group, scope, values, path);
        return api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
    }

    @DefiningTest
    void refusesItemsThatAreThereTwice() {
        String twice = "'parts':[{'id':'x'},{'id':'y'},{'id':'x','n':4},{'id':'x'}]";
        Reply refused = createThing("'size':1," + twice).refused(422, "Invalid");
        assertThat(refused.node("/details/causes")).hasSize(1);
        assertThat(refused.at("/details/causes/0/reason")).isEqualTo("FieldValueDuplicate");
        assertThat(refused.at("/details/causes/0/field")).isEqualTo("spec.parts[2]");
        assertThat(refused.at("/details/causes/0/message")).isEqualTo("Duplicate value: {\"id\":\"x\"}");
        refused = createThing("'size':1,'tags':['a','b','a']").refused(422, "Invalid");
        assertThat(refused.message()).contains("spec.tags[2]: Duplicate value: \"a\"");
        refused = createThing("'size':1,'parts':[{'n':1},null]").refused(422, "Invalid");
        assertThat(refused.message()).contains("spec.parts[1]: Duplicate value: {}");
        refused = createThing("'size':1,'parts':[{'id':'x'},{'id':'x'},7]").refused(422, "Invalid");
        assertThat(refused.message()).contains("must be an object for an array").doesNotContain("Duplicate");
        createThing("'size':1,'tags':['a','b'],'parts':[{'id':'x'},{'id':'y'}]").ok();
        api.patch(thing("t"), Api.MERGE_PATCH, "{'spec':{" + twice + "}}").refused(422, "Invalid");
    }

    @DefiningTest
    void refusesDefinitionsThatMakeNoSense() {
        assertThat(define("X", "'pattern':'a'", ".a").refused(422, "Invalid").message())
                .contains("spec.scope: Unsupported value: \"X\": supported values: \"Cluster\", \"Namespaced\"");
        String wrong =
                "pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`";
        String at = "spec.validation.openAPIV3Schema.properties[a].";
        String pattern = "'pattern':'('";
        assertThat(define("Cluster", pattern, ".a").refused(422, "Invalid").message())
                .contains(at + wrong);
        for (String junctor : List.of("allOf", "anyOf", "oneOf")) {
            String values = "'" + junctor + "':[{" + pattern + "}]";
            assertThat(define("Cluster", values, ".a").refused(422, "Invalid").message())
                    .contains(at + junctor + "[0]." + wrong);
        }
        String none = "'not':{'not':{" + pattern + "}}";
        assertThat(define("Cluster", none, ".a").refused(422, "Invalid").message())
                .contains(at + "not.not." + wrong);
        assertThat(define("Cluster", "'pattern':'a'", "a")
                        .refused(422, "Invalid")
                        .message())
                .contains(
                        "spec.additionalPrinterColumns[1].JSONPath: Invalid value: \"a\": must be a simple json path starting with .");
        api.get(crd().replace("things", "others")).refused(404, "NotFound");
    }

    @DefiningTest
    void takesPatternsInGosDialectAndPrintsNoFurtherThanAColumnItCannotRead() {
        define("Cluster", "'pattern':'^(?P<letters>[[:lower:]]+)$'", "..[[").ok();
        String others = "/apis/" + group + "/v1/others";
        String other = "{'apiVersion':'%s/v1','kind':'Other','metadata':{'name':'o'},'a':'%s'}";
        eventually(() -> api.create(others, json(other, group, "A")).refused(422, "Invalid"));
        api.create(others, json(other, group, "a")).ok();
        Reply table =
                api.get(others, "application/json;as=Table;v=v1;g=meta.k8s.io").ok();
        assertThat(table.node("/columnDefinitions").findValuesAsText("name")).containsExactly("Name", "A");
        api.delete(crd().replace("things", "others")).ok();
    }

    @DefiningTest
    void watchesCustomResources() {
        try (Watching watch = api.watch(
                things() + "?watch=true&resourceVersion=" + api.get(things()).version())) {
            createThing("'size':1").ok();
            assertThat(watch.next("ADDED", "t").object().path("kind").asText()).isEqualTo("Thing");
        }
    }

    @DefiningTest
    void toleratesWhatAnUpdateLeavesInvalid() {
        String path = crd();
        String loose = "{'type':'object','x-kubernetes-preserve-unknown-fields':true}";
        String replace = "[{'op':'replace','path':'/spec/versions/0/schema/openAPIV3Schema','value':%s}]";
        api.patch(path, Api.JSON_PATCH, replace.formatted(loose)).ok();
        String spec =
                "'size':10,'color':'blue','name':'abcdefgh','port':true,'tags':['a','a'],'parts':[{'id':'a','n':'x'},{'id':'b'}]";
        eventually(() -> {
            api.delete(thing("t"));
            createThing(spec).ok();
        });
        api.patch(path, Api.JSON_PATCH, replace.formatted(SCHEMA)).ok();
        String dry = thing("t") + "?dryRun=All";
        eventually(() -> api.patch(dry, Api.MERGE_PATCH, "{'spec':{'size':11}}").refused(422, "Invalid"));
        for (String patch : List.of(
                "{'metadata':{'labels':{'a':'b'}}}",
                "{'spec':{'any':{}}}",
                "{'spec':{'size':9}}",
                "{'spec':{'tags':['a','a','b']}}",
                "{'spec':{'parts':[{'id':'b'},{'id':'a','n':'x'},{'id':'c'}]}}")) {
            assertThat(api.patch(dry, Api.MERGE_PATCH, patch).ok().warnings()).isEmpty();
        }
        api.patch(thing("t") + "/status", Api.MERGE_PATCH, "{'status':{'phase':'Ready'}}")
                .ok();
        for (String patch : List.of(
                "{'spec':{'size':0}}",
                "{'spec':{'color':'black'}}",
                "{'spec':{'name':'ABC'}}",
                "{'spec':{'parts':[{'id':'a','n':'y'},{'id':'b'}]}}")) {
            api.patch(dry, Api.MERGE_PATCH, patch).refused(422, "Invalid");
        }
    }
}
