package io.controllermanager.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.app.Main;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.foo.Foo;
import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.Defaulter;
import io.controllermanager.webhook.MutatingWebhook;
import io.kubernetes.client.openapi.ApiException;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The metrics that a running manager shows to Prometheus, each with its type and its labels: {@code metric NAME: gauge} and
 * {@code metric NAME{LABEL}}. Those of Micrometer and Spring Boot are theirs.
 */
final class PromisedMetrics {

    private static final String OURS = "(?:workqueue|controller_runtime|controller_manager|leader_election|rest_client"
            + "|reflector|informer|event_recorder|process|logback_events_dropped)_[a-z_]+";

    private static final Pattern DOCUMENTED = Pattern.compile("`(" + OURS + ")(?:\\{([a-z,]+)})?`");
    private static final Pattern TYPE = Pattern.compile("# TYPE (" + OURS + ") (\\w+)");
    /** Not the bound of a bucket. */
    private static final Pattern LABEL = Pattern.compile("[{,](?!le=)([a-z_]+)=\"");

    private static final Pattern RECONCILED =
            Pattern.compile("controller_runtime_reconcile_total\\{[^}]*success[^}]*} [1-9]");

    /** What comes only with a rival that undoes writes, and with objects in an old version. */
    private static final Set<String> NOT_SHOWN =
            Set.of("controller_manager_undone_writes_total", "controller_manager_storage_migration_objects_total");

    private PromisedMetrics() {}

    /** Those that are shown, and of those that are not what the page says. */
    static Set<String> now() throws IOException, ApiException {
        Set<String> documented = new TreeSet<>();
        Set<String> lines = new TreeSet<>();
        String page = Files.readString(Promises.PROJECT.resolve("docs/operating.md"));
        for (Matcher metric = DOCUMENTED.matcher(page); metric.find(); ) {
            documented.add(metric.group(1));
            if (NOT_SHOWN.contains(metric.group(1))) {
                lines.add("metric " + metric.group(1));
                for (String label : metric.group(2).split(",", -1)) {
                    lines.add("metric " + metric.group(1) + "{" + label + "}");
                }
            }
        }
        documented.removeAll(NOT_SHOWN);
        lines.addAll(shown(documented));
        return lines;
    }

    private static Set<String> shown(Set<String> awaited) throws IOException, ApiException {
        try (ApiServer server = ApiServer.builder().world(true).start()) {
            Manifests.applyAll(server.client(), "default");
            server.faults().when(RequestMatcher.watch("networks")).respond(403);
            SpringApplication application = new SpringApplication(Main.class, NoDefaults.class);
            application.setRegisterShutdownHook(false);
            application.addInitializers(context -> context.getBeanFactory().registerSingleton("apiServer", server));
            try (ConfigurableApplicationContext context = application.run(
                    "--server.port=0",
                    "--controller-manager.webhooks.port=0",
                    "--controller-manager.controller.foo.shards=2",
                    "--controller-manager.leader-election.resource-namespace=default")) {
                PrometheusMeterRegistry registry = context.getBean(PrometheusMeterRegistry.class);
                await("a reconcile")
                        .until(
                                registry::scrape,
                                scrape -> RECONCILED.matcher(scrape).find());
                await("all metrics that docs/operating.md lists")
                        .untilAsserted(() -> assertThat(TYPE.matcher(registry.scrape())
                                        .results()
                                        .map(metric -> metric.group(1)))
                                .containsAll(awaited));
                return read(registry.scrape());
            }
        }
    }

    private static Set<String> read(String scrape) {
        Set<String> lines = new TreeSet<>();
        String line = "";
        for (String text : scrape.split("\n", -1)) {
            Matcher type = TYPE.matcher(text);
            if (type.matches()) {
                line = "metric " + type.group(1);
                lines.add(line + ": " + type.group(2));
            } else if (text.startsWith("#")) {
                line = "";
            } else if (!line.isEmpty()) {
                for (Matcher label = LABEL.matcher(text); label.find(); ) {
                    lines.add(line + "{" + label.group(1) + "}");
                }
            }
        }
        return lines;
    }

    @MutatingWebhook(Foo.class)
    static final class NoDefaults implements Defaulter<Foo> {

        @Override
        public Foo withDefaults(Foo foo, Admission<Foo> admission) {
            return foo;
        }
    }
}
