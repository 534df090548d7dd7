package io.controllermanager.spring.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.spring.autoconfigure.KubernetesConnectionDetails;
import io.controllermanager.spring.autoconfigure.ProcessExit;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.logging.LoggingSystemProperty;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * An application as a user writes one, with Spring Boot's own log pattern and without a web server, on an embedded API
 * server; and what its console says. Its controller is called {@code shop}.
 */
final class ConsoleTrial implements AutoCloseable {

    static final String LEASE = "the-lease";

    /** How many lines an application without troubles writes from start to stop. */
    static final int QUIET = 12;

    /** How many lines a stack trace may have. */
    static final int STACK = 80;

    /** How often something is to fail before its lines are counted: 640 ms of backoff from 5 ms on. */
    static final int OFTEN = 8;

    /** Spring Boot's default: time, level, process, thread, logger, message. */
    private static final Pattern LINE =
            Pattern.compile("\\d{4}-\\S+ +(TRACE|DEBUG|INFO|WARN|ERROR) \\d+ --- (?:\\[[^\\]]*] ?)*(\\S+) +: (.*)");

    /** Spring Boot shortens what does not fit into 40 characters. */
    private static final Pattern OURS = Pattern.compile("io?\\.c(?:ontrollermanager)?\\..*");

    final ApiServer server;
    final ResourceClient<V1ConfigMap> configMaps;
    final AtomicInteger attempts = new AtomicInteger();
    final AtomicInteger exits = new AtomicInteger();

    /** A pattern for lines that this trial may bring beside the usual ones. */
    String besides = "(?!)";

    private final CapturedOutput output;
    private final Path directory;
    private @Nullable ConfigurableApplicationContext context;

    /**
     * A line of ours at INFO or above.
     *
     * @param message the text of the first line
     * @param size how many lines it takes, a stack trace included
     */
    record Line(String level, String message, int size) {}

    /** The application, which has nothing but the starter and the controllers of the test. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    ConsoleTrial(CapturedOutput output, Path directory) {
        this(output, directory, ApiServer.start());
    }

    ConsoleTrial(CapturedOutput output, Path directory, ApiServer server) {
        this.output = output;
        this.directory = directory;
        this.server = server;
        this.configMaps = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    }

    /** Counts how often it is called. */
    Reconciler counting(ThrowingReconciler reconciler) {
        return request -> {
            attempts.incrementAndGet();
            try {
                reconciler.reconcile(request.getName());
            } catch (ApiException e) {
                throw new IllegalStateException("cannot bring " + request.getName() + " about", e);
            }
            return new Result(false);
        };
    }

    /** What a user's reconciler does with a name. */
    @FunctionalInterface
    interface ThrowingReconciler {
        void reconcile(String name) throws ApiException;
    }

    /** The description of the controller {@code shop} for ConfigMaps. */
    ControllerDescriptor.Builder shop() {
        return ControllerDescriptor.named("shop").forType(ResourceTypes.CONFIG_MAP);
    }

    /** Starts the application with a reconciler for ConfigMaps. */
    void reconcile(ThrowingReconciler reconciler, String... properties) {
        start(List.of(shop().reconciler(counting(reconciler)).build()), properties);
    }

    void start(List<ControllerDescriptor> controllers, String... properties) {
        Path kubeconfig = directory.resolve("kubeconfig");
        try {
            Files.writeString(kubeconfig, server.kubeconfig());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        // Left behind by whatever application this JVM ran before, perhaps one that logs as JSON.
        for (LoggingSystemProperty left : LoggingSystemProperty.values()) {
            System.clearProperty(left.getEnvironmentVariableName());
        }
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.addInitializers(made -> {
            GenericApplicationContext beans = (GenericApplicationContext) made;
            beans.registerBean(KubernetesConnectionDetails.class, () -> () -> kubeconfig);
            beans.registerBean(ProcessExit.class, () -> code -> exits.incrementAndGet());
            controllers.forEach(
                    controller -> beans.registerBean(controller.name(), ControllerDescriptor.class, () -> controller));
        });
        context = application.run(Stream.concat(
                        Stream.of("--controller-manager.leader-election.resource-name=" + LEASE),
                        Stream.of(properties).map(property -> "--controller-manager." + property))
                .toArray(String[]::new));
    }

    void create(String name) throws ApiException {
        configMaps.create(new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace("default").name(name))
                .data(Map.of("colour", "red")));
    }

