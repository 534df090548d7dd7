package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A CRD's rules: x-kubernetes-validations. */
class CelContractTest extends Contract {

    private final String group;

    CelContractTest(TestedServer server) {
        super(server);
        group = namespace + ".example.com";
    }

    /** Double quotes are for strings inside rules here: those of JSON are single. */
    private ObjectNode definition(String root) {
        return json("""
                {'apiVersion':'apiextensions.k8s.io/v1','kind':'CustomResourceDefinition','metadata':{'name':'rulers.%1$s'},
                 'spec':{'group':'%1$s','scope':'Namespaced','names':{'plural':'rulers','kind':'Ruler'},
                  'versions':[{'name':'v1','served':true,'storage':true,'subresources':{'status':{}},
                   'schema':{'openAPIV3Schema':{'type':'object',%2$s}}}]}}""", group, root.replace("\"", "\\\""));
    }

    private static String spec(String schema) {
        return "'properties':{'spec':{'type':'object'," + schema + "}}";
    }

    private void define(String root) {
        api.create(DEFINITIONS, definition(root)).ok();
        eventually(() -> api.get(rulers()).ok());
    }

    private Reply refuse(String root) {
        return api.create(DEFINITIONS, definition(root)).refused(422, "Invalid");
    }

    private String rulers() {
        return "/apis/" + group + "/v1/namespaces/" + namespace + "/rulers";
    }

    private String ruler() {
        return rulers() + "/r";
    }

    private ObjectNode newRuler(String fields) {
        return json("{'apiVersion':'%s/v1','kind':'Ruler','metadata':{'name':'r'},%s}", group, fields);
    }

    private Reply create(JsonNode ruler) {
        return api.create(rulers(), ruler);
    }

    private Reply createSpec(String fields) {
        return create(newRuler("'spec':{" + fields + "}"));
    }

    private Reply patch(String spec) {
        return api.patch(ruler(), Api.MERGE_PATCH, "{'spec':{" + spec + "}}");
    }

    private static void cause(Reply reply, String reason, String field, String message) {
        reply.refused(422, "Invalid");
        assertThat(reply.node("/details/causes")).hasSize(1);
        assertThat(reply.at("/details/causes/0/reason")).isEqualTo(reason);
        assertThat(reply.at("/details/causes/0/field")).isEqualTo(field);
        assertThat(reply.at("/details/causes/0/message")).isEqualTo(message);
        assertThat(reply.message()).endsWith("is invalid: " + field + ": " + message);
    }

    private static void refused(Reply reply, String field, String message) {
        cause(reply, "FieldValueInvalid", field, message);
    }

    private static final String RANGE = spec("""
            'properties':{'min':{'type':'integer'},'max':{'type':'integer'}},
            'x-kubernetes-validations':[{'rule':'self.min <= self.max','message':'min is greater than max'}]""");

    @DefiningTest
    void takesWhatTheRulesAllowAndRefusesTheRest() {
        define(RANGE);
        createSpec("'min':1,'max':2").ok();
        refused(patch("'min':3"), "spec", "Invalid value: min is greater than max");
        patch("'min':2").ok();
        ObjectNode object = (ObjectNode) api.get(ruler()).body();
        object.withObject("/spec").put("max", 0);
        refused(api.put(ruler(), object), "spec", "Invalid value: min is greater than max");
        String applied = newRuler("'spec':{'min':9,'max':2}").toString();
        refused(
                api.patch(ruler() + "?fieldManager=f&force=true", Api.APPLY_PATCH, applied),
                "spec",
                "Invalid value: min is greater than max");
    }

    @DefiningTest
    void showsTheRuleWhereThereIsNoMessage() {
        define(spec("'properties':{'size':{'type':'integer','x-kubernetes-validations':[{'rule':'self < 5'}]}}"));
        refused(createSpec("'size':7"), "spec.size", "Invalid value: 7: failed rule: self < 5");
    }

