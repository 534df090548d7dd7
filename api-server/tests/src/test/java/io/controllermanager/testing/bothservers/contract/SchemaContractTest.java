package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.bothservers.TestedServer;
import java.util.List;

/** What the keywords of a CRD's schema refuse. */
class SchemaContractTest extends Contract {

    SchemaContractTest(TestedServer server) {
        super(server);
    }

    @DefiningTest
    void tellsOfEachKeyword() {
        String group = namespace + ".example.com";
        api.create(DEFINITIONS, json("""
                        {'metadata':{'name':'things.%1$s'},'spec':{'group':'%1$s','scope':'Namespaced',
                          'names':{'plural':'things','kind':'Thing'},'versions':[{'name':'v1','served':true,'storage':true,
                           'schema':{'openAPIV3Schema':{'type':'object','properties':{'spec':{'type':'object','properties':{
                             'any':{'type':'string','anyOf':[{'pattern':'^a'},{'minLength':3}]},
                             'one':{'type':'string','oneOf':[{'pattern':'^a'},{'minLength':3}]},
                             'two':{'type':'string','oneOf':[{'pattern':'^b'},{'minLength':1}]},
                             'all':{'type':'string','allOf':[{'pattern':'^b'},{'minLength':3}]},
                             'not':{'type':'string','not':{'pattern':'^b'}},
                             'ip':{'type':'string','format':'ipv4'},
                             'day':{'type':'string','format':'date'},
                             'id':{'type':'string','format':'uuid'},
                             'host':{'type':'string','format':'hostname'},
                             'steps':{'type':'integer','multipleOf':3},
                             'more':{'type':'integer','minimum':3,'exclusiveMinimum':true},
                             'whole':{'type':'integer'},
                             'either':{'x-kubernetes-int-or-string':true},
                             'list':{'type':'array','minItems':2,'items':{'type':'string'}},
                             'map':{'type':'object','minProperties':2,'additionalProperties':{'type':'string'}}}}}}}}]}}""", group)).ok();
        String things = "/apis/" + group + "/v1/namespaces/" + namespace + "/things";
        eventually(() -> api.get(things).ok());
        Reply refused = api.create(things, json("""
                        {'apiVersion':'%s/v1','kind':'Thing','metadata':{'name':'t'},'spec':{
                          'any':'b','one':'b','two':'b','all':'b','not':'b','ip':'1.2.3','day':'2021-02-30','id':'1','host':'a_b',
                          'steps':4,'more':3,'whole':1.5,'either':true,'list':['a'],'map':{'a':'b'}}}""", group)).refused(422, "Invalid");
        List<String> messages = refused.node("/details/causes").findValuesAsText("message");
        for (String wrong : List.of(
                "\"spec.any\" must validate at least one schema (anyOf)",
                "\"spec.one\" must validate one and only one schema (oneOf). Found none valid",
                "\"spec.two\" must validate one and only one schema (oneOf). Found 2 valid alternatives",
                "\"spec.all\" must validate all the schemas (allOf)",
                "spec.all in body should be at least 3 chars long",
                "\"spec.not\" must not validate the schema (not)",
                "spec.ip in body must be of type ipv4: \"1.2.3\"",
                "spec.day in body must be of type date: \"2021-02-30\"",
                "spec.id in body must be of type uuid: \"1\"",
                "spec.host in body must be of type hostname: \"a_b\"",
                "spec.steps in body should be a multiple of 3",
                "spec.more in body should be greater than 3",
                "spec.whole in body must be of type integer: \"number\"",
                "spec.either in body must be of type integer,string: \"boolean\"",
                "spec.list in body should have at least 2 items",
                "spec.map in body should have at least 2 properties")) {
            assertThat(messages).anyMatch(message -> message.endsWith(wrong));
        }
    }
}
