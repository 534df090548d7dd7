package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonParser;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.writes.WriteRecording;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.plan.PlanReport;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.spring.config.PlanProperties;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ExitCodeEvent;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** A dry run prints its plan and ends, and has changed nothing: no object, no Lease, no Event. */
class PlanPrinterTests {

    private final List<Object> told = new CopyOnWriteArrayList<>();

    private final ApiServer server = ApiServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** Sees to a value in each ConfigMap. */
    private static Reconciler marking(ControllerContext context) {
        ResourceClient<V1ConfigMap> client = new ResourceClient<>(context.apiClient(), ResourceTypes.CONFIG_MAP);
        return request -> {
            V1ConfigMap map = context.informer(ResourceTypes.CONFIG_MAP)
                    .lister()
                    .get(request.getNamespace() + "/" + request.getName());
            if (map.getData() == null || !"yes".equals(map.getData().get("marked"))) {
                V1ConfigMap marked = client.copy(map);
                marked.setData(Map.of("marked", "yes"));
                try {
                    client.update(marked);
                } catch (ApiException e) {
                    throw new IllegalStateException(e);
                }
                context.events().normal(map, "Marked", "is marked");
            }
            return new Result(false);
        };
    }

    @Test
    void onePlanThatIsGivenUpIsNoPlanOfNothing() {
        application(server.kubeconfigFile(), List.of()).run(context -> {
            CompletableFuture<Integer> ended = new CompletableFuture<>();
            PlanPrinter printer =
                    printer(context, PlanProperties.Output.TEXT, ended::complete, new ByteArrayOutputStream());
            printer.start();
            printer.stop();
            assertThat(ended).isNotDone();
        });
        assertThat(told)
                .singleElement()
                .satisfies(event ->
                        assertThat(((ExitCodeEvent) event).getExitCode()).isEqualTo(PlanReport.FAILED));
    }

    @Test
    void whatMayNotBeReadDoesNotKeepTheRestFromThePlan(@TempDir Path directory) throws Exception {
        try (ApiServer guarded = ApiServer.builder().authorization(true).start()) {
            guarded.apply("classpath:plan/rights.yaml");
            makeMap(guarded);
            Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), guarded.kubeconfigFor("kate"));
            ControllerDescriptor unreadable = ControllerDescriptor.named("unreadable")
                    .forType(ResourceTypes.SECRET)
                    .watches(ResourceTypes.SECRET, secret -> Set.of(new Request("default", "a")))
                    .reconciler(request -> new Result(false))
                    .build();

            assertThat(plan(kubeconfig, PlanReport.FAILED, PlanProperties.Output.TEXT, List.of(marker(), unreadable)))
                    .contains("data.marked: \"yes\"", "missing permission to list secrets");
        }
    }

    private void makeMap() throws ApiException {
        makeMap(server);
    }

    private static void makeMap(ApiServer on) throws ApiException {
        new ResourceClient<V1ConfigMap>(on.client(), ResourceTypes.CONFIG_MAP)
                .create(new V1ConfigMap()
                        .metadata(new V1ObjectMeta().namespace("default").name("a")));
    }

    private static ControllerDescriptor marker() {
        return ControllerDescriptor.named("marker")
                .forType(ResourceTypes.CONFIG_MAP)
                .reconcilerFactory(PlanPrinterTests::marking)
                .build();
    }

    private static ApplicationContextRunner application(Path kubeconfig, List<ControllerDescriptor> controllers) {
        ApplicationContextRunner application = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(ControllerManagerAutoConfiguration.class))
                .withBean(KubernetesConnectionDetails.class, () -> () -> kubeconfig)
                .withPropertyValues("controller-manager.dry-run=true", "controller-manager.namespaces=default");
        for (ControllerDescriptor controller : controllers) {
            application = application.withBean(controller.name(), ControllerDescriptor.class, () -> controller);
        }
        return application;
    }

    private String plan(int code, PlanProperties.Output output, String... properties) {
        return plan(server.kubeconfigFile(), code, output, List.of(marker()), properties);
    }

    private String plan(
            Path kubeconfig,
            int code,
            PlanProperties.Output output,
            List<ControllerDescriptor> controllers,
            String... properties) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        application(kubeconfig, controllers).withPropertyValues(properties).run(context -> {
            CompletableFuture<Integer> ended = new CompletableFuture<>();
            PlanPrinter printer = printer(context, output, ended::complete, out);
            printer.start();
            await().until(ended::isDone);
            assertThat(ended).isCompletedWithValue(code);
        });
        return out.toString(StandardCharsets.UTF_8);
    }

    private PlanPrinter printer(
            ApplicationContext context, PlanProperties.Output output, ProcessExit exit, ByteArrayOutputStream out) {
        PlanProperties properties = new PlanProperties(output, Duration.ofSeconds(5), Duration.ofMinutes(10), null);
        return new PlanPrinter(
                context.getBean(ControllerManagerHost.class),
                context.getBean(ApiConnection.class),
                properties,
                exit,
                List.of(new PlanNote("something is not told")),
                new PrintStream(out, false, StandardCharsets.UTF_8),
                told::add);
    }

    @Test
    void printsWhatWouldChange() throws ApiException {
        makeMap();
        try (WriteRecording recording = server.recordWrites()) {
            assertThat(plan(PlanReport.CHANGES, PlanProperties.Output.TEXT)).isEqualTo("""
                            controller marker:
                              change configmaps default/a
                                data.marked: "yes"
                              Event of ConfigMap default/a: Normal Marked: is marked
                            note:
                              something is not told
                              no policy of the API server refuses what is no dry run: the client of this process alone does
                            0 to create, 1 to change, 0 to delete
                            """);
            assertThat(recording.writes()).isEmpty();
        }
    }

    @Test
    void printsForPrograms() throws ApiException {
        makeMap();
        String plan = plan(PlanReport.CHANGES, PlanProperties.Output.JSON);
        assertThat(JsonParser.parseString(plan).getAsJsonObject().getAsJsonArray("changes"))
                .singleElement()
                .asString()
                .contains("\"action\":\"change\"", "\"field\":\"data.marked\"", "\"after\":\"yes\"");
    }

    @Test
    void endsWithZeroIfNothingWouldChange() {
        assertThat(plan(PlanReport.NO_CHANGE, PlanProperties.Output.TEXT))
                .endsWith("0 to create, 0 to change, 0 to delete\n");
    }

    @Test
    void takesNoLease() throws ApiException {
        makeMap();
        try (WriteRecording recording = server.recordWrites()) {
            String plan = plan(
                    PlanReport.CHANGES,
                    PlanProperties.Output.TEXT,
                    "controller-manager.leader-election.enabled=true",
                    "controller-manager.leader-election.resource-namespace=default");
            assertThat(plan).contains("1 to change");
            assertThat(recording.writes()).isEmpty();
        }
    }
}
