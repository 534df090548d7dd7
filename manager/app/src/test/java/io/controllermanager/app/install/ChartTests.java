package io.controllermanager.app.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.rights.DeclaredRights;
import io.controllermanager.app.install.Chart.Rendered;
import io.controllermanager.app.support.Programs.Answer;
import io.controllermanager.spring.config.ControllerSelection;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which controllers the chart turns on, and what it lets them do, by what the real helm makes of it. */
@Tag("system")
class ChartTests {

    private static final Chart CHART = Chart.own();
    private static final String NAME = "cm-controller-manager-system";
    private static final V1PolicyRule EVENTS = rule("events.k8s.io", List.of("events"), "create", "patch");

    @Test
    void grantsNothingForAControllerThatIsOff() throws Exception {
        List<V1PolicyRule> rules = CHART.render("--set", "controllers={foo}").clusterRules();

        assertThat(rules)
                .flatExtracting(V1PolicyRule::getApiGroups)
                .contains("samplecontroller.k8s.io")
                .doesNotContain("sample.k8s.io", "*");
        assertThat(rules)
                .flatExtracting(V1PolicyRule::getResources)
                .contains("foos/finalizers")
                .noneMatch(resource -> resource.contains("network") || resource.contains("*"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "foo",
                "network",
                "*,-network",
                "-network,*",
                "-foo,foo,*",
                "foo,-foo,-network,network",
                "-foo",
                "-foo,-network,*",
                " foo , "
            })
    void decidesAsTheProcessDoes(String controllers) throws Exception {
        Rendered release = CHART.render("--set-json", "controllers=[\"" + controllers.replace(",", "\",\"") + "\"]");

        List<V1PolicyRule> expected = rulesOf(new ControllerSelection(List.of(controllers.split(","))));
        assertThat(release.clusterRules()).containsExactlyElementsOf(expected);
        assertThat(release.names(V1ClusterRoleBinding.class).contains(NAME)).isEqualTo(!expected.isEmpty());
        assertThat(release.arguments()).contains("--controllers=" + controllers);
    }

    @Test
    void takesTheFlagsOwnWriting() throws Exception {
        assertThat(CHART.render("--set-json", "controllers=[\"*,-network\"]").clusterRules())
                .isEqualTo(rulesOf(new ControllerSelection(List.of("foo"))));
    }

    @Test
    void grantsNothingButLeaderElectionWhereNoControllerIsOn() throws Exception {
        Rendered release = CHART.render("--set-json", "controllers=[]");

        assertThat(release.names(V1ClusterRole.class))
                .containsExactlyInAnyOrder(NAME + "-metrics-reader", NAME + "-endpoint-reader");
        assertThat(release.one(V1Role.class).getRules())
                .flatExtracting(V1PolicyRule::getResources)
                .containsOnly("leases", "events");
        assertThat(release.arguments()).contains("--controllers=");
    }

    @Test
    void grantsRolesAloneWhereNamespacesAreNamed() throws Exception {
        Rendered release =
                CHART.render("--set", "controllers={foo},namespaces={b,a,b},replicas=1,leaderElection.enabled=false");

        assertThat(release.all(V1ClusterRole.class)).isEmpty();
        assertThat(release.names(V1ClusterRoleBinding.class)).containsExactly(NAME + "-auth-delegator");
        assertThat(release.all(V1Role.class))
                .allSatisfy(
                        role -> assertThat(role.getRules()).isEqualTo(rulesOf(new ControllerSelection(List.of("foo")))))
                .extracting(role -> role.getMetadata().getNamespace())
                .containsExactlyInAnyOrder("a", "b");
        assertThat(release.all(V1RoleBinding.class))
                .allSatisfy(binding -> assertThat(binding.getRoleRef())
                        .isEqualTo(new V1RoleRef()
                                .apiGroup("rbac.authorization.k8s.io")
                                .kind("Role")
                                .name("cm-controller-manager")))
                .extracting(binding -> binding.getMetadata().getNamespace())
                .containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void refusesAnUnknownNameAndSaysWhichAreKnown() throws Exception {
        Answer answer = CHART.template("--set", "controllers={*,fo,-Net_work}");

        assertThat(answer.exitCode()).isNotZero();
        assertThat(answer.err())
                .contains("controllers: no controllers are called \"fo\", \"Net_work\"; known are foo, network");
    }

    @Test
    void grantsNothingForAControllerThatAPropertyTurnsOff() throws Exception {
        assertThat(CHART.render("--set", "properties.controller-manager\\.controller\\.foo\\.enabled=false")
                        .clusterRules())
                .isEqualTo(rulesOf(new ControllerSelection(List.of("network"))));
    }

    @ParameterizedTest
    @CsvSource({
        "controller-manager.controllers, set the value controllers",
        "controllerManager.controllers[0], set the value controllers",
        "controllers, set the value controllers",
        "controller-manager.namespaces, set the value namespaces",
        "namespace, set the value namespaces",
        "controller-manager.leader-election.resource-name, set the value leaderElection.resourceName",
        "leader-elect-resource-name, set the value leaderElection.resourceName",
        "leader-elect-resource-namespace, cannot be set",
        "controller-manager.leader-election.former-resource-name, set the value leaderElection.formerResourceName",
        "leader-elect-renew-deadline, set the value leaderElection.renewDeadline",
        "controller-manager.shutdown-timeout, set the value shutdownTimeoutSeconds",
        "controller-manager.endpoints.authentication.enabled, set the value authentication.enabled",
        "controller-manager.webhooks.enabled, set the value webhooks.enabled",
        "controller-manager.webhooks.name, the Service has the name of the release",
        "controller-manager.webhooks.port, the Service asks port 9443",
        "server.port, the probes and the Service ask port 8080",
        "management.endpoints.web.base-path, the probes and the monitors ask below /actuator",
        "controller-manager.leader-election.lease-per-controller, set the value leaderElection.leasePerController",
        "controller-manager.controller.foo.shards, set the value shards",
        "controllerManager.controller.foo.shards, set the value shards",
        "controller-manager.controller.nope.workers, is for no controller there is; known are foo",
    })
    void refusesPropertiesThatWouldPassTheRulesBy(String property, String advice, @TempDir Path directory)
            throws Exception {
        Path values = Files.writeString(directory.resolve("values.yaml"), "properties: {\"" + property + "\": foo}");

        Answer answer = CHART.template("--values", values.toString());

        assertThat(answer.exitCode()).isNotZero();
        assertThat(answer.err()).contains(property, advice);
    }

    /** Else a rollout would have the new process work beside the old one. */
    @Test
    void startsNoPodBesideAnotherWithoutLeaderElection() throws Exception {
        Rendered alone = CHART.render("--set", "replicas=1,leaderElection.enabled=false");

        assertThat(alone.one(V1Deployment.class).getSpec().getStrategy().getType())
                .isEqualTo("Recreate");
        assertThat(CHART.render().one(V1Deployment.class).getSpec().getStrategy())
                .isNull();
    }

    @Test
    void writesNumbersAsTheProcessReadsThem(@TempDir Path directory) throws Exception {
        Path values = Files.writeString(directory.resolve("values.yaml"), """
                properties: {controller-manager.events.burst: 12345678, controller-manager.events.qps: 0.5}
                """);

        assertThat(CHART.render("--values", values.toString()).arguments())
                .contains("--controller-manager.events.burst=12345678", "--controller-manager.events.qps=0.5");
    }

    @Test
    void takesNamesThatLookLikeNumbersForNames() throws Exception {
        Rendered release = CHART.render("--namespace=456", "--set-string", "serviceAccount.name=1e5");

        assertThat(release.pod().getServiceAccountName()).isEqualTo("1e5");
        assertThat(CHART.template("--namespace=456").out())
                .contains("namespace: \"456\"")
                .doesNotContain("namespace: 456\n");
    }

    @Test
    void picksUpAFurtherControllerFromItsFile(@TempDir Path directory) throws Exception {
        Chart chart = CHART.copyTo(directory.resolve("chart"));
        Files.writeString(chart.directory().resolve("rbac/third.yaml"), """
                enabledByDefault: false
                rules:
                  - apiGroups: [example.com]
                    resources: [thirds]
                    verbs: [get]
                """);
        V1PolicyRule own = new V1PolicyRule()
                .addApiGroupsItem("example.com")
                .addResourcesItem("thirds")
                .addVerbsItem("get");

        assertThat(chart.render("--set", "controllers={*}").clusterRules()).doesNotContain(own);
        assertThat(chart.render("--set", "controllers={*,third}").clusterRules())
                .contains(own);
        assertThat(chart.template("--set", "controllers={fourth}").err()).contains("known are foo, network, third");
    }

    /** As {@code helm install} takes them from the files of another application's project. */
    @Test
    void grantsAnotherApplicationWhatItsControllersDeclareAndNothingElse(@TempDir Path directory) throws Exception {
        Path website = Files.writeString(directory.resolve("website.yaml"), """
                # What the controller website may do.
                rules:
                  - apiGroups: [example.com]
                    resources: [websites, websites/status]
                    verbs: [list, watch, patch]
                """);
        Path backup = Files.writeString(directory.resolve("backup.yaml"), """
                enabledByDefault: false
                rules:
                  - apiGroups: [""]
                    resources: [configmaps]
                    verbs: [create]
                """);
        List<String> options =
                List.of("--set=image.tag=1.2.0", "--set-file=rights.website=" + website + ",rights.backup=" + backup);

        assertThat(rulesOfAnother(options, "controllers={*}"))
                .containsExactly(
                        rule("example.com", List.of("websites", "websites/status"), "list", "watch", "patch"), EVENTS);
        assertThat(rulesOfAnother(options, "controllers={backup}"))
                .containsExactly(rule("", List.of("configmaps"), "create"), EVENTS);
        assertThat(rulesOfAnother(options, "controllers={-website}")).isEmpty();
        assertThat(CHART.template(with(options, "--set=controllers={foo}")).err())
                .contains("no controller is called \"foo\"; known are backup, website");
    }

    @Test
    void grantsWhatIsForTheHostsNamespaceThereAlone(@TempDir Path directory) throws Exception {
        Path website = Files.writeString(directory.resolve("website.yaml"), """
                hostRules:
                  - apiGroups: [""]
                    resources: [configmaps]
                    verbs: [get]
                rules:
                  - apiGroups: [example.com]
                    resources: [websites]
                    verbs: [list]
                """);
        List<String> options = List.of("--set=image.tag=1.2.0", "--set-file=rights.website=" + website);

        assertThat(rulesOfAnother(options, "controllers={*}"))
                .containsExactly(rule("example.com", List.of("websites"), "list"), EVENTS);
        for (String scope :
                List.of("replicas=2", "namespaces={elsewhere}", "leaderElection.enabled=false,replicas=1")) {
            Rendered release = CHART.render(with(options, "--set=" + scope));
            V1Role role = release.all(V1Role.class).stream()
                    .filter(one -> one.getMetadata().getName().endsWith("-host"))
                    .findFirst()
                    .orElseThrow();
            assertThat(role.getMetadata().getNamespace()).isEqualTo("system");
            assertThat(role.getRules()).containsExactly(rule("", List.of("configmaps"), "get"));
            assertThat(release.all(V1RoleBinding.class))
                    .anySatisfy(binding ->
                            assertThat(binding.getRoleRef().getName()).endsWith("-host"));
        }
        assertThat(CHART.render(with(options, "--set=controllers={-website}")).names(V1Role.class))
                .noneMatch(name -> name.endsWith("-host"));
    }

    private static List<V1PolicyRule> rulesOfAnother(List<String> options, String controllers) throws Exception {
        return CHART.render(with(options, "--set=" + controllers)).all(V1ClusterRole.class).stream()
                .filter(role -> role.getMetadata().getName().equals("cm-system"))
                .flatMap(role -> role.getRules().stream())
                .toList();
    }

    private static String[] with(List<String> options, String option) {
        return Stream.concat(options.stream(), Stream.of(option)).toArray(String[]::new);
    }

    private static V1PolicyRule rule(String group, List<String> resources, String... verbs) {
        return new V1PolicyRule().addApiGroupsItem(group).resources(resources).verbs(List.of(verbs));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{*}             | ''                                                                  | cm,cm-foo,cm-network",
                "{foo}           | ''                                                                  | cm,cm-foo",
                "{*}             | controller-manager.controller.foo.enabled=false                     | cm,cm-network",
                "{*}             | controller-manager.controller.network.needs-leader-election=false  | cm,cm-foo",
            })
    void namesTheLeasesOfThoseThatAreOnAndTheirAnchor(String controllers, String property, String leases)
            throws Exception {
        Rendered release = CHART.render(
                "--set",
                "leaderElection.leasePerController=true,leaderElection.resourceName=cm,controllers=" + controllers
                        + (property.isEmpty() ? "" : ",properties." + property.replace(".", "\\.")));

        assertThat(release.arguments()).contains("--controller-manager.leader-election.lease-per-controller=true");
        assertNamesLeases(release, leases.split(","));
    }

    /** Replicas of before the update may have them. */
    @Test
    void namesTheLeasesOfControllersWhereTheyAreToShareOneAgain() throws Exception {
        Rendered release =
                CHART.render("--set", "leaderElection.resourceName=cm,leaderElection.leasePerController=false");

        assertThat(release.arguments()).noneMatch(argument -> argument.contains("lease-per-controller"));
        assertNamesLeases(release, "cm", "cm-foo", "cm-network");
    }

    @Test
    void namesTheFormerLeasesToo() throws Exception {
        String names = "leaderElection.resourceName=b,leaderElection.formerResourceName=a";
        Rendered one = CHART.render("--set", names);
        Rendered each = CHART.render("--set", names + ",leaderElection.leasePerController=true");

        assertThat(one.arguments()).contains("--controller-manager.leader-election.former-resource-name=a");
        assertNamesLeases(one, "b", "a");
        assertNamesLeases(each, "b", "b-foo", "b-network", "a", "a-foo", "a-network");
    }

    private static void assertNamesLeases(Rendered release, String... leases) throws Exception {
        assertThat(release.one(V1Role.class).getRules())
                .filteredOn(rule -> rule.getResources().contains("leases")
                        && !rule.getVerbs().contains("create"))
                .singleElement()
                .satisfies(rule -> assertThat(rule.getResourceNames()).containsExactly(leases))
                .satisfies(rule -> assertThat(rule.getVerbs()).containsExactly("get", "update", "watch"));
    }

    /** With one shard too: those of before may still be held. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "shards.foo=16                                       | --controller-manager.controller.foo.shards=16",
                "shards.foo=1                                        | --controller-manager.controller.foo.shards=1",
                "shards.foo=4,leaderElection.leasePerController=true | --controller-manager.controller.foo.shards=4",
            })
    void grantsAllLeasesOfTheNamespaceWhereAControllerHasShards(String values, String argument) throws Exception {
        Rendered release = CHART.render("--set", values);

        assertThat(release.one(V1Role.class).getRules())
                .containsExactly(
                        rule("coordination.k8s.io", List.of("leases"), "create", "get", "list", "update", "watch"));
        assertThat(release.arguments()).contains(argument);
    }

    @Test
    void grantsNoMoreLeasesForShardsOfAControllerThatIsOff() throws Exception {
        assertNamesLeases(CHART.render("--set", "shards.foo=16,controllers={network}"), "cm-controller-manager");
    }

    /** A rule without names would be for all of them. */
    @Test
    void namesTheAnchorWhereNoControllerIsOn() throws Exception {
        assertNamesLeases(
                CHART.render("--set-json", "controllers=[],leaderElection.leasePerController=true"),
                "cm-controller-manager");
    }

    /** What is granted for a list of controllers: their own rules, and Events if there is one. */
    private static List<V1PolicyRule> rulesOf(ControllerSelection selection) {
        List<V1PolicyRule> rules = new ArrayList<>();
        for (DeclaredRights rights : DeclaredRights.all()) {
            if (selection.includes(rights.controller(), rights.enabledByDefault())) {
                rules.addAll(rights.rules());
            }
        }
        if (!rules.isEmpty()) {
            rules.add(EVENTS);
        }
        return rules;
    }
}
