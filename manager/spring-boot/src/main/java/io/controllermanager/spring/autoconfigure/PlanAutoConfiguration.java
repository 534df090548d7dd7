package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.HostClient;
import io.controllermanager.spring.config.PlanProperties;
import io.kubernetes.client.openapi.ApiClient;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** What a dry run has besides: its end. */
@AutoConfiguration(after = ControllerManagerAutoConfiguration.class)
@ConditionalOnBean(ControllerManagerHost.class)
@EnableConfigurationProperties(PlanProperties.class)
public final class PlanAutoConfiguration {

    private static final PlanNote OTHER_CLIENT = new PlanNote(
            "the application has an ApiClient of its own: what its code writes by that is not kept from being real");

    @Bean
    @ConditionalOnBooleanProperty("controller-manager.dry-run")
    PlanPrinter controllerManagerPlanPrinter(
            ControllerManagerHost host,
            ApiConnection connection,
            PlanProperties properties,
            ProcessExit exit,
            ObjectProvider<PlanNote> notes,
            ObjectProvider<ApiClient> clients,
            ApplicationEventPublisher events) {
        Stream<PlanNote> ofClients = clients.stream()
                .filter(client -> !(client instanceof HostClient))
                .map(client -> OTHER_CLIENT)
                .limit(1);
        // Not System.out, which is where the log goes.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        return new PlanPrinter(
                host,
                connection,
                properties,
                exit,
                Stream.concat(notes.orderedStream(), ofClients).toList(),
                out,
                events);
    }
}
