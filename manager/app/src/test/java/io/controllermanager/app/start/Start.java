package io.controllermanager.app.start;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.app.Main;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigUtils;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.SpringProperties;

/**
 * What a start of the application in this process has come to.
 *
 * @param prepared whether it was made of the prepared context
 * @param failure why there is no context, null if there is one
 * @param beans the class of each bean by its name, without what reads configuration classes
 * @param answers the status of each path; for the endpoints' list, the list
 */
record Start(boolean prepared, @Nullable String failure, Map<String, String> beans, Map<String, String> answers) {

    /** Their conditions ask for classes that the tests have and the executable has not; the webhooks' starter is one of them. */
    private static final Pattern ONLY_IN_TESTS =
            Pattern.compile("(?i)jackson2|websocket|EmbeddedApiServer|\\.webhook\\.autoconfigure\\.");

    /** Reads an annotation of client-java's that no bean of the executable has; the prepared context is without it. */
    private static final String WITHOUT_EFFECT = "kubernetesInformerConfigurer";

    private static final List<String> PATHS = List.of(
            "/",
            "/elsewhere",
            "/page/config.json",
            "/below/",
            "/manage",
            "/actuator/health/liveness",
            "/actuator/info",
            "/actuator/loggers",
            "/actuator/metrics",
            "/actuator/prometheus",
            "/actuator/controllers",
            "/actuator/informers",
            "/actuator/leaderelection",
            "/actuator/env");

    /**
     * Starts and stops.
     *
     * @param flag the value of {@code spring.aot.enabled}, null for none
     */
    static Start of(@Nullable String flag, ApiServer server, String... arguments) {
        List<String> all = new ArrayList<>(List.of("--server.port=0"));
        if (List.of(arguments).stream().noneMatch(one -> one.contains("controller-manager.kubeconfig="))) {
            all.add("--kubeconfig=" + server.kubeconfigFile());
        }
        all.addAll(List.of(arguments));
        SpringProperties.setProperty(AotDetector.AOT_ENABLED, flag);
        String classPath = System.setProperty("java.class.path", "as-if-started-by-jar.jar");
        SpringApplication application = new SpringApplication(Main.class);
        application.setMainApplicationClass(Main.class);
        application.setRegisterShutdownHook(false);
        try (ConfigurableApplicationContext context = application.run(all.toArray(String[]::new))) {
            boolean prepared =
                    !context.containsBean(AnnotationConfigUtils.CONFIGURATION_ANNOTATION_PROCESSOR_BEAN_NAME);
            return new Start(prepared, null, beans(context), answers(context));
        } catch (RuntimeException e) {
            return new Start(false, NestedExceptionUtils.getMostSpecificCause(e).toString(), Map.of(), Map.of());
        } finally {
            System.setProperty("java.class.path", classPath);
            SpringProperties.setProperty(AotDetector.AOT_ENABLED, null);
        }
    }

    private static Map<String, String> beans(ConfigurableApplicationContext context) {
        Map<String, String> beans = new TreeMap<>();
        for (String name : context.getBeanFactory().getBeanDefinitionNames()) {
            Class<?> type = context.getType(name);
            if (!name.contains(".internal")
                    && !name.equals(WITHOUT_EFFECT)
                    && !ONLY_IN_TESTS.matcher(name).find()) {
                beans.put(name, type == null ? "none" : type.getName().replaceAll("/0x.*|\\$\\$Lambda.*", ""));
            }
        }
        return beans;
    }

    private static Map<String, String> answers(ConfigurableApplicationContext context) {
        Map<String, String> answers = new TreeMap<>();
        for (String which : List.of("local.server.port", "local.management.port")) {
            Integer port = context.getEnvironment().getProperty(which, Integer.class);
            if (port != null) {
                PATHS.forEach(path -> answers.put(
                        which + path, Integer.toString(get(port, path).statusCode())));
                HttpResponse<String> endpoints = get(port, "/actuator");
                answers.put(
                        which, endpoints.statusCode() == 200 ? endpoints.body().replace(":" + port, "") : "none");
            }
        }
        return answers;
    }

    private static HttpResponse<String> get(int port, String path) {
        try {
            return HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
