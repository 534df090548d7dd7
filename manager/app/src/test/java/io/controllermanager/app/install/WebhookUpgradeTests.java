package io.controllermanager.app.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.support.Programs;
import io.controllermanager.app.support.Programs.Answer;
import io.controllermanager.app.support.YamlDocument;
import io.controllermanager.testing.controlplane.Binaries;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.options.PatchOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of webhooks in a real API server when they are installed once more, and which writes wait for them. */
@RealControlPlane
@Tag("system")
class WebhookUpgradeTests {

    private static final Path VALUES = Chart.own().directory().resolve("ci/webhooks-values.yaml");
    private static final Pattern AUTHORITY = Pattern.compile("certificate-authority-data: (\\S+)");
    private static final List<String> CONFIGURATIONS =
            List.of("mutatingwebhookconfiguration", "validatingwebhookconfiguration");
    private static final String CRD = "crd/websites.example.com";

    private ControlPlane plane;
    private String namespace;

    /** The Secret, the Service and both configurations. */
    private String name;

    private String bundle;

    @TempDir
    private Path directory;

    @BeforeEach
    void makeNamespace(ControlPlane started) {
        plane = started;
        namespace = plane.createNamespace("hooks");
        name = namespace + "-webhooks";
        Matcher authority = AUTHORITY.matcher(plane.kubeconfig());
        assertThat(authority.find()).isTrue();
        bundle = authority.group(1);
    }

    /** Nobody answers: other tests would wait for them. */
    @AfterEach
    void remove() throws Exception {
        for (String configuration : CONFIGURATIONS) {
            kubectl("delete", configuration, name, "--ignore-not-found").expectOut();
        }
        kubectl("delete", CRD, "--ignore-not-found").expectOut();
    }

    @Test
    void anUpgradeByHelmKeepsWhatTheProcessHasWritten() throws Exception {
        helm("install", VALUES);
        writeAsTheProcess();

        Path changed = Files.writeString(
                directory.resolve("changed.yaml"),
                Files.readString(VALUES)
                        .replace("plural: websites", "plural: websites\n        shortNames: [web]")
                        .replace("timeoutSeconds: 10", "timeoutSeconds: 9"));
        helm("upgrade", changed);

        assertThat(field(CRD, "{.spec.names.shortNames}")).contains("web");
        assertKept("9");
    }

    /** As somebody does who has no Helm, by the manifests that kustomize has filled in. */
    @ParameterizedTest
    @ValueSource(strings = {"--server-side=false", "--server-side=true"})
    void applyingTheManifestsAgainKeepsWhatTheProcessHasWritten(String side) throws Exception {
        name = namespace + "-controller-manager-webhooks";
        apply(kustomized(), side);
        writeAsTheProcess();

        apply(
                kustomized()
                        .replace("plural: websites", "plural: websites\n    shortNames:\n    - web")
                        .replace("timeoutSeconds: 10", "timeoutSeconds: 9"),
                side);

        assertThat(field(CRD, "{.spec.names.shortNames}")).contains("web");
        assertKept("9");
    }

    /** As Helm 4 and Argo CD do too. A field that the process owned would keep the rest of what is dropped. */
    @Test
    void applyingByTheServerTakesAWebhookAndTheConversionAway() throws Exception {
        name = namespace + "-controller-manager-webhooks";
        String one = kustomized();
        String two = one.replaceFirst(
                "(?s)(kind: ValidatingWebhookConfiguration.*?\nwebhooks:\n)(.*?)(?=---|\\z)", "$1$2$2");
        int second = two.lastIndexOf("name: validate.websites.example.com");
        two = two.substring(0, second) + two.substring(second).replaceFirst("validate.websites", "validate.more");
        apply(two, "--server-side");
        writeAsTheProcess("validate.websites.example.com", "validate.more.example.com");

        apply(two, "--server-side");
        assertThat(field(CONFIGURATIONS.get(1) + "/" + name, "{.webhooks[*].clientConfig.caBundle}"))
                .isEqualTo(bundle + " " + bundle);
        apply(one.replaceFirst("(?s)\n  conversion:.*?(?=\n  \\w)", ""), "--server-side");

        assertThat(field(CONFIGURATIONS.get(1) + "/" + name, "{.webhooks[*].name}"))
                .isEqualTo("validate.websites.example.com");
        assertThat(field(CONFIGURATIONS.get(1) + "/" + name, "{.webhooks[*].clientConfig.caBundle}"))
                .isEqualTo(bundle);
        assertThat(field(CRD, "{.spec.conversion}")).isEqualTo("{\"strategy\":\"None\"}");
    }

