package io.controllermanager.spring.autoconfigure;

import io.controllermanager.apiserver.ApiServer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Connects an application that has an embedded API server as a bean to that one: in tests and in what test-run starts. */
@AutoConfiguration(before = ControllerManagerAutoConfiguration.class)
@ConditionalOnClass(ApiServer.class)
public final class EmbeddedApiServerAutoConfiguration {

    @Bean
    @ConditionalOnSingleCandidate(ApiServer.class)
    @ConditionalOnMissingBean
    KubernetesConnectionDetails embeddedApiServerConnectionDetails(ApiServer server) {
        return server::kubeconfigFile;
    }
}
