package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.apiserver.ApiServer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Registers the webhooks of an application that has an embedded API server as a bean, at a port that is free. */
@AutoConfiguration(before = WebhookAutoConfiguration.class)
@ConditionalOnClass(ApiServer.class)
public final class LocalApiServerAutoConfiguration {

    @Bean
    @ConditionalOnSingleCandidate(ApiServer.class)
    LocalApiServer localApiServer() {
        return new LocalApiServer();
    }
}
