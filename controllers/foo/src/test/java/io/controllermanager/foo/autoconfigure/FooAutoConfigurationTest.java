package io.controllermanager.foo.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.foo.FooController;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The descriptor as a bean. */
class FooAutoConfigurationTest {

    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(FooAutoConfiguration.class));

    @Test
    void declaresTheController() {
        application.run(context -> {
            assertThat(context).hasSingleBean(ControllerDescriptor.class);
            assertThat(context.getBean(ControllerDescriptor.class).name()).isEqualTo("foo");
        });
    }

    @Test
    void givesWayToAnApplicationsOwn() {
        ControllerDescriptor own = ControllerDescriptor.named("own")
                .forType(FooController.descriptor().sources().get(0).type())
                .reconciler(request -> null)
                .build();

        application
                .withBean("fooController", ControllerDescriptor.class, () -> own)
                .run(context ->
                        assertThat(context.getBean(ControllerDescriptor.class)).isSameAs(own));
    }

    @Test
    void isFoundBySpringBoot() {
        assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
                .contains(FooAutoConfiguration.class.getName());
    }
}
