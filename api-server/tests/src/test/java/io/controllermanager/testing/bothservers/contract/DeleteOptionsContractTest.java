package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a deletion may come with. */
class DeleteOptionsContractTest extends Contract {

    DeleteOptionsContractTest(TestedServer server) {
        super(server);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'dryRun':'All'}                                  | 400",
                "{'dryRun':['x']}                                  | 422",
                "{'dryRun':['All']}                                | 200",
                "{'kind':'Pod','apiVersion':'v1'}                  | 400",
                "{'kind':'DeleteOptions','apiVersion':'apps/v1'}   | 200",
                "{'gracePeriodSeconds':'x'}                        | 400",
                "{'gracePeriodSeconds':null}                       | 200",
                "{'orphanDependents':'x'}                          | 400",
                "{'propagationPolicy':1}                           | 400",
                "{'propagationPolicy':''}                          | 422",
                "{'preconditions':'x'}                             | 400",
                "{'preconditions':{'uid':'x'}}                     | 409",
                "{'unknown':1}                                     | 200",
            })
    void areJudgedBeforeAnythingIsDeleted(String options, int code) {
        create("a");
        assertThat(api.delete(configMaps() + "?fieldSelector=metadata.name=a", options)
                        .code())
                .isEqualTo(code);
        Reply left = api.get(configMap("a"));
        if (code == 200 && !options.contains("dryRun")) {
            left.refused(404, "NotFound");
            create("a");
        } else {
            left.ok();
        }
        assertThat(api.delete(configMap("a"), options).code()).isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource({
        "?propagationPolicy=, 422",
        "?dryRun=All&dryRun=x, 422",
        "?uid=x, 409",
        "?resourceVersion=1, 409",
        "?orphanDependents=x, 200",
        "?gracePeriodSeconds=, 400",
    })
    void mayStandInTheQuery(String query, int code) {
        create("a");
        assertThat(api.delete(configMap("a") + query).code()).isEqualTo(code);
    }

    @Test
    void mayBeYamlButNoText() {
        create("a");
        api.send("DELETE", configMap("a"), Api.JSON, "text/plain", "x").refused(415, "UnsupportedMediaType");
        api.send("DELETE", configMap("a"), Api.JSON, "application/yaml", "preconditions: {uid: x}\n")
                .refused(409, "Conflict");
        api.send("DELETE", configMap("a"), Api.JSON, "application/yaml", "gracePeriodSeconds: 0\n")
                .ok();
    }

    @Test
    void areThoseOfAListForACollection() {
        create("a");
        create("b");
        api.delete(configMaps() + "?limit=x").refused(400, "BadRequest");
        api.delete(configMaps() + "?resourceVersionMatch=Exact").refused(422, "Invalid");
        api.delete(configMaps() + "?sendInitialEvents=true").refused(422, "Invalid");
        Reply first = api.delete(configMaps() + "?limit=1").ok();
        assertThat(first.names()).containsExactly("a");
        assertThat(first.at("/metadata/continue")).isNotEmpty();
        api.get(configMap("a")).refused(404, "NotFound");
        api.get(configMap("b")).ok();
    }

    /** Where there are no namespaces, what is in one owns nothing: the collector leaves such an object alone. */
    @Test
    void leaveAloneWhatIsInNoNamespaceButOwnedByWhatIs() {
        Reply owner = create("owner");
        String reference = "'ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'owner','uid':'%s'}]";
        String metadata = "{'metadata':{'name':'%s'," + reference + "}}";
        String roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
        ObjectNode role = json(metadata, namespace, owner.uid());
        api.create(roles, role).ok();
        api.create(configMaps(), json(metadata, "dependent", owner.uid())).ok();
        api.delete(configMap("owner")).ok();
        eventually(() -> api.get(configMap("dependent")).refused(404, "NotFound"));
        assertThat(api.get(roles + "/" + namespace).ok().node("/metadata/ownerReferences"))
                .hasSize(1);
        api.delete(roles + "/" + namespace).ok();
    }
}