    @DefiningTest
    void judgesItemsOfListsAndValuesOfMaps() {
        define(spec("""
                'properties':{
                 'list':{'type':'array','maxItems':9,'items':{'type':'object','properties':{'n':{'type':'string','maxLength':9,
                  'x-kubernetes-validations':[{'rule':'self.startsWith("a")','message':'no a'}]}}}},
                 'map':{'type':'object','maxProperties':9,'additionalProperties':{'type':'integer',
                  'x-kubernetes-validations':[{'rule':'self != 0','message':'is zero'}]}}}"""));
        createSpec("'list':[{'n':'ab'},{}],'map':{'x':1}").ok();
        refused(patch("'list':[{'n':'ab'},{'n':'b'}]"), "spec.list[1].n", "Invalid value: \"b\": no a");
        refused(patch("'map':{'y':0}"), "spec.map[y]", "Invalid value: 0: is zero");
    }

    @DefiningTest
    void judgesTransitionsOnUpdatesOnly() {
        define(spec("""
                'properties':{'name':{'type':'string','x-kubernetes-validations':[
                 {'rule':'self == oldSelf','message':'is immutable'}]}}"""));
        createSpec("'name':'a'").ok();
        refused(patch("'name':'b'"), "spec.name", "Invalid value: \"b\": is immutable");
        patch("'name':null").ok();
        patch("'name':'c'").ok();
    }

    @DefiningTest
    void judgesTransitionsOfItemsWithKeys() {
        define(spec("""
                'properties':{'parts':{'type':'array','maxItems':9,'x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['id'],
                 'items':{'type':'object','required':['id'],'properties':{'id':{'type':'string'},'n':{'type':'integer'}},
                  'x-kubernetes-validations':[{'rule':'self.n >= oldSelf.n','message':'shrinks'}]}}}"""));
        createSpec("'parts':[{'id':'a','n':1},{'id':'b','n':5}]").ok();
        patch("'parts':[{'id':'c','n':0},{'id':'b','n':6},{'id':'a','n':1}]").ok();
        refused(patch("'parts':[{'id':'c','n':0},{'id':'b','n':5}]"), "spec.parts[1]", "Invalid value: shrinks");
    }

    @Test
    void refusesTransitionsOfItemsWithoutKeys() {
        Reply reply = refuse(spec("""
                'properties':{'parts':{'type':'array','maxItems':9,'items':{'type':'integer',
                  'x-kubernetes-validations':[{'rule':'self >= oldSelf'}]}}}"""));
        assertThat(reply.at("/details/causes/0/field"))
                .endsWith(".openAPIV3Schema.properties[spec].properties[parts].items.x-kubernetes-validations[0].rule");
        assertThat(reply.at("/details/causes/0/message"))
                .contains("oldSelf cannot be used on the uncorrelatable portion of the schema within");
    }

    @DefiningTest
    void judgesCreationsByAnOptionalOldSelf() {
        define(spec("""
                'properties':{'n':{'type':'integer','x-kubernetes-validations':[{'optionalOldSelf':true,'message':'does not count up',
                 'rule':'oldSelf.hasValue() ? self == oldSelf.value() + 1 : self == 1'}]}}"""));
        refused(createSpec("'n':2"), "spec.n", "Invalid value: 2: does not count up");
        createSpec("'n':1").ok();
        patch("'n':2").ok();
        refused(patch("'n':2,'n':5"), "spec.n", "Invalid value: 5: does not count up");
    }

    @DefiningTest
    void evaluatesMessages() {
        define(spec("""
                'properties':{'n':{'type':'integer'},'list':{'type':'array','maxItems':3,'items':{'type':'string','maxLength':9}}},
                'x-kubernetes-validations':[{'rule':'self.n < 5','message':'static',
                 'messageExpression':'self.list[0] + " is in it"'}]"""));
        refused(createSpec("'n':7,'list':['x']"), "spec", "Invalid value: x is in it");
        refused(createSpec("'n':7,'list':[]"), "spec", "Invalid value: static");
    }

    @DefiningTest
    void namesTheFieldAndTheReason() {
        define("""
                'properties':{'spec':{'type':'object','properties':{'a':{'type':'integer'},'b':{'type':'string'}}}},
                'x-kubernetes-validations':[
                 {'rule':'!has(self.spec.a) || has(self.spec.b)','fieldPath':'.spec.b','reason':'FieldValueRequired','message':'needed with a'},
                 {'rule':'!has(self.spec.a) || self.spec.a < 5','fieldPath':'.spec.a','reason':'FieldValueForbidden','message':'too big'},
                 {'rule':'!has(self.spec.a) || self.spec.a != 3','fieldPath':'.spec.a','reason':'FieldValueDuplicate','message':'again'}]""");
        cause(createSpec("'a':1"), "FieldValueRequired", "spec.b", "Required value: needed with a");
        cause(createSpec("'a':7,'b':'x'"), "FieldValueForbidden", "spec.a", "Forbidden: too big");
        cause(createSpec("'a':3,'b':'x'"), "FieldValueDuplicate", "spec.a", "Duplicate value");
    }

