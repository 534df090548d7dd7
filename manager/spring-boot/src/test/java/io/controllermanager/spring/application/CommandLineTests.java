package io.controllermanager.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandLineTests {

    @ParameterizedTest
    @CsvSource({
        "--kubeconfig=FILE",
        "-kubeconfig=FILE",
        "--kubeconfig FILE",
        "-kubeconfig FILE",
        "--kubeconfig=OTHER --kubeconfig FILE"
    })
    void readsGoSpellings(String arguments) {
        assertThat(settings(arguments)).containsExactly(Map.entry("controller-manager.kubeconfig", "FILE"));
    }

    @ParameterizedTest
    @CsvSource({"--leader-elect,true", "-leader-elect,true", "--leader-elect=false,false", "--leader-elect=true,true"})
    void aSwitchMayStandAlone(String argument, String value) {
        assertThat(settings(argument)).containsExactly(Map.entry("controller-manager.leader-election.enabled", value));
    }

    @Test
    void everyFlagOfTheContractSetsItsProperty() {
        assertThat(settings("--master=u --controllers=*,-network --leader-elect-lease-duration=1m30s"
                        + " --leader-elect-renew-deadline=10s --leader-elect-retry-period=2s"
                        + " --leader-elect-resource-name=n --leader-elect-resource-namespace=ns --kube-api-qps=5.5"
                        + " --kube-api-burst=9 --concurrent-foo-bar-syncs=7 --namespace=a,b --namespace c"))
                .containsExactly(
                        Map.entry("controller-manager.master", "u"),
                        Map.entry("controller-manager.controllers", "*,-network"),
                        Map.entry("controller-manager.leader-election.lease-duration", "1m30s"),
                        Map.entry("controller-manager.leader-election.renew-deadline", "10s"),
                        Map.entry("controller-manager.leader-election.retry-period", "2s"),
                        Map.entry("controller-manager.leader-election.resource-name", "n"),
                        Map.entry("controller-manager.leader-election.resource-namespace", "ns"),
                        Map.entry("controller-manager.client.qps", "5.5"),
                        Map.entry("controller-manager.client.burst", "9"),
                        Map.entry("controller-manager.controller.foo-bar.workers", "7"),
                        Map.entry("controller-manager.namespaces", "a,b,c"));
    }

    @Test
    void aValueMayBeginWithADash() {
        assertThat(settings("--controllers -network")).containsValue("-network");
        assertThat(settings("--kube-api-qps -1")).containsValue("-1");
    }

    @Test
    void leavesToSpringWhatIsSprings() {
        assertThat(settings("--server.port=0 --debug --trace")).isEmpty();
        assertThat(settings("-controller-manager.enabled=false -debug"))
                .containsExactly(Map.entry("controller-manager.enabled", "false"), Map.entry("debug", ""));
    }

    @Test
    void namesEveryMistake() {
        CommandLine line = CommandLine.parse(
                "--leader-elct", "--frobnicate=1", "stray", "--concurrent--syncs=1", "--server.port=0", "--master");
        assertThat(line.unknown())
                .containsExactly(
                        "unknown flag: --leader-elct (did you mean --leader-elect?)",
                        "unknown flag: --frobnicate; --help lists those there are",
                        "unexpected argument: stray",
                        "unknown flag: --concurrent--syncs; --help lists those there are");
        assertThat(line.incomplete()).containsExactly("flag needs a value: --master");
        assertThat(line.mistakes()).hasSize(5);
    }

    @Test
    void helpNamesEveryFlag() {
        assertThat(CommandLine.parse("-h").help()).isTrue();
        assertThat(CommandLine.parse("--version").version()).isTrue();
        List<String> names = Flag.ALL.stream().map(flag -> "--" + flag.name()).toList();
        assertThat(Usage.text("website"))
                .contains("java -jar website.jar")
                .contains(names)
                .contains("--help", "--version");
    }

    private static Map<String, String> settings(String arguments) {
        Map<String, String> values = new LinkedHashMap<>();
        CommandLine.parse(arguments.split(" "))
                .settings()
                .forEach((property, setting) -> values.put(property, setting.value()));
        return values;
    }
}
