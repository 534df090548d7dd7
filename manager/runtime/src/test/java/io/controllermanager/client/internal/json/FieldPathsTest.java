package io.controllermanager.client.internal.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldPathsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                  | {}                                         |",
                "{\"a\":1}                           | {\"a\":1.0}                                |",
                "{\"a\":1}                           | {\"a\":2}                                  | a",
                "{\"a\":{\"b\":1}}                   | {\"a\":{\"b\":2,\"c\":3}}                  | a.b a.c",
                "{\"a\":{\"b\":1}}                   | {}                                         | a",
                "{\"l\":[1,2]}                       | {\"l\":[1,3,4]}                            | l[1] l[2]",
                "{\"l\":[{\"name\":\"x\",\"v\":1}]}  | {\"l\":[{\"name\":\"y\"},{\"name\":\"x\",\"v\":2}]} | l[x].v l[y]",
                "{\"l\":[{\"type\":\"Ready\",\"s\":1}]} | {\"l\":[{\"type\":\"Ready\",\"s\":2}]}     | l[Ready].s",
                "{\"l\":[{\"name\":\"x\",\"v\":1},{\"name\":\"x\"}]} | {\"l\":[{\"name\":\"x\",\"v\":2},{\"name\":\"x\",\"v\":3}]} | l[x].v l[1].v",
                "{\"l\":[{\"name\":\"1\",\"v\":1},{\"name\":\"1\"}]} | {\"l\":[{\"name\":\"1\",\"v\":9},{\"name\":\"1\"}]} | l[1].v",
                "{\"a\":{\"b\":1}}                   | {\"a\":[1]}                                | a",
                "{\"metadata\":{\"resourceVersion\":\"1\",\"generation\":1}} | {\"metadata\":{\"resourceVersion\":\"2\",\"generation\":2}} |",
            })
    void fieldsThatDifferAreNamed(String before, String after, String paths) {
        assertThat(FieldPaths.between(JsonParser.parseString(before), JsonParser.parseString(after), false))
                .containsExactlyInAnyOrderElementsOf(paths == null ? List.of() : List.of(paths.split(" ")));
    }

    @Test
    void modelsAreCompared() {
        assertThat(FieldPaths.between(deployment(1, "nginx:1"), deployment(2, "nginx:2"), false))
                .containsExactlyInAnyOrder("spec.replicas", "spec.template.spec.containers[web].image");
    }

    @Test
    void valuesAreShownWhereThatIsSaid() {
        assertThat(FieldPaths.between(
                        JsonParser.parseString("{\"a\":1,\"b\":\"" + "x".repeat(99) + "\"}"),
                        JsonParser.parseString("{\"a\":2}"),
                        true))
                .containsExactly("a: 1 -> 2", "b: \"" + "x".repeat(38) + "… -> none");
    }

    @Test
    void moreThanAFewAreCounted() {
        StringBuilder many = new StringBuilder("{\"a0\":0");
        for (int i = 1; i < 12; i++) {
            many.append(",\"a").append(i).append("\":0");
        }

        assertThat(FieldPaths.between(JsonParser.parseString("{}"), JsonParser.parseString(many + "}"), false))
                .hasSize(FieldPaths.MOST + 1)
                .endsWith("+4");
    }

    private static V1Deployment deployment(int replicas, String image) {
        return new V1Deployment()
                .metadata(new V1ObjectMeta().name("web"))
                .spec(new V1DeploymentSpec()
                        .replicas(replicas)
                        .selector(new V1LabelSelector())
                        .template(new V1PodTemplateSpec()
                                .spec(new V1PodSpec()
                                        .containers(List.of(
                                                new V1Container().name("web").image(image))))));
    }
}