    @Test
    void refusesAFieldPathThatLeadsNowhere() {
        Reply reply = refuse(spec("""
                'properties':{'a':{'type':'integer'}},'x-kubernetes-validations':[{'rule':'self.a > 0','fieldPath':'.b'}]"""));
        refused(reply, reply.at("/details/causes/0/field"), "Invalid value: \".b\": must be a valid path");
        assertThat(reply.at("/details/causes/0/field"))
                .endsWith(".openAPIV3Schema.properties[spec].x-kubernetes-validations[0].fieldPath");
    }

    @DefiningTest
    void seesTheObjectsName() {
        define("""
                'x-kubernetes-validations':[
                 {'rule':'self.metadata.name == "r" && self.kind == "Ruler" && self.apiVersion.endsWith("/v1")','message':'not so'}]""");
        create(newRuler("'x':1")).ok();
        ObjectNode other = newRuler("'x':1");
        other.withObject("/metadata").put("name", "s");
        refused(create(other), "<nil>", "Invalid value: not so");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "self.sise < 5 | undefined field 'sise'",
                "self.size < \"a\" | found no matching overload for '_<_' applied to '(int, string)'",
                "\"a\".matches(\"(\") | invalid matches argument",
                "self.size | cel expression must evaluate to a bool",
                "self.size < | mismatched input '<EOF>'",
                "self.nope() | undeclared reference to 'nope'",
                "[1, \"a\"].size() == self.size | expected type 'int' but found 'string'",
                "self.metadata.name == \"a\" | undefined field 'metadata'"
            })
    void refusesRulesThatMakeNoSense(String rule, String why) {
        Reply reply = refuse(spec("""
                'properties':{'size':{'type':'integer'}},'x-kubernetes-validations':[{'rule':'true'},{'rule':'%s'}]""".formatted(rule)));
        assertThat(reply.at("/details/causes/0/field"))
                .endsWith(".openAPIV3Schema.properties[spec].x-kubernetes-validations[1].rule");
        assertThat(reply.at("/details/causes/0/reason")).isEqualTo("FieldValueInvalid");
        assertThat(reply.at("/details/causes/0/message")).contains(why);
    }

    @Test
    void refusesAMessageThatIsNoString() {
        Reply reply = refuse(spec("""
                'properties':{'size':{'type':'integer'}},
                'x-kubernetes-validations':[{'rule':'self.size > 1','messageExpression':'self.size'}]"""));
        assertThat(reply.at("/details/causes/0/field")).endsWith(".x-kubernetes-validations[0].messageExpression");
        assertThat(reply.at("/details/causes/0/message")).contains("messageExpression must evaluate to a string");
    }

    @DefiningTest
    void judgesRangesAndAddresses() {
        define(spec("""
                'properties':{'cidr':{'type':'string','maxLength':49},'gateway':{'type':'string','maxLength':45}},
                'x-kubernetes-validations':[
                 {'rule':'isCIDR(self.cidr)','message':'no range','fieldPath':'.cidr'},
                 {'rule':'!isCIDR(self.cidr) || cidr(self.cidr) == cidr(self.cidr).masked()','message':'host bits','fieldPath':'.cidr'},
                 {'rule':'!isIP(self.gateway) || !isCIDR(self.cidr) || cidr(self.cidr).containsIP(self.gateway)','message':'outside','fieldPath':'.gateway'},
                 {'rule':'!isIP(self.gateway) || !isCIDR(self.cidr) || !(ip(self.gateway) == cidr(self.cidr).masked().ip())','message':'network address','fieldPath':'.gateway'}]"""));
        createSpec("'cidr':'10.1.0.0/16','gateway':'10.1.2.3'").ok();
        patch("'cidr':'fd00:1::/64','gateway':'FD00:1::1'").ok();
        for (String wrong :
                new String[] {"10.1.0.0", "10.01.0.0/16", "10.1.0.0/33", "::ffff:10.0.0.0/104", "10.1.0.0/08", ""}) {
            refused(patch("'cidr':'" + wrong + "'"), "spec.cidr", "Invalid value: no range");
        }
        refused(patch("'cidr':'10.1.0.5/16','gateway':'10.1.0.9'"), "spec.cidr", "Invalid value: host bits");
        refused(patch("'cidr':'10.1.0.0/16','gateway':'fd00:1::1'"), "spec.gateway", "Invalid value: outside");
        refused(patch("'cidr':'10.1.0.0/16','gateway':'10.2.0.1'"), "spec.gateway", "Invalid value: outside");
        refused(patch("'gateway':'fd00:1::'"), "spec.gateway", "Invalid value: network address");
    }

    /** All that is true of {@link #VALUES}. */
    private static final String TRUTHS = """
            ip("10.0.0.1").family() == 4 && ip("fd00::1").family() == 6
            ip.isCanonical("fd00::1") && !ip.isCanonical("FD00::1") && string(ip("FD00:0::1")) == "fd00::1"
            ip("127.0.0.1").isLoopback() && ip("::").isUnspecified() && ip("169.254.1.1").isLinkLocalUnicast()
            ip("224.0.0.1").isLinkLocalMulticast() && ip("8.8.8.8").isGlobalUnicast()
            !ip("255.255.255.255").isGlobalUnicast() && !isIP("1.2.3") && !isIP("::ffff:1.2.3.4")
            !isIP("fe80::1%eth0") && !isIP("01.2.3.4") && isIP("1:2:3:4:5:6:7::") && !isIP("1::2::3")
            cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16") && !cidr("10.1.0.0/16").containsCIDR(cidr("10.0.0.0/8"))
            cidr("10.1.2.3/20").prefixLength() == 20 && string(cidr("10.1.255.3/20").masked()) == "10.1.240.0/20"
            self.numbers.max() == 3 && self.numbers.min() == 1 && self.numbers.sum() == 6
            self.tags.isSorted() && !self.numbers.isSorted()
            self.numbers.indexOf(3) == 0 && self.numbers.lastIndexOf(2) == 2 && self.tags.indexOf("z") == -1
            self.text.find("[0-9]+") == "12" && self.text.findAll("[a-z]") == ["a", "b", "c"]
            self.text.findAll("[a-z]", 1) == ["a"] && self.text.find("z") == ""
            " Ab".trim().lowerAscii() == "ab" && self.text.split(",").size() == 2 && self.tags.join("-") == "a-b"
            sets.contains(self.numbers, [1]) && self.numbers.sort() == [1, 2, 3] && [1, 1].distinct() == [1]
            self.?none.orValue("x") == "x" && self.numbers.all(i, v, i < 3 && v < 4) && optional.of(1).hasValue()
            self.when > timestamp("2020-01-01T00:00:00Z") && self.when.getFullYear() == 2021 && self.day < self.when
            self.wait == duration("90m") && self.wait > duration("1h") && self.data == b"hi"
            type(self.port) == int ? self.port < 100 : self.port == "http"
            self.__namespace__ == "a" && self.x__dash__y == 1 && self.x__dot__z__slash__ == 2 && self.a__underscores__b == 3
            self.ratio == 2.0 && self.ratio > 1 && self.ratio < 2.5 && 1 == int(self.ratio) / 2
            self.tags == ["b", "a"] && self.tags + ["a", "c"] == ["a", "b", "c"] && self.tags[0] == "a"
            self.parts == self.parts && self.parts.exists(p, p.id == "x") && self.parts[1].id == "y"
            has(self.labels.a) && self.labels["b"] == "2" && "a" in self.labels && self.labels.size() == 2 && !has(self.gone)
            self.whole.metadata.name == "w" && self.whole.kind == "K" && self.any == self.any && "b" in self.tags
            quantity("200M").compareTo(quantity("0.2G")) == 0 && quantity("50Mi").isGreaterThan(quantity("50M"))
            quantity("50M").isLessThan(quantity("100M")) && quantity("1500m") == quantity("1.5") && !(quantity("1Ki") == quantity("1k"))
            quantity("50k").add(20).sub(quantity("100k")).sub(-50000) == quantity("20") && sign(quantity("-1")) == -1
            quantity("50k").asInteger() == 50000 && quantity("9999999999999999999999999999999999999G").isInteger() == false
            !quantity("1.5").isInteger() && !quantity("1.0").isInteger() && !quantity("1.5Gi").isInteger() && quantity("1.5k").isInteger()
            quantity("0.1").add(quantity("0.9")).isInteger() == false && quantity("1.5Ki").sub(quantity("1536")) == quantity("0")
            quantity("1500m").asApproximateFloat() == 1.5 && quantity("2e3") == quantity("2k") && quantity("1E3") == quantity("1k")
            !isQuantity("") && !isQuantity("200K") && !isQuantity("1,3G") && !isQuantity("Three") && !isQuantity("1e") && !isQuantity("1.2.3") && !isQuantity("1 Gi") && !isQuantity("0x1")
            isQuantity("1.3Gi") && isQuantity("10000k") && isQuantity("+1") && isQuantity("-0.5") && isQuantity("1.") && isQuantity(".5") && isQuantity("1E")
            quantity("0.0000000001") == quantity("1n") && quantity("9999999Ei") == quantity("9223372036854775807")""";

    private static final String VALUES = """
            'when':'2021-02-03T04:05:06Z','day':'2021-02-03','wait':'1h30m','data':'aGk=','port':80,'namespace':'a',
            'x-y':1,'x.z/':2,'a__b':3,'ratio':2,'tags':['a','b'],'numbers':[3,1,2],'text':'ab,c12','parts':[{'id':'x'},{'id':'y'}],
            'labels':{'a':'1','b':'2'},'whole':{'apiVersion':'v1','kind':'K','metadata':{'name':'w'}},'any':{'x':[1,{'y':2}]},'gone':null""";

    @DefiningTest
    void knowsTheFunctionsOfKubernetes() {
        String rules = TRUTHS.lines().map(rule -> "{'rule':'" + rule + "'}").collect(Collectors.joining(","));
        define(spec("""
                'properties':{
                 'none':{'type':'string'},'gone':{'type':'string','nullable':true},'text':{'type':'string','maxLength':9},
                 'when':{'type':'string','format':'date-time'},'day':{'type':'string','format':'date'},
                 'wait':{'type':'string','format':'duration'},'data':{'type':'string','format':'byte'},
                 'port':{'x-kubernetes-int-or-string':true},'namespace':{'type':'string'},
                 'x-y':{'type':'integer'},'x.z/':{'type':'integer'},'a__b':{'type':'integer'},'ratio':{'type':'number'},
                 'numbers':{'type':'array','maxItems':3,'items':{'type':'integer'}},
                 'tags':{'type':'array','maxItems':3,'x-kubernetes-list-type':'set','items':{'type':'string','maxLength':9}},
                 'parts':{'type':'array','maxItems':3,'x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['id'],
                  'items':{'type':'object','required':['id'],'properties':{'id':{'type':'string','maxLength':9}}}},
                 'labels':{'type':'object','maxProperties':3,'additionalProperties':{'type':'string','maxLength':9}},
                 'whole':{'type':'object','x-kubernetes-embedded-resource':true,'x-kubernetes-preserve-unknown-fields':true},
                 'any':{'type':'object','x-kubernetes-preserve-unknown-fields':true}},
                'x-kubernetes-validations':[""" + rules + "]"));
        createSpec(VALUES).ok();
    }

    @DefiningTest
    void refusesWhatCannotBeJudged() {
        define(spec("""
                'properties':{'n':{'type':'integer'},'none':{'type':'integer'},'port':{'x-kubernetes-int-or-string':true},
                 'list':{'type':'array','maxItems':3,'items':{'type':'integer'}},
                 'map':{'type':'object','maxProperties':3,'additionalProperties':{'type':'integer'}}},
                'x-kubernetes-validations':[
                 {'rule':'8 / self.n == 1'},{'rule':'self.list[3] == 1'},{'rule':'self.map["k"] == 1','message':'no k'},
                 {'rule':'self.none == 1'},{'rule':'self.port < 5'},{'rule':'quantity(string(self.port)).isInteger()'},
                 {'rule':'quantity("1.5").asInteger() == self.n'}]"""));
        Reply reply = createSpec("'n':0,'list':[1],'map':{},'port':'http'").refused(422, "Invalid");
        String start = "Invalid value: \"object\": ";
        assertThat(reply.node("/details/causes").findValuesAsText("message"))
                .containsExactlyInAnyOrder(
                        start + "division by zero evaluating rule: 8 / self.n == 1",
                        start + "index out of bounds: 3 evaluating rule: self.list[3] == 1",
                        start + "no such key: k evaluating rule: no k",
                        start + "no such key: none evaluating rule: self.none == 1",
                        start
                                + "quantities must match the regular expression"
                                + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
                                + " evaluating rule: quantity(string(self.port)).isInteger()",
                        start
                                + "cannot convert value to integer evaluating rule: quantity(\"1.5\").asInteger() == self.n",
                        start
                                + "'no such overload': call arguments did not match a supported operator, function or macro"
                                + " signature for rule: self.port < 5");
    }

    @DefiningTest
    void judgesTheStatus() {
        define("""
                'properties':{'spec':{'type':'object','properties':{'n':{'type':'integer'}}},
                 'status':{'type':'object','properties':{'n':{'type':'integer'}},
                  'x-kubernetes-validations':[{'rule':'self.n >= 0','message':'is negative'}]}},
                'x-kubernetes-validations':[{'rule':'!has(self.status) || self.status.n <= self.spec.n','message':'too much'}]""");
        createSpec("'n':3").ok();
        String status = ruler() + "/status";
        refused(api.patch(status, Api.MERGE_PATCH, "{'status':{'n':-1}}"), "status", "Invalid value: is negative");
        refused(api.patch(status, Api.MERGE_PATCH, "{'status':{'n':4}}"), "<nil>", "Invalid value: too much");
        api.patch(status, Api.MERGE_PATCH, "{'status':{'n':2}}").ok();
    }

    @DefiningTest
    void toleratesWhatAnUpdateLeavesAsItWas() {
        String values = "'properties':{'a':{'type':'string','maxLength':9%s},'b':{'type':'string'}}";
        define(spec(values.formatted("")));
        createSpec("'a':'old','b':'x'").ok();
        String rules = ",'x-kubernetes-validations':[{'rule':'self.startsWith(\"n\")','message':'not new'}]";
        ObjectNode definition = definition(spec(values.formatted(rules)));
        api.patch(DEFINITIONS + "/rulers." + group, Api.MERGE_PATCH, definition.toString())
                .ok();
        eventually(() -> refused(
                api.patch(ruler() + "?dryRun=All", Api.MERGE_PATCH, "{'spec':{'a':'other'}}"),
                "spec.a",
                "Invalid value: \"other\": not new"));
        String warning = "299 - \"spec.a: Invalid value: \\\"old\\\": not new\"";
        assertThat(patch("'b':'y'").ok().warnings()).containsExactly(warning);
        Reply status = api.patch(ruler() + "/status", Api.MERGE_PATCH, "{'metadata':{'labels':{}}}");
        assertThat(status.ok().warnings()).containsExactly(warning);
        assertThat(patch("'a':'new'").ok().warnings()).isEmpty();
        refused(patch("'a':'old'"), "spec.a", "Invalid value: \"old\": not new");
    }

    @DefiningTest
    void doesNotJudgeByRulesWhatTheSchemaRefuses() {
        define(spec("""
                'required':['size'],'properties':{'size':{'type':'integer'}},
                'x-kubernetes-validations':[{'rule':'self.size > 1'}]"""));
        Reply reply = createSpec("").refused(422, "Invalid");
        assertThat(reply.node("/details/causes").findValuesAsText("message"))
                .containsExactlyInAnyOrder(
                        "Required value",
                        "Invalid value: null: some validation rules were not checked because the object was invalid;"
                                + " correct the existing errors to complete validation");
    }

    @DefiningTest
    void takesAllFunctionsOrNamesThoseThatItLacks() {
        String root = spec("""
                'properties':{'size':{'type':'string','maxLength':9}},
                'x-kubernetes-validations':[{'rule':'!isURL(self.size)','message':'is a URL'}]""");
        if (differs(Difference.CEL_WITHOUT_SOME_FUNCTIONS_AND_COST)) {
            assertThat(refuse(root).at("/details/causes/0/message"))
                    .contains("undeclared reference to 'isURL'")
                    .contains("the embedded API server does not have");
        } else {
            define(root);
            refused(createSpec("'size':'http://a'"), "spec", "Invalid value: is a URL");
        }
    }
}
