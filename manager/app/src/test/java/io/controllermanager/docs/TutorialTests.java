package io.controllermanager.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.test.RunningManager;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tutorial can be followed: after each step that changes the program all that a reader has is compiled, its controller
 * runs on the embedded API server, and does what the step says. At the end it is {@code examples/website}.
 */
class TutorialTests {

    private static final Pattern STEP = Pattern.compile("(?ms)^## \\d+\\. (.*?)$(.*?)(?=^## |\\z)");
    private static final Pattern BLOCK = Pattern.compile("(?ms)`(\\w+\\.java)`|^```(\\w+)\\n(.*?)^```$");
    private static final String NAMESPACE = "default";

    @TempDir
    private Path directory;

    /** What a step shows. */
    private interface Scenario {
        void play(Cluster cluster) throws Exception;
    }

    private static final Map<String, Scenario> SCENARIOS = Map.of(
            "The type", TutorialTests::thePageIsInTheConfigMap,
            "The children", TutorialTests::theChildrenArePutRight,
            "The status", cluster -> cluster.awaitReason("hello", "Served"),
            "A Secret that is named", TutorialTests::theSecretIsWaitedFor,
            "Two Websites with one host, and what is outside Kubernetes", TutorialTests::theHostIsGivenToTheNext);

    @Test
    void eachStepRunsAndTheLastIsTheExample() throws Exception {
        try (TutorialProject project = new TutorialProject()) {
            followAll(project);
            for (String file : fileNames()) {
                assertThat(project.source(file).meaning())
                        .as(file)
                        .isEqualTo(JavaSource.of(Files.readString(TutorialProject.EXAMPLE.resolve(file)))
                                .meaning());
            }
        }
    }

    private void followAll(TutorialProject project) throws Exception {
        String page = Files.readString(Page.PROJECT.resolve("docs/tutorial.md"));
        int ran = 0;
        for (Matcher step = STEP.matcher(page); step.find(); ) {
            Map<String, String> before = project.files();
            follow(project, step.group(2));
            if (ran == 0 || !before.equals(project.files())) {
                run(project, step.group(1), ran++);
            }
        }
        // The generated project, and one for each scenario; the last step adds tests, which are the example's.
        assertThat(ran).isEqualTo(SCENARIOS.size() + 2);
    }

    private static List<String> fileNames() throws IOException {
        try (Stream<Path> files = Files.list(TutorialProject.EXAMPLE)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java") && !name.startsWith("package-info"))
                    .toList();
        }
    }

    /** A block is about the file that is named last before it; those about the example's tests stand there. */
    private static void follow(TutorialProject project, String text) throws Exception {
        String file = "WebsiteReconciler.java";
        for (Matcher found = BLOCK.matcher(text); found.find(); ) {
            String language = Objects.requireNonNullElse(found.group(2), "");
            if (language.isEmpty()) {
                file = found.group(1);
            } else if (language.equals("java") && !found.group(3).contains("@Test")) {
                project.edit(file, found.group(3));
            } else if (language.equals("sh")) {
                project.execute(found.group(3));
            }
        }
    }

    @SuppressWarnings("try") // The host works by itself.
    private void run(TutorialProject project, String step, int number) throws Exception {
        try (URLClassLoader classes = project.compile(directory.resolve("step-" + number))) {
            Scenario scenario = SCENARIOS.get(step);
            if (scenario == null) {
                return; // The generated project has tests of its own, and the last step has no new program.
            }
            try (ApiServer server = ApiServer.builder()
                            .manifests(Page.PROJECT.resolve("examples/website/config/crd") + "/*.yaml")
                            .world(true)
                            .start();
                    RunningManager host =
                            RunningManager.start(server, TypedController.descriptor(reconciler(classes)))) {
                Cluster cluster = new Cluster(
                        server,
                        ResourceType.of(
                                classes.loadClass("com.example.website.Website").asSubclass(KubernetesObject.class)),
                        directory);
                cluster.create("hello");
                scenario.play(cluster);
            }
        }
    }

