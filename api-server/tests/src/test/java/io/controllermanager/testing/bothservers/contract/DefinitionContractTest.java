package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which CRDs are taken, and which of them get their names. */
class DefinitionContractTest extends Contract {

    private final String group;

    DefinitionContractTest(TestedServer server) {
        super(server);
        group = namespace + ".example.com";
    }

    private ObjectNode definition(String plural, String names) {
        return definition(group, plural, names);
    }

    private static ObjectNode definition(String group, String plural, String names) {
        return json("""
                {'metadata':{'name':'%2$s.%1$s'},'spec':{'group':'%1$s','scope':'Namespaced','names':{'plural':'%2$s',%3$s},
                 'versions':[{'name':'v1','served':true,'storage':true,
                  'schema':{'openAPIV3Schema':{'type':'object','properties':{'a':{'type':'string'}}}}}]}}""", group, plural, names);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            /spec/scope                               | 'X'                               | spec.scope
            /spec/group                               | 'nodot'                           | spec.group
            /spec/names/kind                          | 'a_b'                             | spec.names.kind
            /spec/names/singular                      | 'A'                               | spec.names.singular
            /spec/names/shortNames                    | ['A']                             | spec.names.shortNames[0]
            /spec/conversion                          | {'strategy':'X'}                  | spec.conversion.strategy
            /spec/versions/0/name                     | 'V1'                              | spec.versions[0].name
            /spec/versions/0/additionalPrinterColumns | [{'name':'A','type':'foo','jsonPath':'.a'}]  | spec.additionalPrinterColumns[0].type
            /spec/versions/0/additionalPrinterColumns | [{'name':'A','type':'string','jsonPath':'a'}] | spec.additionalPrinterColumns[0].JSONPath
            /spec/versions/0/subresources             | {'scale':{'specReplicasPath':'spec.x','statusReplicasPath':'.status.x'}} | spec.subresources.scale.specReplicasPath
            /spec/versions/0/subresources             | {'scale':{'specReplicasPath':'.spec.x','statusReplicasPath':'.spec.x'}} | spec.subresources.scale.statusReplicasPath
            /spec/versions/0/subresources             | {'scale':{'specReplicasPath':'.spec.x','statusReplicasPath':'.status.x','labelSelectorPath':'.x'}} | spec.subresources.scale.labelSelectorPath
            /spec/versions/0/selectableFields         | [{'jsonPath':'.metadata.name'}]   | spec.selectableFields[0].jsonPath
            /spec/versions/0/selectableFields         | [{'jsonPath':'.a'},{'jsonPath':'.a'}] | spec.selectableFields[1].jsonPath
            /spec/versions/0/selectableFields         | [{'jsonPath':'.none'}]            | spec.selectableFields[0].jsonPath
            /spec/versions/0/deprecationWarning       | 'w'                               | spec.versions[0].deprecationWarning
            /spec/preserveUnknownFields               | true                              | spec.preserveUnknownFields
            /spec/versions/0/schema/openAPIV3Schema/type | 'string'                       | spec.validation.openAPIV3Schema.type
            /spec/versions/0/schema/openAPIV3Schema/properties/metadata | {'type':'object','properties':{'labels':{'type':'object'}}} | spec.validation.openAPIV3Schema.properties
            /spec/versions/0/schema/openAPIV3Schema/properties/metadata | {'type':'object','properties':{'name':{'type':'string'}}} |
            q | {'type':'string','$ref':'#/x'}                                           | $ref
            q | {'type':'foo'}                                                           | type
            q | {'type':'array'}                                                         | items
            q | {'type':'array','items':{'type':'array'}}                                | items.items
            q | {'type':'array','items':{'type':'string'},'uniqueItems':true}            | uniqueItems
            q | {'type':'array','items':{'type':'string'},'x-kubernetes-list-type':'x'}  | x-kubernetes-list-type
            q | {'type':'object','x-kubernetes-map-type':'x'}                            | x-kubernetes-map-type
            q | {'type':'object','properties':{'a':{'type':'string'}},'additionalProperties':{'type':'string'}} | additionalProperties
            q | {'type':'string','default':1}                                            | default
            q | {'type':'string','enum':['a'],'default':'b'}                             | default
            q | {'type':'object','properties':{'a':{'type':'string'}},'required':['a'],'default':{}} | default
            q | {'type':'object','properties':{'a':{'type':'string','default':'x'}},'required':['a'],'default':{}} | default
            /spec/versions/0/schema/openAPIV3Schema/properties/additionalPrinterColumns | {'type':'array','items':{'type':'string'}} |
            q | {'type':'string','default':null}                                         |
            q | {'x-kubernetes-int-or-string':true,'default':5}                          |
            q | {'type':'array','items':{'type':'string'},'default':[]}                  |
            /spec/conversion                          | {'strategy':'None'}               |
            """)
    void areRefusedForWhatIsWrongWithThem(String place, String value, String field) {
        ObjectNode definition = definition("things", "'kind':'Thing'");
        boolean inSchema = place.equals("q");
        JsonPointer pointer =
                JsonPointer.compile(inSchema ? "/spec/versions/0/schema/openAPIV3Schema/properties/q" : place);
        ((ObjectNode) definition.at(pointer.head()))
                .set(
                        pointer.last().getMatchingProperty(),
                        json("{'value':%s}", value).get("value"));
        Reply reply = api.create(DEFINITIONS + "?dryRun=All", definition);
        if (field == null) {
            reply.ok();
        } else {
            String path = inSchema ? "spec.validation.openAPIV3Schema.properties[q]." : "";
            assertThat(reply.refused(422, "Invalid").node("/details/causes").findValuesAsText("field"))
                    .anyMatch(wrong -> wrong.startsWith(path + field));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            k8s.io        |                                                     | false
            kubernetes.io |                                                     | false
            k8s.io        | approved                                            | false
            k8s.io        | unapproved, experimental-only                       | true
            k8s.io        | https://github.com/kubernetes/kubernetes/pull/78458 | true
            notk8s.io     |                                                     | true
            """)
    void needAnApprovalInGroupsOfKubernetes(String domain, String approval, boolean taken) {
        ObjectNode definition = definition(namespace + "." + domain, "things", "'kind':'Thing'");
        if (approval != null) {
            definition.withObject("/metadata/annotations").put("api-approved.kubernetes.io", approval);
        }
        Reply reply = api.create(DEFINITIONS + "?dryRun=All", definition);
        if (taken) {
            reply.ok();
        } else {
            assertThat(reply.refused(422, "Invalid").at("/details/causes/0/field"))
                    .isEqualTo("metadata.annotations[api-approved.kubernetes.io]");
        }
    }

