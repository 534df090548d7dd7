package io.controllermanager.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.Chart.Answer;
import io.controllermanager.app.Chart.Rendered;
import io.controllermanager.spring.config.ControllerSelection;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.util.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The chart, by what the real helm makes of it. */
class ChartTests {

    private static final Chart CHART = Chart.own();
    private static final Path CONFIG = Manifests.configDirectory();

    @Test
    void carriesTheCrdsOfConfig() throws IOException {
        Map<String, String> carried = contents(CHART.directory().resolve("crds"));

        assertThat(carried).isNotEmpty().isEqualTo(contents(CONFIG.resolve("crd/bases")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"controllers={*}", "controllers={foo},namespaces={a,b}", "controllers={}"})
    void helmFindsNothingToCriticise(String values) throws Exception {
        Answer answer = CHART.lint("--set", values);

        assertThat(answer.exitCode()).as(answer.out() + answer.err()).isZero();
    }

    @Test
    void givesAllControllersWhatConfigGivesThem() throws Exception {
        Rendered release = CHART.render("--set", "leaderElection.resourceName=controller-manager");

        assertThat(release.one(V1ClusterRole.class).getRules())
                .isEqualTo(Yaml.loadAs(CONFIG.resolve("rbac/role.yaml").toFile(), V1ClusterRole.class)
                        .getRules());
        assertThat(release.one(V1Role.class).getRules())
                .isEqualTo(Yaml.loadAs(
                                CONFIG.resolve("rbac/leader_election_role.yaml").toFile(), V1Role.class)
                        .getRules());
    }

    @Test
    void grantsNothingForAControllerThatIsOff() throws Exception {
        List<V1PolicyRule> rules = CHART.render("--set", "controllers={foo}")
                .one(V1ClusterRole.class)
                .getRules();

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
        assertThat(release.all(V1ClusterRole.class).stream().flatMap(role -> role.getRules().stream()))
                .containsExactlyElementsOf(expected);
        assertThat(release.all(V1ClusterRoleBinding.class)).hasSize(expected.isEmpty() ? 0 : 1);
        assertThat(arguments(release)).contains("--controllers=" + controllers);
    }

    @Test
    void takesTheFlagsOwnWriting() throws Exception {
        assertThat(CHART.render("--set-json", "controllers=[\"*,-network\"]")
                        .one(V1ClusterRole.class)
                        .getRules())
                .isEqualTo(rulesOf(new ControllerSelection(List.of("foo"))));
    }

    @Test
    void grantsNothingButLeaderElectionWhereNoControllerIsOn() throws Exception {
        Rendered release = CHART.render("--set-json", "controllers=[]");

        assertThat(release.all(V1ClusterRole.class)).isEmpty();
        assertThat(release.one(V1Role.class).getRules())
                .flatExtracting(V1PolicyRule::getResources)
                .containsOnly("leases", "events");
        assertThat(arguments(release)).contains("--controllers=");
    }

    @Test
    void grantsRolesAloneWhereNamespacesAreNamed() throws Exception {
        Rendered release = CHART.render("--set", "controllers={foo},namespaces={b,a,b},leaderElection.enabled=false");

        assertThat(release.all(V1ClusterRole.class)).isEmpty();
        assertThat(release.all(V1ClusterRoleBinding.class)).isEmpty();
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
                        .one(V1ClusterRole.class)
                        .getRules())
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
        "controller-manager.leader-election.lease-per-controller, set the value leaderElection.leasePerController",
    })
    void refusesPropertiesThatWouldPassTheRulesBy(String property, String advice, @TempDir Path directory)
            throws Exception {
        Path values = Files.writeString(directory.resolve("values.yaml"), "properties: {\"" + property + "\": foo}");

        Answer answer = CHART.template("--values", values.toString());

        assertThat(answer.exitCode()).isNotZero();
        assertThat(answer.err()).contains(property, advice);
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

        assertThat(chart.render("--set", "controllers={*}")
                        .one(V1ClusterRole.class)
                        .getRules())
                .doesNotContain(own);
        assertThat(chart.render("--set", "controllers={*,third}")
                        .one(V1ClusterRole.class)
                        .getRules())
                .contains(own);
        assertThat(chart.template("--set", "controllers={fourth}").err()).contains("known are foo, network, third");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{*}             | ''                                                                  | cm-foo,cm-network",
                "{foo}           | ''                                                                  | cm-foo",
                "{*}             | controller-manager.controller.foo.enabled=false                     | cm-network",
                "{*}             | controller-manager.controller.network.needs-leader-election=false  | cm-foo",
            })
    void namesTheLeasesOfThoseThatAreOnWhereEachHasOne(String controllers, String property, String leases)
            throws Exception {
        Rendered release = CHART.render(
                "--set",
                "leaderElection.leasePerController=true,leaderElection.resourceName=cm,controllers=" + controllers
                        + (property.isEmpty() ? "" : ",properties." + property.replace(".", "\\.")));

        assertThat(release.one(V1Role.class).getRules())
                .filteredOn(rule -> rule.getResources().contains("leases")
                        && !rule.getVerbs().contains("create"))
                .singleElement()
                .satisfies(rule -> assertThat(rule.getResourceNames()).containsExactly(leases.split(",")))
                .satisfies(rule -> assertThat(rule.getVerbs()).containsExactly("get", "update", "watch"));
        assertThat(arguments(release)).contains("--controller-manager.leader-election.lease-per-controller=true");
    }

    /** A rule without names would be for all of them. */
    @Test
    void grantsNoLeaseWhereEachHasOneAndNoneIsOn() throws Exception {
        Rendered release = CHART.render("--set-json", "controllers=[],leaderElection.leasePerController=true");

        assertThat(release.one(V1Role.class).getRules())
                .flatExtracting(V1PolicyRule::getResources)
                .containsOnly("events");
    }

    /** What is granted for a list of controllers: their own rules, and Events if there is one. */
    private static List<V1PolicyRule> rulesOf(ControllerSelection selection) throws IOException {
        List<V1PolicyRule> rules = new ArrayList<>();
        DeclaredRights.all().forEach((name, rights) -> {
            if (selection.includes(name, rights.enabledByDefault())) {
                rules.addAll(rights.rules());
            }
        });
        if (!rules.isEmpty()) {
            rules.add(new V1PolicyRule()
                    .addApiGroupsItem("events.k8s.io")
                    .addResourcesItem("events")
                    .addVerbsItem("create")
                    .addVerbsItem("patch"));
        }
        return rules;
    }

    private static List<String> arguments(Rendered release) {
        return release.pod().getContainers().get(0).getArgs();
    }

    private static Map<String, String> contents(Path folder) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return contents;
    }
}
