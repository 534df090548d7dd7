package io.controllermanager.app;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.MutablePropertySources;

/** Starts the controller manager. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({PageConfiguration.class, SslBundleConfiguration.class})
public class ControllerManagerApplication {

    /**
     * Runs until the process is told to stop. Exit codes: 0 after a clean stop, 1 on a configuration or start error, 2
     * when leadership was lost and the process was told to exit on that.
     *
     * @param arguments flags as {@code --help} lists them, and Spring's {@code --name.with.dots=value}
     */
    @SuppressWarnings("SystemOut")
    public static void main(String... arguments) {
        ExitCode exitCode = new ExitCode();
        exitCode.install();
        CommandLine commandLine;
        try {
            commandLine = CommandLine.parse(arguments);
        } catch (CommandLineException e) {
            e.errors().forEach(System.err::println);
            exitCode.exit(ExitCode.START_FAILED);
            return;
        }
        if (commandLine.help()) {
            System.out.print(Usage.text());
            return;
        }
        if (commandLine.version()) {
            System.out.println("controller-manager " + version());
            return;
        }
        run(commandLine, exitCode);
    }

    private static void run(CommandLine commandLine, ExitCode exitCode) {
        SpringApplication application = new SpringApplication(ControllerManagerApplication.class);
        // Structured logs say it; the manifest, where Spring Boot looks, does not.
        application.setDefaultProperties(Map.of("spring.application.version", version()));
        application.addBootstrapRegistryInitializer(registry -> exitCode.handOver());
        application.addListeners(new FlagsListener(commandLine), new StructuredLogs(), exitCode);
        try {
            application.run(commandLine.springArguments().toArray(String[]::new));
        } catch (SpringApplication.AbandonedRunException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            // Reported already: by OneLineFailureReporter.
            exitCode.exit(ExitCode.START_FAILED);
        }
    }

    private static String version() {
        try (InputStream info =
                ControllerManagerApplication.class.getResourceAsStream("/META-INF/build-info.properties")) {
            Properties properties = new Properties();
            if (info != null) {
                properties.load(info);
            }
            return properties.getProperty("build.version", "unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** Puts what flags set just after what Spring read from the command line. */
    private record FlagsListener(CommandLine commandLine)
            implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

        @Override
        public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
            MutablePropertySources sources = event.getEnvironment().getPropertySources();
            FlagPropertySource flags = new FlagPropertySource(commandLine.settings());
            String spring = CommandLinePropertySource.COMMAND_LINE_PROPERTY_SOURCE_NAME;
            if (sources.contains(spring)) {
                sources.addAfter(spring, flags);
            } else {
                sources.addFirst(flags);
            }
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }
    }
}
