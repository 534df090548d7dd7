package io.controllermanager.spring.autoconfigure;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.ControllerWatch;
import io.kubernetes.client.extended.controller.builder.ControllerBuilder;
import io.kubernetes.client.extended.controller.builder.DefaultControllerBuilder;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.workqueue.DefaultRateLimitingQueue;
import io.kubernetes.client.extended.workqueue.RateLimitingQueue;
import io.kubernetes.client.extended.workqueue.WorkQueue;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.spring.extended.controller.annotation.AddWatchEventFilter;
import io.kubernetes.client.spring.extended.controller.annotation.DeleteWatchEventFilter;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconciler;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerReadyFunc;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatch;
import io.kubernetes.client.spring.extended.controller.annotation.UpdateWatchEventFilter;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.BeanUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Builds the controller of a reconciler with {@link KubernetesReconciler}, as client-java's own factory does. Other than
 * there, methods with its annotations need not be public, nor does their class: Spring components usually are not. There,
 * such a filter lets everything pass, such a ready method never says yes, and each call logs a stack trace.
 */
@SuppressWarnings("deprecation") // client-java's annotations, which are there to be supported
final class AnnotatedController {

    private static final Logger log = LoggerFactory.getLogger(AnnotatedController.class);

    private final Reconciler reconciler;
    private final KubernetesReconciler annotation;

    AnnotatedController(Reconciler reconciler, KubernetesReconciler annotation) {
        this.reconciler = reconciler;
        this.annotation = annotation;
    }

    /** What a bean's proxies, if it has any, stand for at the moment: what has its fields and all of its methods. */
    static Object target(Object bean) {
        Object target = bean;
        try {
            while (target instanceof Advised proxy) {
                target = Objects.requireNonNull(proxy.getTargetSource().getTarget());
            }
            return target;
        } catch (Exception e) {
            throw new IllegalStateException(
                    "what the proxy " + bean.getClass().getName() + " stands for cannot be had", e);
        }
    }

    /** Builds it; the factory must have informers of all watched types. */
    Controller build(SharedInformerFactory informers) {
        RateLimitingQueue<Request> queue = new DefaultRateLimitingQueue<>();
        DefaultControllerBuilder builder = ControllerBuilder.defaultBuilder(informers)
                .withWorkQueue(queue)
                .withName(annotation.value())
                .withWorkerCount(annotation.workerCount())
                .withReconciler(reconciler);
        for (KubernetesReconcilerWatch watch : annotation.watches().value()) {
            builder.watch(keys -> watch(watch, watch.apiTypeClass(), keys));
        }
        methods(KubernetesReconcilerReadyFunc.class)
                .keySet()
                .forEach(method -> builder.withReadyFunc(() -> call(method, false)));
        return builder.build();
    }

    @SuppressWarnings("unchecked") // the function is declared for the type of its watch
    private <T extends KubernetesObject> ControllerWatch<T> watch(
            KubernetesReconcilerWatch watch, Class<T> type, WorkQueue<Request> queue) {
        Method add = filter(AddWatchEventFilter.class, AddWatchEventFilter::apiTypeClass, type);
        Method update = filter(UpdateWatchEventFilter.class, UpdateWatchEventFilter::apiTypeClass, type);
        Method delete = filter(DeleteWatchEventFilter.class, DeleteWatchEventFilter::apiTypeClass, type);
        Class<?> keys = watch.workQueueKeyFunc();
        Constructor<?> withQueue = ClassUtils.getConstructorIfAvailable(keys, WorkQueue.class);
        return ControllerBuilder.controllerWatchBuilder(type, queue)
                .withOnAddFilter(object -> call(add, true, object))
                .withOnUpdateFilter((before, after) -> call(update, true, before, after))
                .withOnDeleteFilter((object, unknown) -> call(delete, true, object, unknown))
                .withWorkQueueKeyFunc((Function<T, Request>)
                        (withQueue == null
                                ? BeanUtils.instantiateClass(keys)
                                : BeanUtils.instantiateClass(withQueue, queue)))
                .withResyncPeriod(Duration.ofMillis(watch.resyncPeriodMillis()))
                .build();
    }

    private <A extends Annotation> @Nullable Method filter(
            Class<A> kind, Function<A, Class<?>> watched, Class<?> type) {
        return methods(kind).entrySet().stream()
                .filter(method -> type.equals(watched.apply(method.getValue())))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    private <A extends Annotation> Map<Method, A> methods(Class<A> kind) {
        Map<Method, A> methods = MethodIntrospector.selectMethods(
                AopProxyUtils.ultimateTargetClass(reconciler),
                (MethodIntrospector.MetadataLookup<A>) method -> method.getAnnotation(kind));
        methods.keySet().forEach(ReflectionUtils::makeAccessible);
        return methods;
    }

    /** What the method says; the fallback where it fails, or if there is none. */
    private boolean call(@Nullable Method method, boolean fallback, Object... arguments) {
        if (method == null) {
            return fallback;
        }
        try {
            return Boolean.TRUE.equals(method.invoke(target(reconciler), arguments));
        } catch (ReflectiveOperationException | RuntimeException e) {
            log.error("The method {} of a reconciler failed, and counts as {}", method, fallback, e);
            return fallback;
        }
    }
}