    void awaitAttempts(int count) {
        await().until(() -> attempts.get() >= count);
    }

    void awaitLine(String part) {
        await(part).until(() -> lines().stream().anyMatch(line -> line.message().contains(part)));
    }

    /** Ends the application, and with it what is to be read. */
    void stop() {
        if (context != null) {
            context.close();
            context = null;
        }
    }

    /** What it has written so far. */
    List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        boolean ours = false;
        for (String text : output.getOut().lines().toList()) {
            Matcher matcher = LINE.matcher(text);
            if (matcher.matches()) {
                ours = OURS.matcher(matcher.group(2)).matches();
                if (ours) {
                    lines.add(new Line(matcher.group(1), matcher.group(3), 1));
                }
            } else if (ours) {
                Line last = lines.remove(lines.size() - 1);
                lines.add(new Line(last.level(), last.message(), last.size() + 1));
            }
        }
        return lines;
    }

    /**
     * Stops the application and judges its console.
     *
     * @param most how many lines there may be, stack traces included
     * @param told what is to be among them, each at the beginning of a line
     */
    void judge(int most, String... told) {
        stop();
        // Lines are written behind the back of those who log.
        awaitLine("Controller manager stopped");
        List<Line> lines = lines();
        assertThat(lines).extracting(Line::level).isSubsetOf("INFO", "WARN", "ERROR");
        assertThat(lines).allSatisfy(this::assertNamesItsSubject);
        assertThat(told)
                .allSatisfy(part -> assertThat(lines)
                        .extracting(Line::message)
                        .anySatisfy(message -> assertThat(message).startsWith(part)));
        assertThat(lines.stream().mapToInt(Line::size).sum())
                .as("lines of " + lines)
                .isBetween(told.length, most);
    }

    /** By what it begins with: whoever reads one line alone knows what it is about, and why if something is wrong. */
    private void assertNamesItsSubject(Line line) {
        assertThat(line.message())
                .matches("(?:Controller manager (?:starting with the controllers \\[.+]|stopping|stopped)"
                        + "|API server: http:\\S+, by kubeconfig .+"
                        + "|The heap may grow to .+"
                        + "|Controllers? \\[?[a-z-]+\\]?[: ].+"
                        + "|Reconcile of shop default/\\S+ .+"
                        + "|Informer of [a-z.]+.*: .+"
                        + "|Subscriber informer-[a-z-]+.* the event of \\S+ default/\\S+ .+"
                        + "|Index \\S+ leaves out \\S+ default/\\S+, .+"
                        + "|Events cannot be recorded: .+"
                        + "|" + besides
                        + "|(?:the watch of )?Lease default/" + LEASE + "[: ].+"
                        + "|Leader election: .* Lease default/" + LEASE + ": .+"
                        + "|(?:Leader election|Not prepared for leading): missing permission: \\S+ leases\\S* \""
                        + LEASE + "\" in namespace \"default\": .+"
                        + "|missing permission: watch leases\\S* \"" + LEASE + "\" in namespace \"default\"; .+"
                        + "|API server " + Pattern.quote(server.url().toString()) + ".+)");
        if (!line.level().equals("INFO")) {
            assertThat(line.message()).as("with its cause").matches(".+(?:: |, since |; ).+");
        }
    }

    @Override
    public void close() {
        stop();
        server.close();
    }
}
