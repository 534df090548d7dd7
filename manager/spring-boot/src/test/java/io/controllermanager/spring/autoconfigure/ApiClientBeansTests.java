package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.HostClient;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.internal.InformerStatus;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.spring.extended.controller.annotation.GroupVersionResource;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformer;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformers;
import io.kubernetes.client.spring.extended.controller.config.KubernetesInformerAutoConfiguration;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.KeyManager;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Which API server the host uses, and that it leaves the application's clients as they are. */
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("deprecation") // client-java's annotations
class ApiClientBeansTests {

    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

    private static final String UNCLEAR = "which API server to use is not clear: there are 2 beans of type ApiClient"
            + " (\"a\", \"b\"); mark one @Primary, or give one the name or qualifier controllerManagerApiClient";

    private final ApiServer a = ApiServer.start();
    private final ApiServer b = ApiServer.start();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    ControllerManagerAutoConfiguration.class, KubernetesInformerAutoConfiguration.class))
            .withBean(ControllerDescriptor.class, ApiClientBeansTests::controller);

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private static ControllerDescriptor controller() {
        return ControllerDescriptor.named("seeing")
                .forType(ResourceTypes.CONFIG_MAP)
                .reconciler(request -> {
                    SEEN.add(request.getNamespace());
                    return new Result(false);
                })
                .build();
    }

    private static String seen(ApiServer server) throws Exception {
        String namespace = server.createNamespace("seen");
        new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP)
                .create(new V1ConfigMap()
                        .metadata(new V1ObjectMeta().namespace(namespace).name("a")));
        await("it is reconciled").until(() -> SEEN.contains(namespace));
        return namespace;
    }

    private static String kubeconfig(ApiServer server) {
        return "controller-manager.kubeconfig=" + server.kubeconfigFile();
    }

    private static ApiClient client(ApiServer server) {
        try {
            return ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(new StringReader(server.kubeconfig())))
                    .build();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All that a client has and that somebody might have changed. */
    private record Looks(
            String basePath,
            OkHttpClient http,
            JSON json,
            KeyManager[] keys,
            boolean debugging,
            boolean verifying,
            int connectTimeout,
            int readTimeout,
            int writeTimeout,
            List<Interceptor> interceptors) {

        static Looks of(ApiClient client) {
            return new Looks(
                    client.getBasePath(),
                    client.getHttpClient(),
                    client.getJSON(),
                    client.getKeyManagers(),
                    client.isDebugging(),
                    client.isVerifyingSsl(),
                    client.getConnectTimeout(),
                    client.getReadTimeout(),
                    client.getWriteTimeout(),
                    List.copyOf(client.getHttpClient().interceptors()));
        }
    }

    private static ApiClient particular(ApiServer server) {
        ApiClient client = client(server);
        client.setReadTimeout(7_000);
        client.setConnectTimeout(3_000);
        client.setDebugging(true);
        client.setKeyManagers(new KeyManager[0]);
        return client;
    }

    @Test
    void aKubeconfigGoesBeforeABeanAndLeavesItAsItIs(CapturedOutput output) {
        ApiClient remote = particular(b);
        Looks before = Looks.of(remote);
        runner.withBean("remote", ApiClient.class, () -> remote)
                .withPropertyValues(kubeconfig(a))
                .run(context -> {
                    seen(a);
                    assertThat(Looks.of(context.getBean(ApiClient.class))).isEqualTo(before);
                    assertThat(context.getBean(ApiClient.class)).isSameAs(remote);
                    assertThat(output)
                            .contains(
                                    "API server: " + a.url() + ", by kubeconfig " + a.kubeconfigFile() + ", context ");
                });
        assertThat(Looks.of(remote)).isEqualTo(before);
        assertThat(remote.getHttpClient().dispatcher().executorService().isShutdown())
                .isFalse();
    }

    @Test
    void aUrlAloneGoesBeforeABean() {
        ApiClient remote = client(b);
        runner.withBean("remote", ApiClient.class, () -> remote)
                .withPropertyValues("controller-manager.master=" + a.url())
                .run(context -> {
                    seen(a);
                    assertThat(remote.getBasePath()).isEqualTo(b.url().toString());
                });
    }

    @Test
    void theHostFollowsABeanAndLeavesItAsItIs(CapturedOutput output) {
        ApiClient remote = particular(b);
        Looks before = Looks.of(remote);
        runner.withBean("remote", ApiClient.class, () -> remote).run(context -> {
            seen(b);
            assertThat(output).contains("API server: " + b.url() + ", by bean \"remote\"");
            assertThat(context.getBean(ApiConnection.class).apiClient().getBasePath())
                    .isEqualTo(b.url().toString());
        });
        assertThat(Looks.of(remote)).isEqualTo(before);
        assertThat(remote.getHttpClient().dispatcher().executorService().isShutdown())
                .isFalse();
    }

    @Test
    void aPasswordInTheUrlIsInNoLine(CapturedOutput output) {
        ApiClient remote = client(b).setBasePath(b.url().toString().replace("://", "://me:hush@"));
        runner.withBean("remote", ApiClient.class, () -> remote).run(context -> {
            seen(b);
            b.close();
            await("it is told").until(() -> output.toString().contains("cannot be reached"));
        });
        assertThat(output)
                .contains("API server: " + b.url() + ", by bean \"remote\"")
                .doesNotContain("hush");
    }

    @Test
    void theHostSendsWhatTheBeanSends() {
        ApiClient remote = new ApiClient() {}.setBasePath(b.url().toString());
        Set<String> sent = ConcurrentHashMap.newKeySet();
        remote.setHttpClient(remote.getHttpClient()
                .newBuilder()
                .addInterceptor(chain -> noted(sent, chain))
                .callTimeout(Duration.ofMillis(1))
                .build());
        remote.addDefaultHeader("X-Team", "blue");
        remote.setApiKeyPrefix("Bearer");
        remote.setApiKey("first");
        runner.withBean("remote", ApiClient.class, () -> remote)
                .withBean(ApiClientCustomizer.class, () -> client -> client.addDefaultHeader("X-Ours", "yes"))
                .run(context -> {
                    seen(b);
                    assertThat(sent).contains("Bearer first blue yes");
                    remote.setApiKey("renewed");
                    await().until(() -> {
                        seen(b);
                        new ResourceClient<>(
                                        context.getBean(ApiConnection.class).apiClient(), ResourceTypes.CONFIG_MAP)
                                .list("default");
                        return sent.contains("Bearer renewed blue yes");
                    });
                });
        assertThat(remote).extracting("defaultHeaderMap").asString().doesNotContain("X-Ours");
    }

    /** Its TLS and connections are taken over at the same moment. */
    @Test
    void theHostGoesWhereTheBeanLedWhenTheHostsClientWasMadeAndSaysSo(CapturedOutput output) {
        ApiClient remote = client(b);
        runner.withBean("remote", ApiClient.class, () -> remote)
                .withBean(ApiClientCustomizer.class, () -> client -> remote.setBasePath("http://elsewhere"))
                .run(context -> seen(b));
        assertThat(output).contains("API server: " + b.url() + ", by bean \"remote\"");
    }

    private static Response noted(Set<String> sent, Interceptor.Chain chain) throws IOException {
        sent.add("%s %s %s"
                .formatted(
                        chain.request().header("Authorization"),
                        chain.request().header("X-Team"),
                        chain.request().header("X-Ours")));
        return chain.proceed(chain.request());
    }

    @Test
    void ofTwoBeansOneHasToBeMarkedOrNamed() {
        ApplicationContextRunner two = runner.withBean("a", ApiClient.class, () -> client(a));
        two.withBean("b", ApiClient.class, () -> client(b))
                .run(context -> assertThat(new StartFailureAnalyzer()
                                .analyze(context.getStartupFailure())
                                .getDescription())
                        .isEqualTo(UNCLEAR));
        two.withBean("b", ApiClient.class, () -> client(b), bean -> bean.setPrimary(true))
                .run(context -> seen(b));
        two.withBean("b", ApiClient.class, () -> client(b), bean -> bean.setFallback(true))
                .run(context -> seen(a));
        two.withBean("b", ApiClient.class, () -> client(b), bean -> bean.setAutowireCandidate(false))
                .run(context -> seen(a));
        two.withBean("controllerManagerApiClient", ApiClient.class, () -> client(b))
                .run(context -> seen(b));
        two.withUserConfiguration(Qualified.class)
                .withBean(ApiServer.class, () -> b, bean -> bean.setDestroyMethodName(""))
                .run(context -> seen(b));
        two.withBean("b", ApiClient.class, () -> client(b))
                .withPropertyValues(kubeconfig(b))
                .run(context -> seen(b));
        two.withBean("b", ApiClient.class, () -> client(b))
                .withBean(KubernetesConnectionDetails.class, () -> a::kubeconfigFile)
                .run(context -> seen(a));
    }

    @Configuration(proxyBeanMethods = false)
    static class Qualified {

        /** Is nobody's by its type. */
        @Bean(defaultCandidate = false)
        @Qualifier("controllerManagerApiClient")
        ApiClient other(ApiServer b) {
            return client(b);
        }
    }

    @Test
    void ofTwoConnectionDetailsOneHasToBeMarked() {
        runner.withBean("a", KubernetesConnectionDetails.class, () -> a::kubeconfigFile)
                .withBean("b", KubernetesConnectionDetails.class, () -> b::kubeconfigFile)
                .run(context -> assertThat(new StartFailureAnalyzer()
                                .analyze(context.getStartupFailure())
                                .getDescription())
                        .isEqualTo("which API server to use is not clear: there are 2 beans of type"
                                + " KubernetesConnectionDetails (\"a\", \"b\"); mark one @Primary"));
    }

    @Test
    void aBeanOfAContextAboveCounts(CapturedOutput output) {
        try (AnnotationConfigApplicationContext above = new AnnotationConfigApplicationContext()) {
            above.registerBean("remote", ApiClient.class, () -> client(b));
            above.refresh();
            runner.withParent(above).run(context -> seen(b));
        }
        assertThat(output).contains("by bean \"remote\"");
    }

    @Test
    void aLazyBeanIsMadeOnlyIfItCounts() {
        AtomicBoolean made = new AtomicBoolean();
        runner.withBean(
                        "remote",
                        ApiClient.class,
                        () -> {
                            made.set(true);
                            return client(b);
                        },
                        bean -> bean.setLazyInit(true))
                .withPropertyValues(kubeconfig(a))
                .run(context -> {
                    seen(a);
                    assertThat(made).isFalse();
                });
    }

    @Test
    void theHostsClientIsThereByItsNameBesideTheApplicationsOwn() {
        runner.withBean("remote", ApiClient.class, () -> client(b))
                .withUserConfiguration(Injected.class)
                .withPropertyValues(kubeconfig(a))
                .run(context -> {
                    Injected.Clients clients = context.getBean(Injected.Clients.class);
                    assertThat(clients.all()).containsOnlyKeys("remote");
                    assertThat(clients.byType()).isSameAs(context.getBean("remote"));
                    assertThat(clients.host())
                            .isInstanceOf(HostClient.class)
                            .isSameAs(context.getBean(ApiConnection.class).apiClient());
                    assertThat(clients.host().getBasePath()).isEqualTo(a.url().toString());
                });
        runner.withUserConfiguration(Injected.class)
                .withPropertyValues(kubeconfig(a))
                .run(context -> assertThat(
                                context.getBean(Injected.Clients.class).byType())
                        .isSameAs(context.getBean(Injected.Clients.class).host()));
    }

    @Configuration(proxyBeanMethods = false)
    static class Injected {

        record Clients(ApiClient byType, ApiClient host, Map<String, ApiClient> all) {}

        @Bean
        Clients clients(
                ApiClient byType, @Qualifier("kubernetesApiClient") ApiClient host, Map<String, ApiClient> all) {
            return new Clients(byType, host, all);
        }
    }

    @Test
    void declaredInformersAreOfTheHostsClusterAndChangeNoBean() {
        ApiClient remote = particular(b);
        Looks before = Looks.of(remote);
        runner.withBean("remote", ApiClient.class, () -> remote)
                .withUserConfiguration(Declared.class)
                .withPropertyValues(kubeconfig(a))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    seen(a);
                    assertThat(context.getBean(ControllerManagerHost.class).informers())
                            .extracting(InformerStatus::resource)
                            .hasSize(1);
                    // The server has seen the request before the informer has the answer.
                    await().until(() ->
                            context.getBean(Declared.Reader.class).informer().hasSynced());
                    assertThat(Looks.of(remote)).isEqualTo(before);
                });
    }

    @Configuration(proxyBeanMethods = false)
    @KubernetesInformers(
            @KubernetesInformer(
                    apiTypeClass = V1ConfigMap.class,
                    apiListTypeClass = V1ConfigMapList.class,
                    groupVersionResource = @GroupVersionResource(apiVersion = "v1", resourcePlural = "configmaps")))
    static class Declared {

        record Reader(SharedIndexInformer<V1ConfigMap> informer) {}

        @Bean
        Reader reader(SharedIndexInformer<V1ConfigMap> informer) {
            return new Reader(informer);
        }
    }
}
