package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.faults.Fault;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.testing.controlplane.Binaries;
import io.controllermanager.testing.support.Command;
import io.controllermanager.testing.support.Waiting;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The machine's own kubectl against the server. */
@Tag("system")
class KubectlTest {

    private static final String WAIT = "--timeout=" + Waiting.LIMIT.toSeconds() + "s";

    private static final String CRD = """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata:
              name: things.example.com
            spec:
              group: example.com
              scope: Namespaced
              names: {plural: things, kind: Thing, shortNames: [th], categories: [all]}
              versions:
              - name: v1
                served: true
                storage: true
                subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
                additionalPrinterColumns:
                - {name: Size, type: integer, jsonPath: .spec.size}
                schema:
                  openAPIV3Schema:
                    description: Thing is a thing.
                    type: object
                    properties:
                      spec:
                        type: object
                        description: What is wanted.
                        properties:
                          size: {type: integer, description: How big it is.}
                      status:
                        type: object
                        properties:
                          size: {type: integer}
            """;

    private static final String THING = """
            apiVersion: example.com/v1
            kind: Thing
            metadata:
              name: a
            spec:
              size: 1
            """;

    private static final String DEPLOYMENT = """
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: web
            spec:
              replicas: 2
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec:
                  containers:
                  - {name: main, image: "image:1"}
            """;

    /** The machine's own, or where there is none the one built for tests. */
    private static final String KUBECTL = Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
            .map(folder -> Path.of(folder, "kubectl"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElseGet(() -> Binaries.locate().program("kubectl"))
            .toString();

    private final ApiServer server = ApiServer.builder().world(true).start();

    @TempDir
    private Path directory;

    @BeforeEach
    void writeKubeconfig() throws IOException {
        Files.writeString(directory.resolve("kubeconfig"), server.kubeconfig());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Map<String, String> environment() {
        return Map.of("KUBECONFIG", directory.resolve("kubeconfig").toString(), "HOME", directory.toString());
    }

    private String kubectl(String input, String... arguments) {
        return Command.run(directory, environment(), input, command(arguments));
    }

    private static String[] command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(KUBECTL));
        command.addAll(List.of(arguments));
        return command.toArray(String[]::new);
    }

    private void define() {
        kubectl(CRD, "apply", "-f", "-");
        kubectl("", "wait", "--for=condition=established", "crd/things.example.com", WAIT);
        kubectl(THING, "apply", "-f", "-");
    }

    @Test
    void getsWithColumns() {
        define();
        assertThat(kubectl("", "get", "th").lines())
                .satisfiesExactly(
                        header -> assertThat(header).matches("NAME +SIZE"),
                        row -> assertThat(row).matches("a +1"));
        assertThat(kubectl("", "get", "things", "-o", "yaml"))
                .contains("size: 1")
                .contains("kind: List");
        assertThat(kubectl("", "get", "thing", "a", "-o", "jsonpath={.spec.size}"))
                .isEqualTo("1");
    }

    @Test
    void getsWithoutAKubeconfig() {
        String[] command = command("--server=" + server.url(), "get", "namespaces");
        String output = Command.run(directory, Map.of("KUBECONFIG", "", "HOME", directory.toString()), "", command);
        assertThat(output).containsPattern("default +Active +\\d+s");
    }

    @Test
    void printsDeploymentsAndWaitsForThem() {
        kubectl(DEPLOYMENT, "create", "-f", "-");
        kubectl("", "wait", "--for=condition=available", "deployment/web", WAIT);
        assertThat(kubectl("", "get", "deploy")).containsPattern("web +2/2 +2 +2 +\\d+s");
        kubectl("", "scale", "deployment/web", "--replicas=3");
        assertThat(kubectl("", "get", "deploy", "web", "-o", "wide"))
                .containsPattern("web +3/3 +3 +3 +\\d+s +main +image:1");
        assertThat(kubectl("", "rollout", "status", "deployment/web")).contains("successfully rolled out");
    }

    @Test
    void appliesFromTheClient() {
        assertThat(kubectl(DEPLOYMENT, "apply", "-f", "-")).isEqualTo("deployment.apps/web created\n");
        assertThat(kubectl(DEPLOYMENT, "apply", "-f", "-")).isEqualTo("deployment.apps/web unchanged\n");
        String changed = DEPLOYMENT.replace("image:1", "image:2");
        assertThat(kubectl(changed, "apply", "-f", "-")).isEqualTo("deployment.apps/web configured\n");
        define();
        assertThat(kubectl(THING.replace("size: 1", "size: 2"), "apply", "-f", "-"))
                .isEqualTo("thing.example.com/a configured\n");
    }

    @Test
    void appliesAListOfWhatItKnowsAndWhatItDoesNot() {
        define();
        String list =
                "apiVersion: v1\nkind: List\nitems:\n" + item(DEPLOYMENT) + item(THING.replace("size: 1", "size: 5"));
        assertThat(kubectl(list, "apply", "-f", "-"))
                .isEqualTo("deployment.apps/web created\nthing.example.com/a configured\n");
        Command refused = Command.tryTo(
                directory, environment(), list.replace("replicas:", "replikas:"), command("apply", "-f", "-"));
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.output()).contains("unknown field \"replikas\"");
    }

