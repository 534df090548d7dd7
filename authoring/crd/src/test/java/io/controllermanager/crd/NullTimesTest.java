package io.controllermanager.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.options.PatchOptions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** Parts of pods as Go writes them, such as {@code kubectl create --dry-run=client -o yaml}: times that are not set are null. */
@OnBothServers
class NullTimesTest {

    private final TestedServer server;
    private final String namespace;

    @CustomResource(group = "nulls.example.com", version = "v1")
    static final class Fleet extends CustomObject<Fleet.Spec, Void> {

        /**
         * What is wanted.
         *
         * @param template of each
         * @param last what became of one
         */
        record Spec(V1PodTemplateSpec template, V1PodStatus last) {}
    }

    NullTimesTest(TestedServer server) {
        this.server = server;
        namespace = server.createNamespace();
    }

    @BeforeParameterizedClassInvocation
    static void installCrd(TestedServer server) throws ApiException {
        Crds.install(
                server.client(),
                CustomResourceDefinition.of(List.of(Fleet.class), Comments.NONE).get(0));
    }

    @Test
    void areTakenUnderServerSideApply() throws ApiException {
        JsonObject fleet = JsonParser.parseString("""
                {"apiVersion": "nulls.example.com/v1", "kind": "Fleet", "metadata": {"name": "a"},
                 "spec": {"template": {"metadata": {"creationTimestamp": null, "labels": {"app": "a"}},
                  "spec": {"containers": [{"name": "c", "image": "i", "resources": {}}]}},
                  "last": {"conditions": [{"type": "Ready", "status": "True", "lastProbeTime": null}]}}}
                """).getAsJsonObject();

        PatchOptions options = new PatchOptions();
        options.setFieldManager("test");
        options.setForce(true);
        JsonObject applied = new DynamicKubernetesApi("nulls.example.com", "v1", "fleets", server.client())
                .patch(namespace, "a", V1Patch.PATCH_FORMAT_APPLY_YAML, new V1Patch(fleet.toString()), options)
                .throwsApiException()
                .getObject()
                .getRaw();

        assertThat(applied.getAsJsonObject("spec").toString()).contains("\"app\":\"a\"");
    }
}
