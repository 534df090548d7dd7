package io.controllermanager.spring.application;

import io.controllermanager.spring.config.ControllerManagerProperties;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;

/**
 * Starts an application that hosts controllers as operators know it from kube-controller-manager:
 *
 * <pre>{@code
 * @SpringBootApplication
 * public class WebsiteOperator {
 *     public static void main(String... arguments) {
 *         ControllerManagerApplication.run(WebsiteOperator.class, arguments);
 *     }
 * }
 * }</pre>
 *
 * <p>Beyond {@link SpringApplication#run(Class, String...)}, after which flags work as well: an argument that is no flag is
 * refused, {@code --help} and {@code --version} are answered, a failed start prints one line for each error on standard
 * error in the place of a banner or a stack, and the process ends with one of these codes:
 *
 * <ul>
 *   <li>0 after a clean stop on SIGTERM or SIGINT
 *   <li>1 on a configuration or start error, or when the stop did not end within {@code
 *       controller-manager.shutdown-timeout} and 15 seconds
 *   <li>2 when leadership was lost and the process was told to exit on that
 * </ul>
 */
public final class ControllerManagerApplication {

    /** Boot's own reports of a failed start, a banner or a stack. By name: no class is loaded before a stop is provided for. */
    private static final Map<String, Object> QUIET = Map.of(
            "logging.level.org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter",
            "off",
            "logging.level.org.springframework.boot.SpringApplication",
            "off",
            "logging.level.org.springframework.context.annotation.AnnotationConfigApplicationContext",
            "error",
            "logging.level.org.springframework.boot.web.server.servlet.context",
            "error",
            "logging.level.org.springframework.boot.web.context",
            "error");

    /** Spring Boot's developer tools, which no application has in the field. */
    private static final String DEVTOOLS = "org.springframework.boot.devtools.restart.";

    private ControllerManagerApplication() {}

    /**
     * Starts the application. Returns when it has started or has been asked for help; ends the process if it cannot start.
     * Called once in a process, by {@code main}, but for Spring Boot's developer tools: they call it at each restart, and the
     * process ends as with {@link SpringApplication}.
     *
     * @param application the class with {@code @SpringBootApplication}
     * @param arguments flags as {@code --help} lists them, and {@code --name.with.dots=value} for every property
     */
    @SuppressWarnings("SystemOut")
    public static void run(Class<?> application, String... arguments) {
        if (isRestarted(application)) {
            // As often as there is a change, in a process whose end is devtools' business.
            spring(application, arguments).run(arguments);
            return;
        }
        ExitCode exitCode = new ExitCode();
        exitCode.install();
        CommandLine commandLine = CommandLine.parse(arguments);
        if (commandLine.help()) {
            System.out.print(Usage.text(ApplicationVersion.of(application).name()));
        } else if (commandLine.version()) {
            System.out.println(ApplicationVersion.of(application));
        } else if (commandLine.mistakes().isEmpty()) {
            start(application, arguments, exitCode);
        } else {
            commandLine.mistakes().forEach(System.err::println);
            exitCode.exit(ExitCode.START_FAILED);
        }
    }

    @SuppressWarnings("SystemOut")
    private static void start(Class<?> application, String[] arguments, ExitCode exitCode) {
        StopDeadline deadline = new StopDeadline();
        deadline.install();
        boolean reported = false;
        try {
            SpringApplication spring = spring(application, arguments);
            spring.addBootstrapRegistryInitializer(registry -> exitCode.handOver());
            spring.addListeners(exitCode);
            // From here on by StartFailureReport.
            reported = true;
            spring.run(arguments)
                    .getBeanProvider(ControllerManagerProperties.class)
                    .ifAvailable(properties -> deadline.shutdownTimeout(properties.shutdownTimeout()));
        } catch (SpringApplication.AbandonedRunException e) {
            exitCode.withdraw();
            throw e;
        } catch (RuntimeException | Error e) {
            if (e.getClass().getName().startsWith(DEVTOOLS)) {
                // It has run main on another thread, and ends this one.
                if (!ExitCode.isStopping()) {
                    exitCode.withdraw();
                    deadline.withdraw();
                }
                throw e;
            }
            if (!reported) {
                StartFailureReport.lines(e, null).forEach(System.err::println);
            }
            exitCode.exit(ExitCode.START_FAILED);
        }
    }

    private static boolean isRestarted(Class<?> application) {
        return application.getClassLoader().getClass().getName().startsWith(DEVTOOLS);
    }

    private static SpringApplication spring(Class<?> application, String[] arguments) {
        SpringApplication spring = new SpringApplication(application);
        Map<String, Object> quiet = new HashMap<>(QUIET);
        if (!List.of(arguments).contains("--debug")) {
            // The report of conditions is for whoever asks for it.
            quiet.put("logging.level.org.springframework.boot.autoconfigure.logging", "warn");
        }
        spring.setDefaultProperties(quiet);
        spring.setMainApplicationClass(application);
        spring.addListeners(new StartFailureReport());
        return spring;
    }
}
