package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.internal.access.ApiAccess;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.spring.autoconfigure.ControllerManagerAutoConfiguration;
import io.controllermanager.spring.autoconfigure.ControllerManagerHost;
import io.controllermanager.spring.autoconfigure.PlanNote;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.webhook.Converter;
import io.controllermanager.webhook.Defaulter;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.autoconfigure.WebhookAutoConfiguration.AnyWebhook;
import io.controllermanager.webhook.internal.migration.StorageMigration;
import io.controllermanager.webhook.internal.serving.WebhookServing;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.function.Supplier;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Serves the webhooks found among the beans; without one, nothing but the properties is there. */
@AutoConfiguration(after = ControllerManagerAutoConfiguration.class)
@ConditionalOnBean(ControllerManagerHost.class)
@EnableConfigurationProperties(WebhookProperties.class)
public final class WebhookAutoConfiguration {

    private static final String DRY_RUN = "controller-manager.dry-run";

    /** Where there is a webhook, and it is not switched off. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "controller-manager.webhooks.enabled", matchIfMissing = true)
    @Conditional(AnyWebhook.class)
    static class Serving {

        @Bean
        WebhookBeans webhookBeans(ListableBeanFactory beans) {
            return WebhookBeans.in(beans);
        }

        @Bean
        @ConditionalOnBean(Converter.class)
        ControllerDescriptor storageMigration(WebhookBeans webhooks, ObjectProvider<MeterRegistry> meters) {
            return StorageMigration.descriptor(
                    webhooks.webhooks().convertedTypes(), meters.getIfAvailable(CompositeMeterRegistry::new));
        }

        /** In place of what follows. */
        @Bean
        @ConditionalOnBooleanProperty(DRY_RUN)
        PlanNote webhookPlanNote() {
            return new PlanNote("webhooks are not served, and neither certificates nor registrations are looked at");
        }

        /** Says that the API server runs in this process, as in a test, and reaches it by a URL at a port that is free. */
        record LocalApiServer() {}

        /** Where there may be an embedded API server. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(ApiServer.class)
        static class Local {

            @Bean
            @ConditionalOnSingleCandidate(ApiServer.class)
            LocalApiServer localApiServer() {
                return new LocalApiServer();
            }
        }

        @Bean
        @ConditionalOnBooleanProperty(name = DRY_RUN, havingValue = false, matchIfMissing = true)
        WebhookLifecycle webhookLifecycle(
                WebhookProperties properties,
                WebhookBeans webhooks,
                ObjectProvider<ControllerManagerHost> hosts,
                ApiConnection connection,
                InformerFactory informers,
                Clock clock,
                SystemTimer timer,
                ObjectProvider<MeterRegistry> meters,
                ObjectProvider<LocalApiServer> local) {
            WebhookSettings settings =
                    new WebhookSettings(properties, webhooks.webhooks(), local.getIfAvailable() != null);
            Supplier<WebhookServing> serving = () -> {
                // Not before: Spring starts what a bean depends on before it, whatever the phases say.
                ControllerManagerHost host = hosts.getObject();
                ApiAccess access = host.connect();
                return new WebhookServing(
                        settings.server(),
                        port -> settings.certificates(access.namespace(), port),
                        webhooks.reviews(),
                        connection,
                        () -> host.leadership().leading(),
                        clock,
                        timer,
                        meters.getIfAvailable(CompositeMeterRegistry::new));
            };
            return new WebhookLifecycle(webhooks, informers, serving, clock);
        }

        @Bean
        @ConditionalOnBean(WebhookLifecycle.class)
        @ConditionalOnAvailableEndpoint
        WebhooksEndpoint webhooksEndpoint(WebhookBeans webhooks, WebhookLifecycle serving, InformerFactory informers) {
            return new WebhooksEndpoint(webhooks, serving, informers);
        }
    }

    /** Whether there is a bean to serve. */
    static final class AnyWebhook extends AnyNestedCondition {

        AnyWebhook() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnBean(Converter.class)
        static final class OneConverter {}

        @ConditionalOnBean(Validator.class)
        static final class OneValidator {}

        @ConditionalOnBean(Defaulter.class)
        static final class OneDefaulter {}
    }
}
