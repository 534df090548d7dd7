package io.controllermanager.spring.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.internal.HostInformer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the console says where reconciles, or functions of a controller's author, fail. */
@ExtendWith(OutputCaptureExtension.class)
class ReconcileConsoleTests {

    private static final String FAILED = "Reconcile of shop default/a failed, and is retried in 5 ms: ";

    private ConsoleTrial trial;
    private ResourceClient<V1Secret> secrets;

    @BeforeEach
    void begin(CapturedOutput output, @TempDir Path directory) {
        trial = new ConsoleTrial(output, directory);
        secrets = new ResourceClient<>(trial.server.client(), ResourceTypes.SECRET);
    }

    @AfterEach
    void end() {
        trial.close();
    }

    @Test
    void nothingIsWrong() throws ApiException {
        trial.create("a");
        trial.reconcile(name -> {});
        trial.awaitAttempts(1);

        trial.judge(
                ConsoleTrial.QUIET,
                "Controller manager starting with the controllers [shop]",
                "Controller shop: workers started (1)",
                "Lease default/the-lease: became leader");
    }

    @Test
    void anExceptionThatNobodyExpected() throws ApiException {
        failOften(name -> {
            throw new NullPointerException("no colour");
        });

        trial.judge(ConsoleTrial.QUIET + 1 + ConsoleTrial.STACK, FAILED + "NullPointerException: no colour");
        assertThat(stacks()).isEqualTo(1);
    }

    @Test
    void aConflict() throws ApiException {
        trial.create("a");
        V1ConfigMap stale = trial.configMaps.get("default", "a");
        trial.configMaps.update(trial.configMaps.copy(stale).data(Map.of("colour", "blue")));
        trial.reconcile(name -> trial.configMaps.update(stale));

        judgeAnswer("HTTP 409 Conflict: ");
    }

    @Test
    void aMissingRight() throws ApiException {
        trial.server
                .faults()
                .when(RequestMatcher.verb("create").resource("secrets"))
                .respond(403);
        failOften(name -> create(name));

        judgeAnswer("HTTP 403 Forbidden: ");
    }

    @Test
    void aNameThatIsTooLong() throws ApiException {
        failOften(name -> create("x".repeat(300)));

        judgeAnswer("HTTP 422 Invalid: ");
    }

    @Test
    void anApiServerThatShutsDown() throws ApiException {
        trial.server
                .faults()
                .when(RequestMatcher.verb("create").resource("secrets"))
                .respond(503);
        failOften(name -> create(name));

        judgeAnswer("HTTP 503 ServiceUnavailable: ");
    }

    @Test
    void aMistakeInTheObject() throws ApiException {
        trial.create("a");
        trial.reconcile(name -> {
            throw new TerminalException("data.colour is no colour");
        });
        trial.awaitAttempts(1);

        trial.judge(
                ConsoleTrial.QUIET + 1,
                "Reconcile of shop default/a failed, and waits for a change: TerminalException: data.colour is no colour");
    }

