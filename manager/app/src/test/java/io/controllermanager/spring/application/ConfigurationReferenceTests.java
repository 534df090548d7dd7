package io.controllermanager.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.PropertyMetadata;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.foo.FooController;
import io.controllermanager.network.NetworkController;
import io.controllermanager.spring.config.ControllerManagerProperties;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/configuration.md} says what the property classes and the flags say. To write it anew, run this test with
 * {@code -Dconfiguration-reference.write=true}. In the package of the flags, which are not public.
 */
class ConfigurationReferenceTests {

    @Test
    void thePageSaysWhatTheCodeSays() throws IOException {
        Path page = Manifests.configDirectory().resolveSibling("docs").resolve("configuration.md");
        String expected = page();
        if (Boolean.getBoolean("configuration-reference.write")) {
            Files.writeString(page, expected);
        }
        assertThat(Files.readString(page)).isEqualTo(expected);
    }

    private static String page() throws IOException {
        StringBuilder page = new StringBuilder("""
                # Configuration

                <!-- Written by ConfigurationReferenceTests from the property classes and flags: change those. -->

                You can set each property in every way that
                [Spring Boot](https://docs.spring.io/spring-boot/reference/features/external-config.html) knows:

                - as an argument, `--name=value`;
                - as an environment variable, in upper case and with `_` for `.` and `-`: `CONTROLLER_MANAGER_SHUTDOWN_TIMEOUT`;
                - in an `application.yaml` beside the jar.

                Durations are written as in Go: `15s`, `1m30s`, `500ms`. When the process starts, it reports all mistakes at once,
                unknown names below `controller-manager` included. It reports mistakes in flags before all others.

                ## Properties

                """);
        table(page, "", PropertyMetadata.ofProcess());
        page.append("""

                ## Settings of each controller

                `<name>` is the controller's name, such as `foo`. The environment variable is
                `CONTROLLER_MANAGER_CONTROLLER_FOO_WORKERS`.

                """);
        table(page, ControllerManagerProperties.PREFIX + ".controller.<name>.", PropertyMetadata.ofEachController());
        page.append("""

                The controllers that ship with the project are built with:

                | Controller | `workers` | `rate-limiter.min-backoff` | `rate-limiter.max-backoff` | `reconcile-timeout` | `cache-sync-timeout` | `needs-leader-election` |
                |---|---|---|---|---|---|---|
                """);
        for (ControllerDescriptor controller : List.of(FooController.descriptor(), NetworkController.descriptor())) {
            ControllerOptions options = controller.options();
            row(
                    page,
                    "`" + controller.name() + "`",
                    String.valueOf(options.workers()),
                    duration(options.rateLimiter().minBackoff()),
                    duration(options.rateLimiter().maxBackoff()),
                    options.reconcileTimeout() == null ? "never" : duration(options.reconcileTimeout()),
                    duration(options.cacheSyncTimeout()),
                    String.valueOf(options.needsLeaderElection()));
        }
        page.append("""

                ## Flags

                The flags of kube-controller-manager and sample-controller work as they do there: with one dash or two, and with the
                value after `=` or as the next argument.

                | Flag | Property | |
                |---|---|---|
                """);
        for (Flag flag : Flag.ALL) {
            row(page, "`--" + flag.name() + "`", "`" + flag.property() + "`", flag.description());
        }
        page.append("""

                What becomes of the other flags of kube-controller-manager 1.36 that are not of a single controller:

                | Flag | | |
                |---|---|---|
                """);
        ForeignFlag.all()
                .forEach((name, flag) -> row(
                        page, "`--" + name + "`", flag.accepted() ? "no effect" : "refused", flag.sentence() + "."));
        page.append("""

                ## Exit codes

                | Code | |
                |---|---|
                | 0 | A clean stop on SIGTERM or SIGINT: running reconciles ended, and the Lease is released. |
                | 1 | The configuration is wrong, or the start failed: stderr has one line for each error. Or an essential controller failed: the last ERROR line says which and why. Or the stop did not end within `controller-manager.shutdown-timeout` and 15 seconds. |
                | 2 | With `--dry-run`: something would change. 0 is then that nothing would, and 1 that [the plan](plan.md) is not whole. Without: leadership was lost, and `controller-manager.leader-election.on-loss` is `exit`. The same happens with any setting if a controller built for client-java was running that has workers of its own, since it cannot run again. |
                | 3 | The heap was full, and Java was started with `-XX:+ExitOnOutOfMemoryError`, as in the image, the chart and `config/`. |
                """);
        return page.toString();
    }

    private static void table(StringBuilder page, String prefix, List<Map<String, Object>> properties) {
        page.append("| Property | Default | |\n|---|---|---|\n");
        for (Map<String, Object> property : properties) {
            Object value = property.get("defaultValue");
            row(
                    page,
                    "`" + prefix + property.get("name") + "`",
                    value == null ? "" : "`" + value + "`",
                    String.valueOf(property.get("description")));
        }
    }

    private static String duration(Duration duration) {
        BigDecimal seconds = BigDecimal.valueOf(duration.toNanos(), 9).stripTrailingZeros();
        return seconds.compareTo(BigDecimal.ONE) < 0
                ? seconds.movePointRight(3).toPlainString() + "ms"
                : seconds.toPlainString() + "s";
    }

    private static void row(StringBuilder page, String... cells) {
        page.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
}
