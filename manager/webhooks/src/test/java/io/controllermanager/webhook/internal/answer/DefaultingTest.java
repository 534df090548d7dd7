package io.controllermanager.webhook.internal.answer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.webhook.Admission.Operation;
import io.controllermanager.webhook.WebhookDescription;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1UserInfo;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Lists in what a defaulter changes. */
class DefaultingTest {

    private static final String POD = """
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[\
            {"name":"a","image":"x","newField":1,"env":[{"name":"E","value":"1"}]},{"name":"b","image":"y"}]}}""";

    private static String patch(Consumer<List<V1Container>> change) {
        JsonObject sent = JsonParser.parseString(POD).getAsJsonObject();
        Defaulting<V1Pod> defaulting = new Defaulting<>(ResourceTypes.POD, (pod, admission) -> {
            change.accept(Objects.requireNonNull(pod.getSpec()).getContainers());
            return pod;
        });
        JsonObject response = defaulting.answer(
                ApiJson.read(sent, ApiJson.adapter(V1Pod.class)),
                sent,
                new LiveAdmission<>(
                        Operation.CREATE,
                        null,
                        new V1UserInfo(),
                        false,
                        null,
                        new WebhookCaches("w", new WebhookDescription())));
        return new String(Base64.getDecoder().decode(response.get("patch").getAsString()), StandardCharsets.UTF_8);
    }

    @Test
    void whatTheClassDoesNotKnowOfAnElementStays() {
        assertThat(patch(containers -> {
                    containers.get(0).addEnvItem(new V1EnvVar().name("F").value("2"));
                    containers.get(1).setImage("z");
                }))
                .isEqualTo(
                        "[{\"op\":\"add\",\"path\":\"/spec/containers/0/env/-\",\"value\":{\"name\":\"F\",\"value\":\"2\"}},"
                                + "{\"op\":\"add\",\"path\":\"/spec/containers/1/image\",\"value\":\"z\"}]");
    }

    @Test
    void whatIsAddedAtTheEndIsAppended() {
        assertThat(patch(containers -> containers.add(new V1Container().name("c"))))
                .isEqualTo("[{\"op\":\"add\",\"path\":\"/spec/containers/-\",\"value\":{\"name\":\"c\"}}]");
    }

    @Test
    void aListInAnotherOrderIsReplaced() {
        assertThat(patch(containers -> containers.remove(0)))
                .isEqualTo(
                        "[{\"op\":\"add\",\"path\":\"/spec/containers\",\"value\":[{\"image\":\"y\",\"name\":\"b\"}]}]");
        assertThat(patch(containers -> containers.add(0, new V1Container().name("c"))))
                .startsWith("[{\"op\":\"add\",\"path\":\"/spec/containers\",\"value\":[{\"name\":\"c\"}");
    }
}