    @Test
    void aTimeLimit() throws ApiException {
        CountDownLatch never = new CountDownLatch(1);
        trial.create("a");
        trial.start(List.of(trial.shop()
                .options(ControllerOptions.DEFAULTS.withReconcileTimeout(Duration.ofMillis(10)))
                .reconciler(trial.counting(name -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException("gave up", e);
                    }
                }))
                .build()));
        trial.awaitAttempts(ConsoleTrial.OFTEN);

        trial.judge(
                ConsoleTrial.QUIET + 1 + ConsoleTrial.STACK,
                "Reconcile of shop default/a was interrupted at its time limit, and is retried in 5 ms: "
                        + "IllegalStateException: gave up");
        assertThat(stacks()).isEqualTo(1);
    }

    @Test
    void threeHundredKeysThatFailByOneCause() throws ApiException {
        for (int i = 0; i < 300; i++) {
            trial.create("key-" + i);
        }
        trial.reconcile(name -> {
            throw new NullPointerException("no colour");
        });
        trial.awaitAttempts(600);

        trial.judge(ConsoleTrial.QUIET + 100 + 10 * ConsoleTrial.STACK, "Reconcile of shop default/key-");
        assertThat(stacks()).isEqualTo(10);
        assertThat(trial.lines())
                .as("a hundred a minute, and not one for each key")
                .filteredOn(line -> line.message().startsWith("Reconcile of "))
                .hasSizeBetween(100, 299);
    }

    @Test
    void aMapperThatThrows() throws ApiException {
        create("s");
        trial.create("a");
        trial.start(List.of(trial.shop()
                .watches(ResourceTypes.SECRET, secret -> {
                    throw new NullPointerException("no owner");
                })
                .reconciler(trial.counting(name -> {}))
                .build()));
        trial.awaitAttempts(1);
        trial.awaitLine("mapper");

        trial.judge(
                ConsoleTrial.QUIET + 1 + ConsoleTrial.STACK,
                "Controller shop: an event of secrets/v1 default/s could not be turned into keys, since its mapper failed "
                        + "(failures so far: 1): NullPointerException: no owner");
    }

    @Test
    void aPredicateThatThrows() throws ApiException {
        trial.create("a");
        trial.start(List.of(ControllerDescriptor.named("shop")
                .forType(ResourceTypes.CONFIG_MAP, event -> {
                    throw new NullPointerException("no label");
                })
                .reconciler(trial.counting(name -> {}))
                .build()));
        trial.awaitAttempts(1);

        trial.judge(
                ConsoleTrial.QUIET + 1 + ConsoleTrial.STACK,
                "Controller shop: an event of configmaps/v1 default/a could not be turned into keys, since its predicate "
                        + "failed (failures so far: 1): NullPointerException: no label");
    }

    @Test
    void anIndexFunctionThatThrows() throws ApiException {
        trial.create("a");
        trial.start(List.of(trial.shop()
                .reconcilerFactory(context -> {
                    Informer<V1ConfigMap> informer = context.informer(ResourceTypes.CONFIG_MAP);
                    informer.addIndexers(Map.of("by-colour", configMap -> {
                        throw new NullPointerException("no colour");
                    }));
                    return trial.counting(name -> {});
                })
                .build()));
        trial.awaitAttempts(1);

        trial.judge(
                ConsoleTrial.QUIET + 1 + ConsoleTrial.STACK,
                "Index by-colour leaves out V1ConfigMap default/a, since its function failed (failures so far: 1): "
                        + "NullPointerException: no colour");
    }

    @Test
    void anEventHandlerThatThrows() throws ApiException {
        trial.create("a");
        trial.start(List.of(trial.shop()
                .reconcilerFactory(context -> {
                    var informer = (HostInformer<V1ConfigMap>) context.informer(ResourceTypes.CONFIG_MAP);
                    var ignored = informer.subscribe(
                            "mine",
                            event -> {
                                throw new NullPointerException("no colour");
                            },
                            Duration.ZERO);
                    return trial.counting(name -> {});
                })
                .build()));
        trial.awaitAttempts(1);
        trial.awaitLine("Subscriber");

        trial.judge(ConsoleTrial.QUIET + 1 + ConsoleTrial.STACK, "Subscriber informer-configmaps-mine failed ");
    }

    @Test
    void eventsThatCannotBeRecorded() throws ApiException {
        trial.server
                .faults()
                .when(RequestMatcher.verb("create").resource("events"))
                .respond(403);
        trial.create("a");
        trial.start(List.of(trial.shop()
                .reconcilerFactory(context -> trial.counting(name ->
                        context.events().warning(trial.configMaps.get("default", name), "Odd", "an odd colour")))
                .build()));
        trial.awaitLine("Events cannot");

        trial.judge(ConsoleTrial.QUIET + 1, "Events cannot be recorded: ");
    }

    private void create(String name) throws ApiException {
        V1Secret ignored = secrets.create(
                new V1Secret().metadata(new V1ObjectMeta().namespace("default").name(name)));
    }

    private void failOften(ConsoleTrial.ThrowingReconciler reconciler) throws ApiException {
        trial.create("a");
        trial.reconcile(reconciler);
        trial.awaitAttempts(ConsoleTrial.OFTEN);
    }

    /** One line for all the failures, without a stack trace. */
    private void judgeAnswer(String cause) {
        trial.awaitAttempts(ConsoleTrial.OFTEN);
        trial.judge(
                ConsoleTrial.QUIET + 1,
                FAILED + "IllegalStateException: cannot bring a about: RequestFailedException: ");
        assertThat(trial.lines())
                .filteredOn(line -> line.message().startsWith(FAILED))
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.message()).contains(cause);
                    assertThat(line.level()).isEqualTo("WARN");
                });
    }

    private long stacks() {
        return trial.lines().stream().filter(line -> line.size() > 1).count();
    }
}