    private String condition(String plural, String type) {
        for (var condition : api.get(DEFINITIONS + "/" + plural + "." + group).node("/status/conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return condition.path("status").asText() + " "
                        + condition.path("reason").asText();
            }
        }
        return "";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            'kind':'Thing','listKind':'Others'                       | KindConflict
            'kind':'Other','listKind':'ThingList'                    | ListKindConflict
            'kind':'Other','singular':'thing'                        | SingularConflict
            'kind':'Other','shortNames':['o','t']                    | ShortNamesConflict
            'kind':'Other','shortNames':['things']                   | ShortNamesConflict
            """)
    void waitForNamesThatAnotherHas(String names, String reason) {
        api.create(DEFINITIONS, definition("things", "'kind':'Thing','shortNames':['t']"))
                .ok();
        eventually(() -> assertThat(condition("things", "Established")).startsWith("True"));
        api.create(DEFINITIONS, definition("others", names)).ok();
        eventually(() -> assertThat(condition("others", "NamesAccepted")).isEqualTo("False " + reason));
        assertThat(condition("others", "Established")).isEqualTo("False NotAccepted");
        assertThat(api.get("/apis/" + group + "/v1/others").code()).isEqualTo(404);
        api.delete(DEFINITIONS + "/things." + group).ok();
        eventually(() -> assertThat(condition("others", "Established")).isEqualTo("True InitialNamesAccepted"));
        assertThat(condition("others", "NamesAccepted")).isEqualTo("True NoConflicts");
        eventually(() -> api.get("/apis/" + group + "/v1/others").ok());
        api.delete(DEFINITIONS + "/others." + group).ok();
    }

    @Test
    void keepTheirKindOnceTheyAreServed() {
        api.create(DEFINITIONS, definition("things", "'kind':'Thing'")).ok();
        eventually(() -> assertThat(condition("things", "Established")).startsWith("True"));
        api.create(DEFINITIONS, definition("others", "'kind':'Thing'")).ok();
        eventually(() -> assertThat(condition("others", "Established")).startsWith("False"));
        String change = "{'spec':{'names':{'kind':'Other','listKind':'OtherList','singular':'other'}}}";
        assertThat(api.patch(DEFINITIONS + "/things." + group, Api.MERGE_PATCH, change)
                        .refused(422, "Invalid")
                        .at("/details/causes/0/field"))
                .isEqualTo("spec.names.kind");
        api.patch(DEFINITIONS + "/others." + group, Api.MERGE_PATCH, change).ok();
        eventually(() -> assertThat(condition("others", "Established")).startsWith("True"));
        api.delete(DEFINITIONS + "/others." + group).ok();
        api.delete(DEFINITIONS + "/things." + group).ok();
    }

    @Test
    void keepVersionsInWhichObjectsMayBeStored() {
        ObjectNode definition = definition("things", "'kind':'Thing'");
        api.create(DEFINITIONS, definition).ok();
        String path = DEFINITIONS + "/things." + group;
        eventually(() -> assertThat(condition("things", "Established")).startsWith("True"));
        String replace = "[{'op':'replace','path':'/spec/versions/0/name','value':'v2'}]";
        Reply refused = api.patch(path, Api.JSON_PATCH, replace).refused(422, "Invalid");
        assertThat(refused.message())
                .contains(
                        "status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was previously");
        String add = "[{'op':'copy','from':'/spec/versions/0','path':'/spec/versions/-'},"
                + "{'op':'replace','path':'/spec/versions/1/name','value':'v2'},"
                + "{'op':'replace','path':'/spec/versions/0/storage','value':false}]";
        api.patch(path, Api.JSON_PATCH, add).ok();
        eventually(
                () -> assertThat(api.get(path).node("/status/storedVersions")).hasSize(2));
        String drop = "[{'op':'remove','path':'/spec/versions/0'}]";
        api.patch(path, Api.JSON_PATCH, drop).refused(422, "Invalid");
        api.patch(path + "/status", Api.MERGE_PATCH, "{'status':{'storedVersions':['v2']}}")
                .ok();
        api.patch(path, Api.JSON_PATCH, drop).ok();
        api.delete(path).ok();
    }
}
