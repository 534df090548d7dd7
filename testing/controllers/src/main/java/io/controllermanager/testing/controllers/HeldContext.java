package io.controllermanager.testing.controllers;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.EventSource;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.Selection;
import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.informer.cache.Cache;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiClient;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What one reconcile after the other is made with, against an API server, with local copies that change only when a test says
 * so: what happens when they are behind is half of what such a test is about.
 *
 * @param name the controller's
 * @param apiClient writes and reads at the API server
 * @param events keeps the Events
 * @param clock the time
 * @param copies the local copies by type
 */
public record HeldContext(
        String name, ApiClient apiClient, RecordedEvents events, Clock clock, Map<ResourceType<?>, Cache<?>> copies)
        implements ControllerContext {

    /** With empty copies and no Events yet. */
    public HeldContext(String name, ApiClient apiClient, Clock clock) {
        this(name, apiClient, new RecordedEvents(), clock, new ConcurrentHashMap<>());
    }

    /** The local copy of a type, for the test to fill. */
    @SuppressWarnings("unchecked") // It is made here, for objects of the type.
    public <T extends KubernetesObject> Cache<T> copy(ResourceType<T> type) {
        return (Cache<T>) copies.computeIfAbsent(type, key -> new Cache<T>());
    }

    @Override
    public <T extends KubernetesObject> Informer<T> informer(ResourceType<T> type) {
        return informer(Selection.of(type));
    }

    @Override
    @SuppressWarnings("unchecked") // An interface's type parameters are gone by then.
    public <T extends KubernetesObject> Informer<T> informer(Selection<T> selection) {
        Lister<T> lister = new Lister<>(copy(selection.type()));
        return (Informer<T>) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Informer.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "lister" -> lister;
                    case "addIndexers" -> null;
                    default -> throw new UnsupportedOperationException(method.toString());
                });
    }

    /** The keys that an object concerns which the controller owns or watches. */
    public static <T extends KubernetesObject> Set<Request> concernedBy(ControllerDescriptor controller, T object) {
        Set<Request> keys = new HashSet<>();
        for (EventSource<?> source : controller.sources()) {
            if (!source.primary() && source.type().objectClass().isInstance(object)) {
                @SuppressWarnings("unchecked") // The object is of the source's class.
                EventSource<T> its = (EventSource<T>) source;
                keys.addAll(its.mapper().map(object));
            }
        }
        return keys;
    }
}
