package io.controllermanager.spring.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubernetes.client.informer.SharedInformer;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.spring.extended.controller.annotation.GroupVersionResource;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformer;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformers;
import io.kubernetes.client.spring.extended.controller.config.KubernetesInformerAutoConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.ResolvableType;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.javapoet.ClassName;

@SuppressWarnings("deprecation") // client-java's annotations, which are there to be supported
class DeclaredInformersAotFilterTests {

    @Test
    void leavesOutTheProcessorThatWouldFindNothing() {
        assertThat(prepared(Plain.class)).doesNotContain("kubernetesInformerConfigurer");
    }

    @Test
    void keepsTheProcessorAndNotWhatItMakesAtEachStart() {
        assertThat(prepared(Annotated.class))
                .contains("kubernetesInformerConfigurer")
                .doesNotContain("Lister<")
                .doesNotContain("SharedInformer<");
    }

    @Test
    void leavesOutNoInformerThatAnotherMakes() {
        assertThatThrownBy(() -> prepared(Registering.class)).hasMessageContaining("'ownInformer'");
    }

    /** The sources of the prepared context. */
    private static String prepared(Class<?> configuration) {
        InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get("io.controllermanager.prepared", "Application")), files);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(configuration, KubernetesInformerAutoConfiguration.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
            generation.writeGeneratedContent();
        }
        return files.getGeneratedFiles(Kind.SOURCE).keySet().stream()
                .map(path -> content(files, path))
                .collect(Collectors.joining("\n"));
    }

    private static String content(InMemoryGeneratedFiles files, String path) {
        try {
            return files.getGeneratedFileContent(Kind.SOURCE, path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Plain {}

    @Configuration(proxyBeanMethods = false)
    @KubernetesInformers(
            @KubernetesInformer(
                    apiTypeClass = V1ConfigMap.class,
                    apiListTypeClass = V1ConfigMapList.class,
                    groupVersionResource = @GroupVersionResource(apiVersion = "v1", resourcePlural = "configmaps")))
    static class Annotated {}

    @Configuration(proxyBeanMethods = false)
    @Import(OwnInformer.class)
    static class Registering {}

    /** Registers once, when the configuration is read, and not at each start. */
    static class OwnInformer implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
            RootBeanDefinition informer = new RootBeanDefinition(SharedInformer.class);
            informer.setTargetType(ResolvableType.forClassWithGenerics(SharedInformer.class, V1ConfigMap.class));
            informer.setInstanceSupplier(() -> {
                throw new IllegalStateException("not in the build");
            });
            registry.registerBeanDefinition("ownInformer", informer);
        }
    }
}
