package io.controllermanager.maven;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebhookGeneratorTest {

    private static final String TYPES = """
            import io.controllermanager.client.ResourceTypes;
            import io.controllermanager.types.*;
            import io.controllermanager.webhook.*;
            import io.kubernetes.client.openapi.models.*;

            final class Types {
                record Spec(String host) {}
                record OldSpec(String domain) {}

                @CustomResource(group = "example.com", version = "v2", storage = false)
                static final class Site extends CustomObject<Spec, Void> {}

                @CustomResource(group = "example.com", version = "v1", kind = "Site")
                static final class SiteV1 extends CustomObject<OldSpec, Void> {}
            }
            """;

    private static final String CONVERTER = """
            @ConversionWebhook(value = Types.SiteV1.class, hub = Types.Site.class)
            final class SiteConverter implements Converter<Types.SiteV1, Types.Site> {
                public Types.Site toHub(Types.SiteV1 object) { return new Types.Site(); }
                public Types.SiteV1 fromHub(Types.Site hub) { return new Types.SiteV1(); }
            }
            """;

    private static final String VALIDATOR = """
            @ValidatingWebhook(value = Types.Site.class, matchConditions = "human=!request.userInfo.username.startsWith('system:')")
            final class SiteValidator implements Validator<Types.Site> {
                SiteValidator(String given) {}
                public void describe(WebhookDescription d) { d.reads(ResourceTypes.SECRET); }
                public Verdict create(Types.Site site, Admission<Types.Site> a) { return Verdict.allowed(); }
                public Verdict update(Types.Site site, Types.Site b, Admission<Types.Site> a) { return Verdict.allowed(); }
            }
            """;

    private static final String DEFAULTER = """
            @MutatingWebhook(V1Pod.class)
            final class PodDefaulter implements Defaulter<V1Pod> {
                final String name = "pod".trim();
                public void describe(WebhookDescription d) { %s }
                public V1Pod withDefaults(V1Pod pod, Admission<V1Pod> a) { return pod; }
            }
            """;

    @TempDir
    Path sources;

    @TempDir
    Path classes;

    private CompiledModule compile(String... texts) throws IOException {
        List<String> files = new ArrayList<>(List.of("Types.java"));
        Files.writeString(sources.resolve("Types.java"), TYPES);
        for (String text : texts) {
            String name = text.replaceAll("(?s).*final class (\\w+) implements.*", "$1.java");
            Files.writeString(sources.resolve(name), TYPES.substring(0, TYPES.indexOf("final class")) + text);
            files.add(name);
        }
        return CompiledSources.compile(sources, classes, files.toArray(String[]::new));
    }

    /** The golden file is what people read and apply. */
    @Test
    void makesOneFileOfManifests() throws IOException {
        assertThat(new WebhookGenerator("site-operator")
                        .generate(compile(CONVERTER, VALIDATOR, DEFAULTER.formatted(""))))
                .containsOnlyKeys("manifests.yaml")
                .containsValue(Files.readString(Path.of("src/test/resources/webhooks.yaml")));
    }

    @Test
    void makesNoConfigurationForConvertersAlone() throws IOException {
        assertThat(new WebhookGenerator("site-operator")
                        .generate(compile(CONVERTER))
                        .get("manifests.yaml"))
                .contains("kind: Service\n", "kind: Secret\n")
                .doesNotContain("Configuration");
    }

    @Test
    void makesNothingForAModuleWithoutWebhooks() throws IOException {
        CompiledModule module = compile();

        assertThat(new WebhookGenerator("site-operator").generate(module)).isEmpty();
        assertThat(new WebhookRightsGenerator().generate(module)).isEmpty();
    }

    @Test
    void hasACrdSayWhoConverts() throws IOException {
        assertThat(new CrdGenerator(sources.resolve("none"), warning -> {})
                        .generate(compile(CONVERTER))
                        .get("sites.example.com.yaml"))
                .contains("""
                      conversion:
                        strategy: Webhook
                        webhook:
                          clientConfig:
                            service:
                              name: controller-manager-webhooks
                              namespace: system
                              path: /convert
                              port: 443
                          conversionReviewVersions:
                            - v1
                      versions:
                        - name: v2
                    """);
        Files.delete(classes.resolve("SiteConverter.class"));
        Files.delete(sources.resolve("SiteConverter.java"));
        CompiledModule module = compile();
        assertThatThrownBy(() -> new CrdGenerator(sources.resolve("none"), warning -> {}).generate(module))
                .hasMessageContaining("or write Converter<SiteV1, Site>");
    }

    @Test
    void tellsWhenAVersionMayGo() throws IOException {
        CompiledModule module = compile(CONVERTER);
        String generated =
                new CrdGenerator(sources, warning -> {}).generate(module).get("sites.example.com.yaml");
        Files.writeString(
                sources.resolve("sites.example.com.yaml"),
                generated.replace(
                        "versions:\n", "versions:\n    - name: v0\n      served: true\n      storage: false\n"));
        List<String> warnings = new ArrayList<>();

        new CrdGenerator(sources, warnings::add).generate(module);

        assertThat(warnings).contains("""
                sites.example.com has no version v0 any more. The API server takes that once no object is stored in it: when \
                v0 is not in the answer of
                kubectl get crd sites.example.com --output=jsonpath={.status.storedVersions}\
                """);
    }

    @Test
    void mayDoWhatFollows() throws IOException {
        assertThat(new WebhookRightsGenerator().generate(compile(CONVERTER, VALIDATOR, DEFAULTER.formatted(""))))
                .containsOnlyKeys("webhooks.yaml")
                .containsValue("""
                        # Generated by controller-manager from PodDefaulter and SiteConverter and SiteValidator: change the class, not this file.
                        # What is done for webhooks. The chart has the name of its release in place of controller-manager-webhooks.
                        # In the namespace of the controller manager itself:
                        hostRules:
                          - apiGroups: [""]
                            resources: [secrets]
                            resourceNames: [controller-manager-webhooks]
                            verbs: [get, list, watch, create, patch]
                        # In the whole cluster, whatever is watched:
                        clusterRules:
                          - apiGroups: [admissionregistration.k8s.io]
                            resources: [mutatingwebhookconfigurations, validatingwebhookconfigurations]
                            resourceNames: [controller-manager-webhooks]
                            verbs: [get, list, watch, patch]
                          - apiGroups: [apiextensions.k8s.io]
                            resources: [customresourcedefinitions]
                            resourceNames: [sites.example.com]
                            verbs: [get, list, watch, patch]
                          - apiGroups: [apiextensions.k8s.io]
                            resources: [customresourcedefinitions/status]
                            resourceNames: [sites.example.com]
                            verbs: [update]
                        rules:
                          - apiGroups: [example.com]
                            resources: [sites]
                            verbs: [list, patch]
                          - apiGroups: [""]
                            resources: [secrets]
                            verbs: [list, watch]
                        """);
    }

    @Test
    void mayDoNothingMoreWhereItReadsAndMigratesNothing() throws IOException {
        assertThat(new WebhookRightsGenerator()
                        .generate(compile(DEFAULTER.formatted("")))
                        .get("webhooks.yaml"))
                .doesNotContain("customresourcedefinitions", "validating")
                .endsWith("rules: []\n");
    }

    @Test
    void saysWhatADescriptionCannotUse() throws IOException {
        CompiledModule module = compile(DEFAULTER.formatted("name.trim();"));

        assertThatThrownBy(() -> new WebhookRightsGenerator().generate(module))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("PodDefaulter: describe() is called without the constructor");
    }
}
