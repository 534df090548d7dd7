package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is too large, and who says so: validation, the API server, or etcd behind it. */
class LimitsContractTest extends Contract {

    private static final int MIB = 1024 * 1024;

    private final String secrets = "/api/v1/namespaces/" + namespace + "/secrets";

    LimitsContractTest(TestedServer server) {
        super(server);
    }

    private static String text(int bytes) {
        return "x".repeat(bytes);
    }

    private static String base64(int bytes) {
        return Base64.getEncoder().encodeToString(new byte[bytes]);
    }

    private static ObjectNode configMap(String name, int text, int bytes) {
        ObjectNode map = json("{'metadata':{'name':'%s'}}", name);
        map.putObject("data").put("text", text(text));
        map.putObject("binaryData").put("bytes", base64(bytes));
        return map;
    }

    private static void assertTooLong(Reply reply, String field, int limit) {
        reply.refused(422, "Invalid");
        assertThat(reply.at("/details/causes/0/field")).isEqualTo(field);
        assertThat(reply.at("/details/causes/0/reason")).isEqualTo("FieldValueTooLong");
        assertThat(reply.at("/details/causes/0/message"))
                .isEqualTo("Too long: may not be more than " + limit + " bytes");
    }

    @Test
    void aConfigMapHoldsOneMebibyte() {
        api.create(configMaps(), configMap("a", MIB - 10, 10)).ok();
        assertTooLong(api.create(configMaps(), configMap("b", MIB - 10, 11)), "[]", MIB);
        assertTooLong(api.put(configMap("a"), configMap("a", MIB + 1, 0)), "[]", MIB);
        assertTooLong(api.patch(configMap("a"), Api.MERGE_PATCH, "{'data':{'more':'x'}}"), "[]", MIB);
        assertTooLong(api.patch(configMap("a"), Api.STRATEGIC_PATCH, "{'data':{'more':'x'}}"), "[]", MIB);
        assertTooLong(
                api.patch(configMap("a"), Api.JSON_PATCH, "[{'op':'add','path':'/data/more','value':'x'}]"), "[]", MIB);
        assertTooLong(
                api.patch(
                        configMap("a") + "?fieldManager=m",
                        Api.APPLY_PATCH,
                        "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'},'data':{'more':'x'}}"),
                "[]",
                MIB);
    }

    @Test
    void aSecretHoldsOneMebibyte() {
        ObjectNode secret = json("{'metadata':{'name':'a'}}");
        secret.putObject("data").put("bytes", base64(MIB));
        api.create(secrets, secret).ok();
        assertTooLong(api.patch(secrets + "/a", Api.MERGE_PATCH, "{'stringData':{'more':'x'}}"), "data", MIB);
    }

    @Test
    void annotationsHoldAQuarterOfIt() {
        ObjectNode map = newConfigMap("a");
        map.withObject("/metadata/annotations").put("k", text(MIB / 4 - 1));
        api.create(configMaps(), map).ok();
        assertTooLong(
                api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'annotations':{'l':''}}}"),
                "metadata.annotations",
                MIB / 4);
    }

    @ParameterizedTest
    @CsvSource({
        "POST, application/json",
        "PUT, application/json",
        "PATCH, application/merge-patch+json",
        "DELETE, application/json"
    })
    void aRequestHasThreeMebibytes(String method, String type) {
        create("a");
        String path = method.equals("POST") ? configMaps() : configMap("a");
        String fields =
                "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"";
        String large = fields + text(3 * MIB + 1 - fields.length() - 3) + "\"}}";
        assertThat(large).hasSize(3 * MIB + 1);
        Reply refused = api.send(method, path, Api.JSON, type, large).refused(413, "RequestEntityTooLarge");
        assertThat(refused.message()).isEqualTo("Request entity too large: limit is 3145728");
        // The data is too long, but the request is not.
        assertThat(api.send(method, path + "?dryRun=All", Api.JSON, type, large.replaceFirst("x", ""))
                        .code())
                .isNotEqualTo(413);
    }

    @DefiningTest
    void anObjectFitsIntoARequestToEtcd() {
        String group = namespace + ".example.com";
        api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", json("""
                        {'metadata':{'name':'things.%1$s'},'spec':{'group':'%1$s','scope':'Namespaced',
                         'names':{'plural':'things','kind':'Thing'},'versions':[{'name':'v1','served':true,'storage':true,
                          'schema':{'openAPIV3Schema':{'type':'object','x-kubernetes-preserve-unknown-fields':true}}}]}}""", group))
                .ok();
        String things = "/apis/" + group + "/v1/namespaces/" + namespace + "/things";
        eventually(() -> api.get(things).ok());
        ObjectNode thing = json("{'apiVersion':'%s/v1','kind':'Thing','metadata':{'name':'a'}}", group);
        api.create(things, thing.put("text", text(MIB * 7 / 5))).ok();
        assertThat(api.patch(things + "/a", Api.MERGE_PATCH, "{'more':'" + text(MIB / 5) + "'}")
                        .refused(500, "")
                        .message())
                .isEqualTo("etcdserver: request is too large");
        thing.withObject("/metadata").put("name", "b");
        assertThat(api.create(things, thing.put("text", text(MIB * 8 / 5)))
                        .refused(500, "")
                        .message())
                .isEqualTo("etcdserver: request is too large");
        api.get(things + "/b").refused(404, "NotFound");
        api.create(things + "?dryRun=All", thing).ok();
    }
}