    private static String item(String manifest) {
        return "- " + manifest.strip().replace("\n", "\n  ") + "\n";
    }

    @Test
    void createsWhatOperatorsOwn() {
        kubectl("", "create", "job", "once", "--image=image:1");
        kubectl("", "create", "cronjob", "yearly", "--image=image:1", "--schedule=0 0 1 1 *");
        kubectl("", "create", "job", "now", "--from=cronjob/yearly");
        kubectl("", "create", "ingress", "web", "--rule=example.com/*=web:80");
        kubectl("", "create", "poddisruptionbudget", "web", "--selector=app=web", "--min-available=1");
        kubectl("", "create", "quota", "small", "--hard=pods=9");
        kubectl("", "create", "priorityclass", "high", "--value=1000");
        kubectl(DEPLOYMENT, "apply", "-f", "-");
        kubectl("", "autoscale", "deployment/web", "--max=5", "--cpu-percent=50");
        assertThat(kubectl("", "get", "job")).containsPattern("once +Complete +1/1 +\\d+s");
        assertThat(kubectl("", "get", "cj")).containsPattern("yearly +0 0 1 1 \\* +<none> +False +0 +<none>");
        assertThat(kubectl("", "get", "ing")).containsPattern("web +<none> +example.com +80");
        assertThat(kubectl("", "get", "pdb")).containsPattern("web +1 +N/A +0");
        assertThat(kubectl("", "get", "hpa")).containsPattern("web +Deployment/web +cpu: <unknown>/50% +1 +5 +0");
        assertThat(kubectl("", "describe", "job", "once")).contains("image:1");
        assertThat(kubectl("", "get", "all")).contains("job.batch/now", "cronjob.batch/yearly", "deployment.apps/web");
    }

    @Test
    void appliesOnTheServer() {
        assertThat(kubectl(DEPLOYMENT, "apply", "--server-side", "-f", "-")).contains("serverside-applied");
        Command conflict = Command.tryTo(
                directory,
                environment(),
                DEPLOYMENT.replace("replicas: 2", "replicas: 5"),
                command("apply", "--server-side", "--field-manager=other", "-f", "-"));
        assertThat(conflict.code()).isEqualTo(1);
        assertThat(conflict.output()).contains("conflict with \"kubectl\"").contains(".spec.replicas");
    }

    @Test
    void movesFromTheClientsApplyToTheServers() {
        kubectl(DEPLOYMENT, "apply", "-f", "-");
        String changed = DEPLOYMENT.replace("replicas: 2", "replicas: 3");
        assertThat(kubectl(changed, "apply", "--server-side", "-f", "-")).contains("serverside-applied");
        // kubectl keeps the annotation, and the server keeps it up to date.
        assertThat(kubectl("", "get", "deploy", "web", "-o", "jsonpath={.spec.replicas} {.metadata.annotations}"))
                .startsWith("3 ")
                .contains("last-applied-configuration")
                .contains("\\\"replicas\\\":3");
        assertThat(kubectl(
                                "",
                                "get",
                                "deploy",
                                "web",
                                "--show-managed-fields",
                                "-o",
                                "jsonpath={.metadata.managedFields[*].manager}")
                        .split(" "))
                .contains("kubectl")
                .doesNotContain("kubectl-client-side-apply");
    }

