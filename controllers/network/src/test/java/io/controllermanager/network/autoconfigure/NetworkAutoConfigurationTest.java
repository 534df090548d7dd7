package io.controllermanager.network.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.network.NetworkController;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The descriptor as a bean. */
class NetworkAutoConfigurationTest {

    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(NetworkAutoConfiguration.class));

    @Test
    void declaresTheController() {
        application.run(context -> {
            assertThat(context).hasSingleBean(ControllerDescriptor.class);
            assertThat(context.getBean(ControllerDescriptor.class).name()).isEqualTo("network");
        });
    }

    @Test
    void givesWayToAnApplicationsOwn() {
        ControllerDescriptor own = ControllerDescriptor.named("own")
                .forType(NetworkController.descriptor().sources().get(0).type())
                .reconciler(request -> null)
                .build();

        application
                .withBean("networkController", ControllerDescriptor.class, () -> own)
                .run(context ->
                        assertThat(context.getBean(ControllerDescriptor.class)).isSameAs(own));
    }

    @Test
    void isFoundBySpringBoot() {
        assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
                .contains(NetworkAutoConfiguration.class.getName());
    }
}
