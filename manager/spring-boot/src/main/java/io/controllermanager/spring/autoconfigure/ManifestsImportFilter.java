package io.controllermanager.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Keeps client-java's manifests auto-configuration out unless {@code kubernetes.manifests.enabled=true} asks for it: it
 * would look at every bean for annotations that hosted controllers do not need.
 */
final class ManifestsImportFilter implements AutoConfigurationImportFilter, EnvironmentAware {

    private static final String MANIFESTS =
            "io.kubernetes.client.spring.extended.manifests.config.KubernetesManifestsAutoConfiguration";

    private @Nullable Environment environment;

    @Override
    public void setEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public boolean[] match(@Nullable String[] autoConfigurationClasses, AutoConfigurationMetadata metadata) {
        boolean wanted = environment != null
                && environment.getProperty("kubernetes.manifests.enabled", Boolean.class, Boolean.FALSE);
        boolean[] match = new boolean[autoConfigurationClasses.length];
        for (int i = 0; i < match.length; i++) {
            match[i] = wanted || !MANIFESTS.equals(autoConfigurationClasses[i]);
        }
        return match;
    }
}