    /** Who has to be asked and is not there refuses the write. */
    @Test
    void onlyWhatChangesMoreThanFinalizersWaits() throws Exception {
        // Without conversion, which would wait as well.
        Path crd = Files.writeString(
                directory.resolve("crd.yaml"),
                text("customResources", "websites").replaceFirst("(?s)  conversion:.*?(?=  versions:)", ""));
        kubectl("apply", "-f", crd.toString()).expectOut();
        kubectl("wait", "--for=condition=Established", CRD, "--timeout=60s").expectOut();
        await("the type is served").until(() -> kubectl("get", "websites").exitCode() == 0);
        Path website = Files.writeString(directory.resolve("website.yaml"), """
                apiVersion: example.com/v1
                kind: Website
                metadata: {name: home, finalizers: [example.com/a]}
                spec: {html: hello}
                """);
        kubectl("apply", "-f", website.toString()).expectOut();
        apply(
                text("webhooks", "manifests")
                        .replace("controller-manager-webhooks", name)
                        .replace("namespace: system", "namespace: " + namespace),
                "--server-side");
        await("the API server asks").until(() -> !patched("{'spec':{'html':'other'}}"));

        assertThat(patched("{'metadata':{'finalizers':['example.com/a','example.com/b']}}"))
                .isTrue();
        assertThat(patched("{'metadata':{'finalizers':null}}")).isTrue();
        assertThat(patched("{'metadata':{'finalizers':['example.com/a']}}")).isTrue();
        assertThat(patched("{'metadata':{'finalizers':null,'labels':{'a':'b'}}}"))
                .isFalse();
        assertThat(patched("{'metadata':{'annotations':{'a':'b'}}}")).isFalse();
        assertThat(patched("{'data':1}")).isTrue(); // It is dropped, and nothing changes.
        assertThat(kubectl(
                                "patch",
                                "website/home",
                                "--type=merge",
                                "--subresource=status",
                                "--patch={\"status\":{\"a\":1}}")
                        .err())
                .isEmpty();
        kubectl("delete", "website/home", "--wait=false").expectOut();
        assertThat(patched("{'metadata':{'annotations':{'a':'b'}}}")).isTrue();
        assertThat(patched("{'spec':{'html':'other'}}")).isFalse();
        assertThat(patched("{'metadata':{'finalizers':null}}")).isTrue();
        assertThat(kubectl("apply", "-f", website.toString()).err()).contains("failed calling webhook");
    }

    private boolean patched(String patch) throws Exception {
        Answer answer = kubectl("patch", "website/home", "--type=merge", "--patch=" + patch.replace('\'', '"'));
        if (answer.exitCode() != 0) {
            assertThat(answer.err()).contains("failed calling webhook \"validate.websites.example.com\"");
        }
        return answer.exitCode() == 0;
    }

    private void writeAsTheProcess() throws Exception {
        writeAsTheProcess("validate.websites.example.com");
    }

    /** By server-side apply, which it does not stay a manager by, and the Secret by a patch. */
    private void writeAsTheProcess(String... validators) throws Exception {
        String webhook = "{name: %s, clientConfig: {caBundle: %s}}";
        applyAsTheProcess(
                "admissionregistration.k8s.io/v1",
                "MutatingWebhookConfiguration",
                name,
                "webhooks: [" + webhook.formatted("mutate.pods.core", bundle) + "]");
        applyAsTheProcess(
                "admissionregistration.k8s.io/v1",
                "ValidatingWebhookConfiguration",
                name,
                Stream.of(validators)
                        .map(validator -> webhook.formatted(validator, bundle))
                        .collect(Collectors.joining(", ", "webhooks: [", "]")));
        applyAsTheProcess(
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                "websites.example.com",
                "spec: {conversion: {webhook: {clientConfig: {caBundle: %s}}}}".formatted(bundle));
        kubectl("patch", "secret/" + name, "--type=merge", "--patch={\"data\":{\"ca.key\":\"a2V5\"}}")
                .expectOut();
    }

