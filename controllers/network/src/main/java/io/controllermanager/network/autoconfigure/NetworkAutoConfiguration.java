package io.controllermanager.network.autoconfigure;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.network.NetworkController;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the Network controller. */
@AutoConfiguration
public final class NetworkAutoConfiguration {

    /** The Network controller; a bean of the same name takes its place. */
    @Bean
    @ConditionalOnMissingBean(name = "networkController")
    ControllerDescriptor networkController() {
        return NetworkController.descriptor();
    }
}
