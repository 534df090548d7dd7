package io.controllermanager.foo.autoconfigure;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.foo.FooController;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the Foo controller. */
@AutoConfiguration
public final class FooAutoConfiguration {

    /** The Foo controller; a bean of the same name takes its place. */
    @Bean
    @ConditionalOnMissingBean(name = "fooController")
    ControllerDescriptor fooController() {
        return FooController.descriptor();
    }
}
