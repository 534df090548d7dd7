package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.client.internal.plan.PlanReport;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.manager.internal.PlanRun;
import io.controllermanager.spring.config.PlanProperties;
import io.controllermanager.spring.config.PlanProperties.Output;
import io.kubernetes.client.openapi.ApiException;
import java.io.PrintStream;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ExitCodeEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/** Sees a dry run to its end once the host has started, prints the plan, and ends the process with the plan's exit code. */
final class PlanPrinter implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(PlanPrinter.class);

    private static final String BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/";

    private final ControllerManagerHost host;
    private final ApiConnection connection;
    private final PlanProperties properties;
    private final ProcessExit exit;
    private final List<PlanNote> notes;
    private final PrintStream out;
    private final ApplicationEventPublisher events;

    /** Null before it begins and once there is a plan. */
    private volatile @Nullable Thread thread;

    PlanPrinter(
            ControllerManagerHost host,
            ApiConnection connection,
            PlanProperties properties,
            ProcessExit exit,
            List<PlanNote> notes,
            PrintStream out,
            ApplicationEventPublisher events) {
        this.host = host;
        this.connection = connection;
        this.properties = properties;
        this.exit = exit;
        this.notes = notes;
        this.out = out;
        this.events = events;
    }

    @Override
    public void start() {
        Thread started = new Thread(this::run, "controller-manager-plan");
        thread = started;
        started.start();
    }

    private void run() {
        int code = PlanReport.FAILED;
        try {
            Plan plan = Objects.requireNonNull(connection.plan());
            PlanReport report = new PlanRun(host.manager(), plan, properties.settle(), properties.timeout())
                    .run()
                    .withNotes(Stream.concat(notes.stream().map(PlanNote::sentence), Stream.of(guard()))
                            .toList());
            out.print(properties.output() == Output.JSON ? report.json() + "\n" : report.text());
            out.flush();
            code = report.exitCode();
        } catch (InterruptedException e) {
            // The process is told to end.
            return;
        } catch (RuntimeException | Error e) {
            log.error("The plan could not be made: {}", e.toString(), e);
        }
        thread = null;
        exit.exit(code);
    }

    /** Who keeps this process from changing something. */
    private String guard() {
        String binding = properties.policyBinding();
        if (binding != null && !binding.isBlank()) {
            ApiRequests requests = new ApiRequests(connection.apiClient());
            try {
                requests.send(
                        "get policy binding " + binding,
                        requests.request("GET", BINDINGS + binding, List.of(), null, null),
                        ApiRequests::drop);
                return "the API server refuses what is no dry run, by the policy binding " + binding;
            } catch (ApiException e) {
                log.info("The policy that refuses what is no dry run was not found: {}", e.getMessage());
            }
        }
        return "no policy of the API server refuses what is no dry run: the client of this process alone does";
    }

    /** There is no plan where the process is told to end before: that must not look like a plan of nothing. */
    @Override
    public void stop() {
        Thread running = thread;
        thread = null;
        if (running != null) {
            log.warn("The plan is given up: the process is told to end");
            events.publishEvent(new ExitCodeEvent(this, PlanReport.FAILED));
            running.interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }

    /** After the host. */
    @Override
    public int getPhase() {
        return ControllerManagerHost.PHASE + 1;
    }
}
