package io.controllermanager.spring.application;

import io.controllermanager.spring.config.ConfigurationError;
import io.controllermanager.spring.config.ConfigurationException;
import org.springframework.boot.SpringApplicationRunListener;
import org.springframework.boot.bootstrap.ConfigurableBootstrapContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MutablePropertySources;

/**
 * Has every application take the flags of kube-controller-manager and sample-controller: what they set comes just after
 * what Spring Boot read from the command line. Other arguments are left to the application.
 */
final class FlagsRunListener implements SpringApplicationRunListener, Ordered {

    private final CommandLine commandLine;

    FlagsRunListener(String... arguments) {
        this.commandLine = CommandLine.parse(arguments);
    }

    /**
     * Puts the flags into the environment.
     *
     * @throws ConfigurationException if a flag lacks its value, or has one that is not allowed
     */
    @Override
    public void environmentPrepared(
            ConfigurableBootstrapContext bootstrapContext, ConfigurableEnvironment environment) {
        if (!commandLine.wrong().isEmpty()) {
            throw new ConfigurationException(commandLine.wrong().stream()
                    .map(line -> new ConfigurationError("command line", null, null, line))
                    .toList());
        }
        MutablePropertySources sources = environment.getPropertySources();
        FlagPropertySource flags = new FlagPropertySource(commandLine.settings());
        String spring = CommandLinePropertySource.COMMAND_LINE_PROPERTY_SOURCE_NAME;
        if (sources.contains(spring)) {
            sources.addAfter(spring, flags);
        } else {
            sources.addFirst(flags);
        }
    }

    /** Before what reads configuration files, whose location a flag's value may be part of. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
