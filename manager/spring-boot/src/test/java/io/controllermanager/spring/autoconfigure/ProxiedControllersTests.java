package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.clientjava.internal.ClientJavaInformerFactory;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.builder.ControllerBuilder;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.spring.extended.controller.annotation.AddWatchEventFilter;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconciler;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatch;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatches;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.context.support.SimpleThreadScope;

/** However a bean is made, it is one controller. */
@SuppressWarnings("deprecation") // client-java's annotations
class ProxiedControllersTests {

    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    EmbeddedApiServerAutoConfiguration.class, ControllerManagerAutoConfiguration.class))
            .withBean(ApiServer.class, ApiServer::start)
            .withInitializer(context -> context.getBeanFactory().registerScope("session-like", new SimpleThreadScope()))
            .withPropertyValues("controller-manager.leader-election.enabled=false");

    private void runsOnce(Class<?> configuration, String controller) {
        runner.withUserConfiguration(configuration).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(ControllerManagerHost.class).controllers())
                    .extracting(ControllerStatus::name)
                    .containsExactly(controller);
            ApiServer server = context.getBean(ApiServer.class);
            String namespace = server.createNamespace("once");
            ResourceClient<V1ConfigMap> maps = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
            maps.create(new V1ConfigMap()
                    .metadata(new V1ObjectMeta().namespace(namespace).name("skipped")));
            maps.create(new V1ConfigMap()
                    .metadata(new V1ObjectMeta().namespace(namespace).name("a")));
            await("it is reconciled").until(() -> SEEN.contains(controller + " " + namespace + "/a"));
        });
    }

    @Test
    void aScopedProxyOfATypedReconcilerIsOneController() {
        runsOnce(ScopedTyped.class, "configmap");
    }

    @Test
    void aScopedProxyOfAnAnnotatedReconcilerIsOneControllerWithItsFilters() {
        runsOnce(ScopedAnnotated.class, "annotated");
        assertThat(SEEN).noneMatch(seen -> seen.startsWith("annotated ") && seen.endsWith("/skipped"));
    }

    @Test
    void aScopedProxyOfInterfacesIsOneController() {
        runsOnce(ScopedByInterface.class, "annotated");
    }

    @Test
    void aScopedProxyOfAControllerIsOneController() {
        runsOnce(ScopedController.class, "built");
    }

    @Test
    void aReconcilerOfAFactoryIsOneController() {
        runsOnce(Factory.class, "annotated");
    }

    @Test
    void lazyAndPrototypeBeansAreOneControllerEach() {
        runsOnce(LazyTyped.class, "configmap");
        runsOnce(PrototypeTyped.class, "configmap");
    }

    @Test
    void anAbstractDefinitionAndABeanThatIsNullAreNone() {
        runner.withInitializer(context -> {
                    RootBeanDefinition template = new RootBeanDefinition(Typed.class);
                    template.setAbstract(true);
                    ((GenericApplicationContext) context).registerBeanDefinition("template", template);
                })
                .withUserConfiguration(NoBean.class)
                .run(context -> assertThat(
                                context.getBean(ControllerManagerHost.class).controllers())
                        .isEmpty());
    }

    @Reconciles(V1ConfigMap.class)
    static class Typed implements ObjectReconciler<V1ConfigMap> {

        @Override
        public Outcome reconcile(V1ConfigMap object, Reconciliation<V1ConfigMap> reconciliation) {
            SEEN.add("configmap " + object.getMetadata().getNamespace() + "/"
                    + object.getMetadata().getName());
            return Outcome.done();
        }
    }

    @KubernetesReconciler(
            value = "annotated",
            watches = @KubernetesReconcilerWatches(@KubernetesReconcilerWatch(apiTypeClass = V1ConfigMap.class)))
    static class Annotated implements Reconciler {

        private final String skipped = "skipped";

        @AddWatchEventFilter(apiTypeClass = V1ConfigMap.class)
        private boolean onAdd(V1ConfigMap added) {
            return !skipped.equals(added.getMetadata().getName());
        }

        @Override
        public Result reconcile(Request request) {
            SEEN.add("annotated " + request.getNamespace() + "/" + request.getName());
            return new Result(false);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedTyped {

        @Bean
        @Scope(scopeName = "session-like", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Typed typed() {
            return new Typed();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyTyped {

        @Bean
        @Lazy
        Typed typed() {
            return new Typed();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrototypeTyped {

        @Bean
        @Scope("prototype")
        Typed typed() {
            return new Typed();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NoBean {

        @Bean
        @Nullable
        Typed typed() {
            return null;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedAnnotated {

        @Bean
        @Scope(scopeName = "session-like", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Annotated annotated() {
            return new Annotated();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedByInterface {

        @Bean
        @Scope(scopeName = "session-like", proxyMode = ScopedProxyMode.INTERFACES)
        Annotated annotated() {
            return new Annotated();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(AnnotatedFactory.class)
    static class Factory {}

    static class AnnotatedFactory implements FactoryBean<Annotated> {

        @Override
        public Annotated getObject() {
            return new Annotated();
        }

        @Override
        public Class<?> getObjectType() {
            return Annotated.class;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedController {

        @Bean
        @Scope(scopeName = "session-like", proxyMode = ScopedProxyMode.INTERFACES)
        Controller built(ClientJavaInformerFactory informers) {
            informers.existingOrMade(V1ConfigMap.class);
            return ControllerBuilder.defaultBuilder(informers)
                    .withName("built")
                    .withReconciler(request -> {
                        SEEN.add("built " + request.getNamespace() + "/" + request.getName());
                        return new Result(false);
                    })
                    .watch(queue -> ControllerBuilder.controllerWatchBuilder(V1ConfigMap.class, queue)
                            .build())
                    .build();
        }
    }
}
