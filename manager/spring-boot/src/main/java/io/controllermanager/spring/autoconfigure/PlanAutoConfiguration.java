package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.spring.config.PlanProperties;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** What a dry run has besides: its end. */
@AutoConfiguration(after = ControllerManagerAutoConfiguration.class)
@ConditionalOnBean(ControllerManagerHost.class)
@EnableConfigurationProperties(PlanProperties.class)
public final class PlanAutoConfiguration {

    @Bean
    @ConditionalOnBooleanProperty("controller-manager.dry-run")
    PlanPrinter controllerManagerPlanPrinter(
            ControllerManagerHost host,
            ApiConnection connection,
            PlanProperties properties,
            Clock clock,
            SystemTimer timer,
            ProcessExit exit,
            ObjectProvider<PlanNote> notes) {
        // Not System.out, which is where the log goes.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        return new PlanPrinter(
                host,
                connection,
                properties,
                clock,
                timer,
                exit,
                notes.orderedStream().toList(),
                out);
    }
}
