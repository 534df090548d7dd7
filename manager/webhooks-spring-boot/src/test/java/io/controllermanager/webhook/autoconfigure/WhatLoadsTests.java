package io.controllermanager.webhook.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.webhook.Converter;
import io.controllermanager.webhook.Defaulter;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.autoconfigure.Doors.White;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Whole applications, which find by themselves what is on the class path. */
public class WhatLoadsTests {

    private static final String AUTOCONFIGURE = "io.controllermanager.webhook.autoconfigure.";

    /** One that has the starter and no webhook. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Plain {

        @Bean
        ApiServer apiServer() {
            return ApiServer.start();
        }

        /** Starts and ends. */
        public static void run() {
            start(Plain.class).close();
        }
    }

    /** One that has a webhook too. */
    static class Served extends Plain {

        @Bean
        White white() {
            return new White();
        }
    }

    private static ConfigurableApplicationContext start(Class<?> application) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties("controller-manager.leader-election.enabled=false")
                .run();
    }

    /** Nothing is inherited from the JVM's class path, so that whatever is loaded of it is loaded by this. */
    private static final class Recording extends URLClassLoader {

        private final Set<String> found = ConcurrentHashMap.newKeySet();

        Recording(URL[] urls) {
            super(urls, ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            Class<?> type = super.findClass(name);
            found.add(name);
            return type;
        }
    }

    @Test
    void anApplicationWithAWebhookServesItAndNeedsNoPropertyForThat() {
        try (ConfigurableApplicationContext context = start(Served.class)) {
            assertThat(context.getEnvironment().getProperty("server.port")).isNull();
            await().untilAsserted(() ->
                    assertThat(context.getBean(WebhookLifecycle.class).faults()).isEmpty());
        }
    }

    @Test
    void anApplicationWithoutAWebhookLoadsNothingThatServesOne() throws Exception {
        URL[] classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(WhatLoadsTests::url)
                .toArray(URL[]::new);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (Recording loader = new Recording(classPath)) {
            thread.setContextClassLoader(loader);
            loader.loadClass(Plain.class.getName()).getMethod("run").invoke(null);

            assertThat(loader.found)
                    .contains("io.controllermanager.spring.autoconfigure.ControllerManagerHost")
                    .filteredOn(name -> name.startsWith("io.controllermanager.webhook."))
                    .filteredOn(name -> !name.startsWith(AUTOCONFIGURE))
                    .as("what beans are looked for by")
                    .containsExactlyInAnyOrder(
                            Converter.class.getName(), Defaulter.class.getName(), Validator.class.getName());
            assertThat(loader.found)
                    .contains(WebhookProperties.class.getName())
                    .doesNotContain(WebhookLifecycle.class.getName(), WebhookBeans.class.getName());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
