package io.controllermanager.apiserver.junit;

import io.controllermanager.apiserver.ApiServer;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Gives the application context of a test class with {@link EmbeddedApiServer} its server. Spring's factories name it. */
final class EmbeddedApiServerContextCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        EmbeddedApiServer wanted = TestContextAnnotationUtils.findMergedAnnotation(testClass, EmbeddedApiServer.class);
        return wanted == null ? null : new ServerBean(wanted);
    }

    /** Equal for equal annotations, so that a context is used again by a class that wants the same server. */
    private record ServerBean(EmbeddedApiServer wanted) implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            // Spring closes it with the context, for it is AutoCloseable.
            BeanDefinitionRegistry beans = (BeanDefinitionRegistry) context.getBeanFactory();
            Supplier<ApiServer> server = () -> EmbeddedApiServerExtension.start(wanted);
            beans.registerBeanDefinition("embeddedApiServer", new RootBeanDefinition(ApiServer.class, server));
        }
    }
}
