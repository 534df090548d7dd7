package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.Collections;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What RFC 6902 leaves open, and where the real server differs from it. */
class JsonPatchContractTest extends Contract {

    JsonPatchContractTest(TestedServer server) {
        super(server);
    }

    @BeforeEach
    void createWithFinalizers() {
        api.create(
                        configMaps(),
                        json("{'metadata':{'name':'a','finalizers':['e.com/a','e.com/b','e.com/c'],"
                                + "'annotations':{'e.com/a':'slash'}},'data':{'key':'value','b':'2'}}"))
                .ok();
    }

    private Reply patch(String operations) {
        return patch("", operations);
    }

    private Reply patch(String query, String operations) {
        return api.patch(configMap("a") + query, Api.JSON_PATCH, "[" + operations + "]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            'op':'add','path':'/metadata/finalizers/-','value':'e.com/d'     | a b c d
            'op':'add','path':'/metadata/finalizers/-1','value':'e.com/d'    | a b c d
            'op':'add','path':'/metadata/finalizers/-2','value':'e.com/d'    | a b d c
            'op':'add','path':'/metadata/finalizers/-4','value':'e.com/d'    | d a b c
            'op':'add','path':'/metadata/finalizers/3','value':'e.com/d'     | a b c d
            'op':'add','path':'/metadata/finalizers/+1','value':'e.com/d'    | a d b c
            'op':'add','path':'/metadata/finalizers/01','value':'e.com/d'    | a d b c
            'op':'add','path':'metadata/x/metadata/finalizers/0','value':''  |
            'op':'replace','path':'/metadata/finalizers/-1','value':'e.com/d'| a b d
            'op':'replace','path':'/metadata/finalizers/-3','value':'e.com/d'| d b c
            'op':'remove','path':'/metadata/finalizers/-1'                   | a b
            'op':'remove','path':'/metadata/finalizers/-0'                   | b c
            'op':'move','from':'/metadata/finalizers/-1','path':'/metadata/finalizers/0' | c a b
            'op':'copy','from':'/metadata/finalizers/-1','path':'/data/key'  | a b c
            'op':'test','path':'/metadata/finalizers/-1','value':'e.com/c'   | a b c
            'op':'test','path':'nothing/kind','value':'ConfigMap'            | a b c
            'op':'add','path':'/metadata/finalizers/-5','value':'e.com/d'    |
            'op':'add','path':'/metadata/finalizers/4','value':'e.com/d'     |
            'op':'add','path':'/metadata/finalizers/x','value':'e.com/d'     |
            'op':'replace','path':'/metadata/finalizers/-','value':'e.com/d' |
            'op':'replace','path':'/metadata/finalizers/-4','value':'e.com/d'|
            'op':'replace','path':'/metadata/finalizers/3','value':'e.com/d' |
            'op':'remove','path':'/metadata/finalizers/-4'                   |
            'op':'remove','path':'/metadata/finalizers/3'                    |
            'op':'remove','path':'/metadata/finalizers/-'                    |
            'op':'move','from':'/metadata/finalizers/3','path':'/data/key'   |
            'op':'copy','from':'/metadata/finalizers/-4','path':'/data/key'  |
            'op':'test','path':'/metadata/finalizers/-4','value':'e.com/a'   |
            'op':'test','path':'/metadata/finalizers/-2','value':'e.com/a'   |
            """)
    void countsFromTheEndOfAList(String operation, String left) {
        Reply patched = patch("{" + operation + "}");
        if (left == null) {
            patched.refused(422, "Invalid");
            return;
        }
        assertThat(patched.ok().node("/metadata/finalizers"))
                .extracting(JsonNode::asText)
                .containsExactly(left.replaceAll("(\\w)", "e.com/$1").split(" "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'op':'add','path':'/data'",
                "'op':'add','path':'/data','value':null",
                "'op':'replace','path':'/data'",
                "'op':'remove','path':'/data'"
            })
    void takesAValueThatIsNotThereForNull(String operation) {
        assertThat(patch("{" + operation + "}").ok().body().has("data")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'op':'add','value':'x'}",
                "{'op':'add','path':'','value':{}}",
                "{'op':'add','path':'data','value':{}}",
                "{'op':'add','path':null,'value':{}}",
                "{'op':'add','path':'/none/none','value':'x'}",
                "{'op':'add','path':'/data/key/none','value':'x'}",
                "{'op':'replace','value':'x'}",
                "{'op':'replace','path':'','value':'x'}",
                "{'op':'replace','path':'','value':null}",
                "{'op':'replace','path':'','value':[]}",
                "{'op':'replace','path':'/none/none','value':'x'}",
                "{'op':'remove'}",
                "{'op':'remove','path':''}",
                "{'op':'remove','path':'/none'}",
                "{'op':'remove','path':'/none/none'}",
                "{'op':'test','value':'x'}",
                "{'op':'test','path':'none','value':null}",
                "{'op':'test','path':'/data/key'}",
                "{'op':'test','path':'','value':{}}",
                "{'op':'move','path':'/data/key'}",
                "{'op':'move','from':'/data/key'}",
                "{'op':'move','from':'/data/key','path':'/none/none'}",
                "{'op':'move','from':'/data','path':'/data/inside'}",
                "{'op':'copy','path':'/data/key'}",
                "{'op':'copy','from':'/data/key'}",
                "{'op':'copy','from':'','path':'/data/key'}",
                "{'op':'copy','from':'/data/key','path':'/none/none'}",
                "{'path':'/data/key'}",
                "{'op':'','path':'/data/key'}",
                "{'op':'Add','path':'/data/key','value':'x'}",
                "{}",
                "null",
                "{'op':'test','path':'/data/key','value':'value'},{'op':'remove','path':'/none'}"
            })
    void refusesWhatDoesNotApply(String operations) {
        patch(operations).refused(422, "Invalid");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "'x'",
                "1",
                "[1]",
                "[[]]",
                "['op']",
                "[{'op':1}]",
                "[{'op':'add','path':1,'value':'x'}]",
                "[{'op':'move','from':{},'path':'/data/key'}]",
                "[{'op':'add'",
                ""
            })
    void refusesWhatIsNoPatch(String body) {
        api.patch(configMap("a"), Api.JSON_PATCH, body).refused(400, "BadRequest");
    }

    @Test
    void takesAPatchWithoutOperations() {
        assertThat(patch("").ok().version()).isEqualTo(api.get(configMap("a")).version());
    }

    @Test
    void replacesTheWholeObject() {
        Reply replaced = patch("{'op':'replace','path':'','value':{'apiVersion':'v1','kind':'ConfigMap',"
                        + "'metadata':{'name':'a','namespace':'" + namespace + "'},'data':{'only':'this'}}}")
                .ok();
        assertThat(replaced.node("/data")).isEqualTo(json("{'only':'this'}"));
    }

    @Test
    void decodesPaths() {
        Reply patched = patch("{'op':'test','path':'/metadata/annotations/e.com~1a','value':'slash'},"
                        + "{'op':'add','path':'/metadata/annotations/~01','value':'x'},"
                        + "{'op':'move','from':'/metadata/annotations/~01','path':'/metadata/annotations/e.com~1b'}")
                .ok();
        assertThat(patched.node("/metadata/annotations")).isEqualTo(json("{'e.com/a':'slash','e.com/b':'x'}"));
    }

    @Test
    void comparesWholeTrees() {
        patch("{'op':'test','path':'/data','value':{'b':'2','key':'value'}}").ok();
        patch("{'op':'test','path':'/data','value':{'key':'value'}}").refused(422, "Invalid");
        patch("{'op':'test','path':'/metadata/finalizers','value':['e.com/b','e.com/a','e.com/c']}")
                .refused(422, "Invalid");
    }

    @Test
    void takesTenThousandOperations() {
        String test = "{'op':'test','path':'/kind','value':'ConfigMap'}";
        patch(String.join(",", Collections.nCopies(10_000, test))).ok();
        Reply refused = patch(String.join(",", Collections.nCopies(10_001, test)));
        assertThat(refused.refused(413, "RequestEntityTooLarge").message())
                .isEqualTo(
                        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001");
    }

    @Test
    void copiesThreeMebibytesAtMost() {
        String large = "{'op':'add','path':'/data/key','value':'" + "x".repeat(1_000_000) + "'}";
        String copy = ",{'op':'copy','from':'/data/key','path':'/data/copy'}";
        String back = ",{'op':'remove','path':'/data/copy'},{'op':'remove','path':'/data/key'}";
        patch(large + copy.repeat(3) + back).ok();
        patch(large + copy.repeat(4) + back).refused(422, "Invalid");
    }

    @Test
    void asksForTheKindOfPatchFirst() {
        api.patch(configMap("none"), "text/plain", "{}").refused(415, "UnsupportedMediaType");
        api.patch(configMap("none"), Api.JSON_PATCH, "{").refused(404, "NotFound");
    }
}