    @Test
    void refusesMisspeltFields() {
        define();
        Command refused =
                Command.tryTo(directory, environment(), THING.replace("size:", "siez:"), command("apply", "-f", "-"));
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.output()).contains("unknown field \"spec.siez\"");
    }

    @Test
    void patchesInThreeWays() {
        kubectl(DEPLOYMENT, "apply", "-f", "-");
        kubectl("", "patch", "deploy", "web", "--type=merge", "-p", "{\"spec\":{\"replicas\":4}}");
        kubectl(
                "",
                "patch",
                "deploy",
                "web",
                "--type=json",
                "-p",
                "[{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{\"a\":\"b\"}}]");
        kubectl(
                "",
                "patch",
                "deploy",
                "web",
                "-p",
                "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"side\",\"image\":\"image:9\"}]}}}}");
        assertThat(kubectl(
                        "", "get", "deploy", "web", "-o", "jsonpath={.spec.replicas} {.metadata.labels.a} {..image}"))
                .startsWith("4 b ")
                .contains("image:9", "image:1");
    }

    @Test
    void editsLabelsAndDeletes() throws IOException {
        define();
        Path editor = Files.writeString(directory.resolve("editor"), "#!/bin/sh\nsed -i 's/size: 1/size: 7/' \"$1\"\n");
        assertThat(editor.toFile().setExecutable(true)).isTrue();
        Map<String, String> environment = new HashMap<>(environment());
        environment.put("KUBE_EDITOR", editor.toString());
        Command.run(directory, environment, "", KUBECTL, "edit", "thing", "a");
        kubectl("", "label", "thing", "a", "color=red");
        assertThat(kubectl("", "get", "things", "-l", "color=red", "-o", "jsonpath={.items[*].spec.size}"))
                .isEqualTo("7");
        kubectl("", "delete", "thing", "a");
        assertThat(kubectl("", "get", "things")).contains("No resources found");
    }

    @Test
    void watches() {
        define();
        RequestMatcher watch = RequestMatcher.watch("things");
        Fault begun = server.faults().when(watch).delay(Duration.ofMillis(1));
        // The end of its watch is kubectl's too.
        server.faults().when(watch).closeAfterEvents(2);
        CompletableFuture<Command> get = CompletableFuture.supplyAsync(
                () -> Command.tryTo(directory, environment(), "", command("get", "things", "-w")));
        await().until(() -> begun.hits() == 1);
        kubectl("", "patch", "thing", "a", "--type=merge", "-p", "{\"spec\":{\"size\":2}}");
        kubectl(THING.replace("name: a", "name: b").replace("size: 1", "size: 3"), "create", "-f", "-");
        assertThat(get.join().output().lines().limit(4))
                .satisfiesExactly(
                        header -> assertThat(header).matches("NAME +SIZE"),
                        row -> assertThat(row).matches("a +1"),
                        row -> assertThat(row).matches("a +2"),
                        row -> assertThat(row).matches("b +3"));
    }

    @Test
    void createsFromTheCommandLine() {
        kubectl("", "create", "namespace", "shop");
        kubectl("", "create", "configmap", "settings", "--from-literal=color=red", "-n", "shop");
        kubectl("", "create", "secret", "generic", "password", "--from-literal=word=secret", "-n", "shop");
        kubectl("", "create", "serviceaccount", "robot", "-n", "shop");
        kubectl("", "create", "deployment", "web", "--image=image:1", "--replicas=2", "--port=80", "-n", "shop");
        kubectl("", "create", "service", "clusterip", "web", "--tcp=80:http", "-n", "shop");
        kubectl("", "create", "role", "reader", "--verb=get,list", "--resource=configmaps", "-n", "shop");
        kubectl("", "create", "rolebinding", "reads", "--role=reader", "--serviceaccount=shop:robot", "-n", "shop");
        kubectl("", "create", "clusterrole", "all", "--verb=*", "--resource=deployments.apps");
        kubectl("", "create", "clusterrolebinding", "all", "--clusterrole=all", "--user=me");

        assertThat(shop("cm/settings", "{.data}")).isEqualTo("{\"color\":\"red\"}");
        assertThat(shop("secret/password", "{.data.word} {.type}")).isEqualTo("c2VjcmV0 Opaque");
        assertThat(shop("service/web", "{.spec.ports[0].port} {.spec.ports[0].targetPort}"))
                .isEqualTo("80 http");
        assertThat(shop("role/reader", "{.rules}"))
                .isEqualTo("[{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"verbs\":[\"get\",\"list\"]}]");
        assertThat(shop("rolebinding/reads", "{.roleRef.name} {.subjects[0].name}"))
                .isEqualTo("reader robot");
        assertThat(kubectl("", "get", "clusterrolebinding", "all")).contains("ClusterRole/all");

        kubectl("", "wait", "--for=condition=available", "deployment/web", WAIT, "-n", "shop");
        kubectl("", "scale", "deployment/web", "--replicas=0", "-n", "shop");
        kubectl("", "set", "image", "deployment/web", "*=image:2", "-n", "shop");
        kubectl("", "label", "deployment/web", "tier=front", "-n", "shop");
        kubectl("", "annotate", "deployment/web", "note=none", "-n", "shop");
        assertThat(shop(
                        "deploy/web",
                        "{.spec.replicas} {..image} {.metadata.labels.tier} {.metadata.annotations.note}"))
                .isEqualTo("0 image:2 front none");
        kubectl("", "delete", "deployment", "web", "-n", "shop");
        assertThat(kubectl("", "get", "deployments", "-n", "shop")).contains("No resources found");
        kubectl("", "delete", "namespace", "shop");
        assertThat(kubectl("", "get", "namespaces")).doesNotContain("shop");
    }

    private String shop(String object, String path) {
        return kubectl("", "get", object, "-n", "shop", "-o", "jsonpath=" + path);
    }

    @Test
    void storesWhatTheClientWouldPrint() {
        String[] create = {"create", "deployment", "web", "--image=image:1", "--replicas=0", "--port=80", "-o", "json"};
        String[] dry = Arrays.copyOf(create, create.length + 1);
        dry[create.length] = "--dry-run=client";
        String manifest = kubectl("", dry);
        assertThat(manifest).contains("\"replicas\": 0");
        String path = "jsonpath={.spec}";
        kubectl(manifest, "create", "-f", "-");
        String fromJson = kubectl("", "get", "deploy", "web", "-o", path);
        kubectl("", "delete", "deploy", "web");
        kubectl("", create);
        assertThat(kubectl("", "get", "deploy", "web", "-o", path)).isEqualTo(fromJson);
    }

    @Test
    void asksAsSomebodyWhereRightsMatter() throws IOException {
        String robot = "system:serviceaccount:default:robot";
        try (ApiServer strict = ApiServer.builder().authorization(true).start()) {
            Files.writeString(directory.resolve("kubeconfig"), strict.kubeconfig());
            String strictly = "--context=kubectl";
            kubectl("", "create", "role", "reader", "--verb=get,list", "--resource=configmaps", strictly);
            kubectl("", "create", "rolebinding", "reader", "--role=reader", "--serviceaccount=default:robot", strictly);
            kubectl("", "get", "configmaps", strictly, "--as=" + robot);
            assertThat(refusal("get", "secrets", strictly, "--as=" + robot))
                    .contains("secrets is forbidden: User \"" + robot + "\" cannot list resource");
            // Nobody may not even ask what there is.
            assertThat(refusal("get", "configmaps")).contains("Error from server (Forbidden)");

            Files.writeString(directory.resolve("kubeconfig"), strict.kubeconfigFor(robot));
            kubectl("", "get", "configmaps", strictly);
            assertThat(refusal("get", "secrets", strictly))
                    .contains("secrets is forbidden: User \"" + robot + "\" cannot list resource");
        }
    }

    private String refusal(String... arguments) {
        Command refused = Command.tryTo(directory, environment(), "", command(arguments));
        assertThat(refused.code()).isEqualTo(1);
        return refused.output();
    }

    @Test
    void explains() {
        define();
        assertThat(kubectl("", "explain", "thing.spec"))
                .contains("What is wanted.")
                .containsPattern("size\\s*<integer>");
        assertThat(kubectl("", "explain", "deployment.spec.replicas")).contains("Number of desired pods");
        assertThat(kubectl("", "explain", "job.spec.backoffLimit")).contains("number of retries");
        assertThat(kubectl("", "explain", "hpa.spec.metrics.resource.target"))
                .containsPattern("averageUtilization\\s*<integer>");
        assertThat(kubectl("", "api-resources")).contains("things").contains("deployments");
    }
}
