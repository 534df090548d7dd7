package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.spring.actuate.info.KubernetesVersion;
import io.controllermanager.spring.actuate.info.VersionsInfoContributor;
import io.controllermanager.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Shows the versions that matter through the actuator. */
@AutoConfiguration(after = ControllerManagerAutoConfiguration.class)
@ConditionalOnClass(InfoContributor.class)
@ConditionalOnBean(ApiConnection.class)
public final class ControllerManagerInfoAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    VersionsInfoContributor versionsInfoContributor(
            ApiConnection connection, ObjectProvider<Clock> clock, Environment environment) {
        KubernetesVersion kubernetes =
                new KubernetesVersion(connection.apiClient(), clock.getIfAvailable(Clock::system));
        return new VersionsInfoContributor(environment.getProperty("spring.application.version"), kubernetes::get);
    }
}
