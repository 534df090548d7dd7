package io.controllermanager.test;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DifferencesTest {

    private static JsonNode json(String text) {
        return Json.readOwn(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void namesEachFieldWithItsValues() {
        assertThat(Differences.between(
                        json("{'kind':'ConfigMap','data':{'a':'1','b':'2'}}"),
                        json("{'kind':'ConfigMap','data':{'a':'3','c':'4'}}")))
                .containsExactly("data.a: \"1\" → \"3\"", "data.b: \"2\" → nothing", "data.c: nothing → \"4\"");
    }

    @Test
    void doesNotTellWhatIsInASecret() {
        String applied = "{'kubectl.kubernetes.io/last-applied-configuration':'c2VjcmV0'}";
        assertThat(Differences.between(
                        json("{'kind':'Secret','type':'Opaque','data':{'a':'b2xk','b':'b2xk'}}"),
                        json("{'kind':'Secret','type':'x','data':{'a':'bmV3'},'stringData':{'c':'new'},"
                                + "'metadata':{'annotations':" + applied + "}}")))
                .containsExactly(
                        "data.a: a secret → a secret",
                        "data.b: a secret → nothing",
                        "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]: nothing → a secret",
                        "stringData.c: nothing → a secret",
                        "type: \"Opaque\" → \"x\"");
        assertThat(Differences.between(null, json("{'kind':'Secret','data':{'a':'b2xk'}}")))
                .containsExactly("data.a: nothing → a secret", "kind: nothing → \"Secret\"");
    }
}