    private void applyAsTheProcess(String apiVersion, String kind, String object, String content) throws Exception {
        PatchOptions options = new PatchOptions();
        options.setFieldManager(name);
        options.setForce(true);
        String[] group = apiVersion.split("/");
        new DynamicKubernetesApi(
                        group[0],
                        group[1],
                        kind.toLowerCase(Locale.ROOT) + "s",
                        Config.fromConfig(plane.kubeconfigFile().toString()))
                .patch(
                        object,
                        V1Patch.PATCH_FORMAT_APPLY_YAML,
                        new V1Patch("apiVersion: %s\nkind: %s\nmetadata: {name: %s}\n%s\n"
                                .formatted(apiVersion, kind, object, content)),
                        options)
                .throwsApiException();
        String managers = field(kind + "/" + object, "{.metadata.managedFields[*].manager}");
        int own = List.of(managers.split(" ")).indexOf(name);
        kubectl(
                        "patch",
                        kind + "/" + object,
                        "--type=json",
                        "--patch=[{\"op\":\"remove\",\"path\":\"/metadata/managedFields/" + own + "\"}]")
                .expectOut();
    }

    private void assertKept(String timeout) throws Exception {
        assertThat(field("secret/" + name, "{.data}")).isEqualTo("{\"ca.key\":\"a2V5\"}");
        String clientConfig = "{.spec.conversion.webhook.clientConfig";
        assertThat(field(CRD, clientConfig + ".caBundle}")).isEqualTo(bundle);
        assertThat(field(CRD, clientConfig + ".service.namespace}")).isEqualTo(namespace);
        assertThat(field(CRD, clientConfig + ".service.name}")).isEqualTo(name);
        assertThat(field(CRD, "{.spec.conversion.strategy}")).isEqualTo("Webhook");
        for (String configuration : CONFIGURATIONS) {
            String object = configuration + "/" + name;
            assertThat(field(object, "{.webhooks[*].clientConfig.caBundle}")).isEqualTo(bundle);
            assertThat(field(object, "{.webhooks[*].clientConfig.service.namespace}"))
                    .isEqualTo(namespace);
            assertThat(field(object, "{.webhooks[*].timeoutSeconds}")).isEqualTo(timeout);
        }
        assertThat(field(
                        CONFIGURATIONS.get(0) + "/" + name,
                        "{.webhooks[0].namespaceSelector.matchExpressions[0].values}"))
                .isEqualTo("[\"kube-system\",\"kube-public\",\"kube-node-lease\",\"" + namespace + "\"]");
    }

    /** The manifests as the documentation has them filled in. */
    private String kustomized() throws Exception {
        Files.writeString(directory.resolve("manifests.yaml"), text("webhooks", "manifests"));
        Files.writeString(directory.resolve("websites.example.com.yaml"), text("customResources", "websites"));
        Files.writeString(directory.resolve("kustomization.yaml"), """
                namespace: %1$s
                namePrefix: %1$s-
                resources: [manifests.yaml, websites.example.com.yaml]
                configurations: [names.yaml]
                replacements:
                  - source: {kind: Service, fieldPath: metadata.namespace}
                    targets:
                      - select: {kind: MutatingWebhookConfiguration}
                        fieldPaths: ["webhooks.[name=mutate.pods.core].namespaceSelector.matchExpressions.0.values.3"]
                """.formatted(namespace));
        Files.writeString(directory.resolve("names.yaml"), """
                nameReference:
                  - kind: Service
                    fieldSpecs:
                      - kind: CustomResourceDefinition
                        path: spec/conversion/webhook/clientConfig/service/name
                """);
        return Programs.run(Binaries.locate().program("kubectl"), List.of("kustomize", directory.toString()))
                .expectOut();
    }

    private static String text(String... path) throws Exception {
        return (String) YamlDocument.all(Files.readString(VALUES)).get(0).at((Object[]) path);
    }

    private void apply(String text, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "apply",
                "-f",
                Files.writeString(directory.resolve("applied.yaml"), text).toString()));
        arguments.addAll(List.of(options));
        kubectl(arguments.toArray(String[]::new)).expectOut();
    }

    private String field(String object, String path) throws Exception {
        return kubectl("get", object, "--output=jsonpath=" + path).expectOut();
    }

    private void helm(String command, Path values) throws Exception {
        Programs.runOn(
                        plane,
                        "helm",
                        command,
                        namespace,
                        Chart.own().directory().toString(),
                        "--values=" + values,
                        "--namespace=" + namespace)
                .expectOut();
    }

    private Answer kubectl(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--namespace=" + namespace);
        return Programs.runOn(plane, "kubectl", all.toArray(String[]::new));
    }
}
