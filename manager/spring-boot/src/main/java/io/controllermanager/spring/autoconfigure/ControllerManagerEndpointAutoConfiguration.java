package io.controllermanager.spring.autoconfigure;

import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint;
import io.controllermanager.spring.actuate.endpoint.InformersEndpoint;
import io.controllermanager.spring.actuate.endpoint.LeaderElectionEndpoint;
import io.controllermanager.spring.actuate.endpoint.StrictWrites;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;

/** Shows controllers, informers and leader election through the actuator. */
@AutoConfiguration(after = ControllerManagerAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(ControllerManagerHost.class)
public final class ControllerManagerEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    @ConditionalOnAvailableEndpoint
    ControllersEndpoint controllersEndpoint(ControllerManagerHost host) {
        return new ControllersEndpoint(host::controllers, host::operations);
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    @ConditionalOnAvailableEndpoint(endpoint = ControllersEndpoint.class)
    @ConditionalOnClass(name = "org.springframework.web.context.request.RequestContextHolder")
    StrictWrites strictWrites() {
        return new StrictWrites();
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    @ConditionalOnAvailableEndpoint
    InformersEndpoint informersEndpoint(ControllerManagerHost host) {
        return new InformersEndpoint(host::informers);
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    @ConditionalOnAvailableEndpoint
    LeaderElectionEndpoint leaderElectionEndpoint(ControllerManagerHost host) {
        return new LeaderElectionEndpoint(host::leadership, host::leaderships, host::divided);
    }
}
