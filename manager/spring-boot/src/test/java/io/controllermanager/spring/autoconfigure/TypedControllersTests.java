package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class TypedControllersTests {

    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    EmbeddedApiServerAutoConfiguration.class, ControllerManagerAutoConfiguration.class))
            .withBean(ApiServer.class, ApiServer::start)
            .withPropertyValues("controller-manager.leader-election.enabled=false");

    @Test
    void annotatedBeansAreControllersUnderTheirKindsNames() {
        runner.withUserConfiguration(Reconcilers.class)
                .withPropertyValues("controller-manager.controller.configmap.workers=3")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(ControllerManagerHost.class).controllers())
                            .extracting(ControllerStatus::name, ControllerStatus::workers)
                            .containsExactlyInAnyOrder(tuple("configmap", 3), tuple("watched-secrets", 1));
                    ApiServer server = context.getBean(ApiServer.class);
                    String namespace = server.createNamespace("typed");
                    V1ObjectMeta metadata =
                            new V1ObjectMeta().namespace(namespace).name("a");
                    new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP)
                            .create(new V1ConfigMap().metadata(metadata));
                    new ResourceClient<>(server.client(), ResourceTypes.SECRET)
                            .create(new V1Secret().metadata(metadata));
                    await().until(() ->
                            SEEN.contains("ConfigMap " + namespace) && SEEN.contains("Secret " + namespace));
                });
    }

    @Test
    void theirFlagsAndPropertiesAreKnownByName() {
        runner.withUserConfiguration(Reconcilers.class)
                .withPropertyValues("controller-manager.controllers=*,-watched-secrets")
                .run(context -> assertThat(context).hasNotFailed());
        runner.withUserConfiguration(Reconcilers.class)
                .withPropertyValues("controller-manager.controllers=*,-secret")
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void aReconcilerWithoutAnnotationFailsTheStart() {
        runner.withBean("forgotten", Forgotten.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("the bean forgotten is an ObjectReconciler that no controller is made of: add"
                                + " @Reconciles(V1Secret.class) to " + Forgotten.class.getName()
                                + "; one that a ControllerDescriptor is made of must be no bean"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAnnotationThatNamesAnotherClassFailsTheStart(boolean proxied) {
        runner.withBean("wrong", ObjectReconciler.class, () -> proxied ? proxy(new Wrong()) : new Wrong())
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("@Reconciles names " + V1ConfigMap.class.getName() + ", but "
                                + Wrong.class.getName()
                                + " is an ObjectReconciler<V1Secret>: name the same class in both"));
    }

    private static ObjectReconciler<?> proxy(ObjectReconciler<?> reconciler) {
        return (ObjectReconciler<?>) new ProxyFactory(reconciler).getProxy();
    }

    abstract static class Quiet<N, T extends KubernetesObject> implements ObjectReconciler<T> {

        @Override
        public Outcome reconcile(T object, Reconciliation<T> reconciliation) {
            return Outcome.done();
        }
    }

    static class Forgotten extends Quiet<String, V1Secret> {}

    @Reconciles(V1ConfigMap.class)
    static class Wrong extends Quiet<String, V1Secret> {}

    @Reconciles(V1ConfigMap.class)
    static class ConfigMaps implements ObjectReconciler<V1ConfigMap> {

        @Override
        public Outcome reconcile(V1ConfigMap object, Reconciliation<V1ConfigMap> reconciliation) {
            SEEN.add("ConfigMap " + object.getMetadata().getNamespace());
            return Outcome.done();
        }
    }

    @Reconciles(value = V1Secret.class, name = "watched-secrets")
    static class Secrets implements ObjectReconciler<V1Secret> {

        @Override
        public Outcome reconcile(V1Secret object, Reconciliation<V1Secret> reconciliation) {
            SEEN.add("Secret " + object.getMetadata().getNamespace());
            return Outcome.done();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({ConfigMaps.class, Secrets.class})
    static class Reconcilers {

        /** As Spring does for beans with aspects: what is in the context is of a class without annotations. */
        @Bean
        static BeanPostProcessor proxies() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String beanName) {
                    return bean instanceof Secrets ? new ProxyFactory(bean).getProxy() : bean;
                }
            };
        }
    }
}