    /** As Spring makes it, of beans that need nothing. */
    private static ObjectReconciler<?> reconciler(ClassLoader classes) throws ReflectiveOperationException {
        Constructor<?> constructor =
                classes.loadClass("com.example.website.WebsiteReconciler").getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        Object[] beans = new Object[constructor.getParameterCount()];
        for (int i = 0; i < beans.length; i++) {
            Constructor<?> bean = constructor.getParameterTypes()[i].getDeclaredConstructor();
            bean.setAccessible(true);
            beans[i] = bean.newInstance();
        }
        return (ObjectReconciler<?>) constructor.newInstance(beans);
    }

    private static void thePageIsInTheConfigMap(Cluster cluster) throws Exception {
        await().until(() -> cluster.find(ResourceTypes.CONFIG_MAP, "hello") != null);
        assertThat(cluster.find(ResourceTypes.CONFIG_MAP, "hello").getData())
                .isEqualTo(Map.of("index.html", "<h1>Hello</h1>"));
        assertThatThrownBy(() -> cluster.patch("hello", "{\"spec\":{\"host\":\"other.example.com\"}}"))
                .hasMessageContaining("cannot be changed");
    }

    private static void theChildrenArePutRight(Cluster cluster) throws Exception {
        cluster.awaitReason("hello", "Applied");
        assertThat(cluster.find(ResourceTypes.SERVICE, "hello")).isNotNull();
        cluster.of(ResourceTypes.DEPLOYMENT).patch(NAMESPACE, "hello", new Patch.Merge("{\"spec\":{\"replicas\":7}}"));
        await().until(() ->
                cluster.find(ResourceTypes.DEPLOYMENT, "hello").getSpec().getReplicas() == 2);
    }

    private static void theSecretIsWaitedFor(Cluster cluster) throws Exception {
        cluster.patch("hello", "{\"spec\":{\"tlsSecretName\":\"hello-tls\"}}");
        cluster.awaitReason("hello", "SecretMissing");
        cluster.of(ResourceTypes.SECRET)
                .create(new V1Secret()
                        .metadata(new V1ObjectMeta().namespace(NAMESPACE).name("hello-tls")));
        cluster.awaitReason("hello", "Served");
    }

    private static void theHostIsGivenToTheNext(Cluster cluster) throws Exception {
        cluster.awaitReason("hello", "Served");
        assertThat(cluster.find(cluster.website, "hello").getMetadata().getFinalizers())
                .containsExactly("example.com/dns");
        cluster.create("second");
        cluster.awaitReason("second", "HostTaken");
        cluster.of(cluster.website).delete(NAMESPACE, "hello");
        cluster.awaitReason("second", "Served");
        assertThat(cluster.find(cluster.website, "hello")).isNull();
    }

    /** What a reader looks at and changes by kubectl. */
    private record Cluster(ApiServer server, ResourceType<? extends KubernetesObject> website, Path directory) {

        <T extends KubernetesObject> ResourceClient<T> of(ResourceType<T> type) {
            return new ResourceClient<>(server.client(), type);
        }

        <T extends KubernetesObject> T find(ResourceType<T> type, String name) throws Exception {
            return of(type).get(NAMESPACE, name);
        }

        /** The sample of the tutorial, under another name. */
        void create(String name) throws Exception {
            String sample = Files.readString(Page.PROJECT.resolve("examples/website/config/samples/website.yaml"));
            Path file = directory.resolve(name + ".yaml");
            Files.writeString(file, sample.replace("name: hello", "name: " + name));
            Manifests.apply(server.client(), file);
        }

        void patch(String name, String json) throws Exception {
            of(website).patch(NAMESPACE, name, new Patch.Merge(json));
        }

        void awaitReason(String name, String reason) {
            await(reason)
                    .untilAsserted(() -> assertThat(Conditions.of(find(website, name), "Ready"))
                            .isNotNull()
                            .extracting(V1Condition::getReason)
                            .isEqualTo(reason));
        }
    }
}
