package io.controllermanager.spring.autoconfigure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;

/** Has a renewed certificate that is of no use told in one line that names its bundle; Spring Boot logs a stack without it. */
@AutoConfiguration(before = SslAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "controller-manager.enabled", matchIfMissing = true)
public final class ControllerManagerSslAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(ControllerManagerSslAutoConfiguration.class);

    @Bean
    @ConditionalOnMissingBean(SslBundles.class)
    DefaultSslBundleRegistry sslBundleRegistry(ObjectProvider<SslBundleRegistrar> registrars) {
        DefaultSslBundleRegistry bundles = new RenewableBundles();
        registrars.orderedStream().forEach(registrar -> registrar.registerBundles(bundles));
        return bundles;
    }

    private static final class RenewableBundles extends DefaultSslBundleRegistry {

        @Override
        public void updateBundle(String name, SslBundle updated) {
            try {
                super.updateBundle(name, updated);
            } catch (NoSuchSslBundleException e) {
                throw e;
            } catch (RuntimeException e) {
                log.atError()
                        .addKeyValue("bundle", name)
                        .addKeyValue("reason", e.getMessage())
                        .log(
                                "SSL bundle {}: what was renewed cannot be used, and what was served before is served on: {}",
                                name,
                                e.getMessage());
                log.debug("The SSL bundle {} cannot be used", name, e);
            }
        }
    }
}
