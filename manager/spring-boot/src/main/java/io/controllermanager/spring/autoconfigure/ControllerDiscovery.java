package io.controllermanager.spring.autoconfigure;

import io.controllermanager.clientjava.internal.ClientJavaController;
import io.controllermanager.clientjava.internal.ClientJavaInformerFactory;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.spring.config.ConfigurationReader;
import io.controllermanager.spring.config.KnownController;
import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.DefaultController;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconciler;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * Finds the controllers among the beans: descriptors, {@link ObjectReconciler}s with {@link Reconciles}, client-java {@code
 * Controller}s, and client-java {@code Reconciler}s with {@code @KubernetesReconciler}, which are built as client-java builds
 * them. A reconciler that is named by a controller bean and by annotation is hosted once.
 */
@SuppressWarnings("deprecation") // client-java's annotations, which are there to be supported
final class ControllerDiscovery {

    private final ApplicationContext beans;
    private final ClientJavaInformerFactory informers;
    private final ConfigurationReader configuration;

    ControllerDiscovery(
            ApplicationContext beans, ClientJavaInformerFactory informers, ConfigurationReader configuration) {
        this.beans = beans;
        this.informers = informers;
        this.configuration = configuration;
    }

    /** A controller that was found, and how it is made if it is switched on. */
    private record Found(
            String bean,
            KnownController known,
            Supplier<ControllerRegistration> enabled,
            ControllerDescriptor disabled) {}

    /**
     * All controllers, with their properties.
     *
     * @throws io.controllermanager.spring.config.ConfigurationException if a property is wrong
     * @throws IllegalStateException if two controllers have the same name, or an {@link ObjectReconciler} has no {@link
     *     Reconciles}
     * @throws IllegalArgumentException if {@link Reconciles} names a wrong class
     */
    List<ControllerRegistration> discover() {
        Map<String, Found> found = new LinkedHashMap<>();
        beans(ControllerDescriptor.class).forEach((bean, descriptor) -> add(found, own(bean, descriptor)));
        beans(ObjectReconciler.class).forEach((bean, reconciler) -> {
            // The bean may be a proxy, whose class does not have the annotation.
            Class<?> reconcilerClass = AopUtils.getTargetClass(reconciler);
            Reconciles annotation = reconcilerClass.getAnnotation(Reconciles.class);
            if (annotation == null) {
                throw new IllegalStateException(unannotated(bean, reconcilerClass));
            }
            add(found, own(bean, TypedController.descriptor(annotation, reconcilerClass, reconciler)));
        });
        Set<Reconciler> hosted = Collections.newSetFromMap(new IdentityHashMap<>());
        beans(Controller.class).forEach((bean, proxied) -> {
            Controller controller = (Controller) AnnotatedController.target(proxied);
            if (controller instanceof DefaultController rehosted) {
                hosted.add(rehosted.getReconciler());
            }
            add(found, clientJava(bean, controller));
        });
        beans(Reconciler.class).forEach((bean, reconciler) -> {
            KubernetesReconciler annotation = annotation(bean);
            if (annotation != null && !hosted.contains(reconciler)) {
                add(found, annotated(bean, reconciler, annotation));
            }
        });
        Map<String, ControllerOptions> enabled =
                configuration.read(found.values().stream().map(Found::known).toList());
        List<ControllerRegistration> registrations = new ArrayList<>();
        for (Found controller : found.values()) {
            ControllerOptions options = enabled.get(controller.known().name());
            registrations.add(
                    options == null
                            ? new ControllerRegistration(
                                    controller.disabled(), controller.known().options(), false)
                            : withOptions(controller.enabled().get(), options));
        }
        configuration.checkControllers(registrations);
        return List.copyOf(registrations);
    }

    /**
     * Those of this context, and of the contexts above it unless one of these has a host, which runs them. What a scoped proxy
     * stands for is left out, since the proxy is there too; and it may be that it cannot be made at the moment.
     */
    private <T> Map<String, T> beans(Class<T> type) {
        ApplicationContext above = beans.getParent();
        boolean hostedAbove = above != null
                && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(above, ControllerManagerHost.class).length > 0;
        Map<String, T> found = new LinkedHashMap<>();
        for (String name : hostedAbove
                ? beans.getBeanNamesForType(type)
                : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type)) {
            Object bean = ScopedProxyUtils.isScopedTarget(name) ? null : beans.getBean(name);
            // A method that makes a bean may give null.
            if (type.isInstance(bean)) {
                found.put(name, type.cast(bean));
            }
        }
        return found;
    }

    /** Of the bean, or of what it is a proxy for. */
    private @Nullable KubernetesReconciler annotation(String bean) {
        String target = ScopedProxyUtils.getTargetBeanName(bean);
        return beans.findAnnotationOnBean(beans.containsBean(target) ? target : bean, KubernetesReconciler.class);
    }

    private static String unannotated(String bean, Class<?> reconcilerClass) {
        Class<?> reconciled =
                ResolvableType.forClass(ObjectReconciler.class, reconcilerClass).resolveGeneric();
        return "the bean " + bean + " is an ObjectReconciler that no controller is made of: add @Reconciles("
                + (reconciled == null ? "…" : reconciled.getSimpleName()) + ".class) to " + reconcilerClass.getName()
                + "; one that a ControllerDescriptor is made of must be no bean";
    }

    private static void add(Map<String, Found> all, Found controller) {
        Found other = all.putIfAbsent(controller.known().name(), controller);
        if (other != null) {
            throw new IllegalStateException("two controllers are called \""
                    + controller.known().name() + "\": the beans " + other.bean() + " and " + controller.bean());
        }
    }

    private static Found own(String bean, ControllerDescriptor descriptor) {
        return new Found(
                bean,
                new KnownController(descriptor.name(), descriptor.enabledByDefault(), descriptor.options()),
                () -> ControllerRegistration.of(descriptor),
                descriptor);
    }

    private static Found clientJava(String bean, Controller controller) {
        ClientJavaController adapted = ClientJavaController.of(controller, bean);
        ControllerDescriptor descriptor = adapted.descriptor();
        return new Found(
                bean,
                new KnownController(descriptor.name(), true, descriptor.options()),
                () -> adapted.registration(),
                descriptor);
    }

    private Found annotated(String bean, Reconciler reconciler, KubernetesReconciler annotation) {
        String name = ClientJavaController.toName(annotation.value().isBlank() ? bean : annotation.value());
        ControllerOptions options = ControllerOptions.DEFAULTS.withWorkers(annotation.workerCount());
        return new Found(
                bean,
                new KnownController(name, true, options),
                () -> ClientJavaController.of(build(bean, reconciler, annotation), name)
                        .registration(),
                new ControllerDescriptor(name, List.of(), context -> reconciler, options, true));
    }

    private Controller build(String bean, Reconciler reconciler, KubernetesReconciler annotation) {
        // Informers that are declared by @KubernetesInformers enter the factory when their beans are made.
        beans.getBeansOfType(SharedIndexInformer.class);
        for (KubernetesReconcilerWatch watch : annotation.watches().value()) {
            if (informers.existingOrMade(watch.apiTypeClass()) == null) {
                throw new IllegalStateException("the reconciler bean " + bean + " watches "
                        + watch.apiTypeClass().getName()
                        + ", for which there is no informer: declare one by @KubernetesInformers or as a bean");
            }
        }
        return new AnnotatedController(reconciler, annotation).build(informers);
    }

    private static ControllerRegistration withOptions(ControllerRegistration registration, ControllerOptions options) {
        return new ControllerRegistration(registration.descriptor(), options, true, registration.adapter());
    }
}
