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
        assertThat(line.wrong()).containsExactly("flag needs a value: --master");
        assertThat(line.mistakes()).hasSize(5);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            -v=4 | logging.level.io.controllermanager | debug
            -v4 | logging.level.io.controllermanager | debug
            --v 0 | logging.level.io.controllermanager | info
            --v=3 | logging.level.io.controllermanager | info
            --v=6 | logging.level.io.controllermanager | trace
            --logging-format=json | logging.structured.format.console | ecs
            --logging-format=text | logging.structured.format.console | ''
            --secure-port=10257 | server.port | 10257
            --secure-port=0 | server.port | -1
            --bind-address=:: | server.address | ::
            --tls-min-version=VersionTLS12 | spring.ssl.bundle.pem.flags.options.enabled-protocols | TLSv1.2,TLSv1.3
            --tls-min-version=VersionTLS13 | spring.ssl.bundle.pem.flags.options.enabled-protocols | TLSv1.3
            --tls-cipher-suites=TLS_AES_128_GCM_SHA256 --tls-cipher-suites=TLS_AES_256_GCM_SHA384 | spring.ssl.bundle.pem.flags.options.ciphers | TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384
            --controller-shutdown-timeout=5s | controller-manager.shutdown-timeout | 5s
            """)
    void makesValuesOfPropertiesOfGosValues(String arguments, String property, String value) {
        assertThat(CommandLine.parse(arguments.split(" ")).mistakes()).isEmpty();
        assertThat(settings(arguments)).containsExactly(Map.entry(property, value));
    }

    @Test
    void aCertificateOfFlagsIsRenewed() {
        assertThat(settings("--tls-cert-file=c --tls-private-key-file=k"))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "server.ssl.bundle", "flags",
                        "spring.ssl.bundle.pem.flags.keystore.certificate", "c",
                        "spring.ssl.bundle.pem.flags.keystore.private-key", "k",
                        "spring.ssl.bundle.pem.flags.reload-on-update", "true"));
        assertThat(CommandLine.parse("--tls-cert-file=c").wrong())
                .containsExactly("--tls-cert-file and --tls-private-key-file: there is one without the other");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --v=high | must be a whole number from 0 to 2147483647
            --v=-1 | must be a whole number from 0 to 2147483647
            --logging-format=xml | must be text or json
            --secure-port=65536 | must be a whole number from 0 to 65535
            --bind-address=example.com | must be an IP address
            --tls-min-version=VersionTLS11 | must be VersionTLS12 or VersionTLS13
            --tls-cipher-suites=TLS_NONE | Java does not have the cipher suite "TLS_NONE"
            """)
    void aValueThatIsNotAllowedIsOneMistake(String argument, String sentence) {
        CommandLine line = CommandLine.parse(argument);
        assertThat(line.mistakes()).containsExactly(argument + ": " + sentence);
        assertThat(line.settings()).isEmpty();
    }

    @Test
    void ofKubeControllerManagersOtherFlagsSomeAreTakenAndSomeRefused() {
        CommandLine taken = CommandLine.parse(
                "--profiling=false", "--profiling", "--contention-profiling", "--log-flush-frequency", "5s");
        assertThat(taken.mistakes()).isEmpty();
        assertThat(taken.settings()).isEmpty();
        assertThat(CommandLine.parse("--cluster-name", "c", "--allocate-node-cidrs", "--vmodule=x=1")
                        .mistakes())
                .containsExactly(
                        "--cluster-name=c: It is for controllers of kube-controller-manager",
                        "--allocate-node-cidrs=true: It is for controllers of kube-controller-manager",
                        "--vmodule=x=1: Use --logging.level.LOGGER=debug");
        assertThat(ForeignFlag.all())
                .doesNotContainKeys(Flag.ALL.stream().map(Flag::name).toArray(String[]::new));
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
