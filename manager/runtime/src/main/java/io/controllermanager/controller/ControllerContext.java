package io.controllermanager.controller;

import io.controllermanager.client.ResourceType;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.Selection;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;

/** What a reconciler is made with: handed to the factory in its controller's descriptor. */
public interface ControllerContext {

    /** The controller's name. */
    String name();

    /** The host's client: limited, fenced and counted. */
    ApiClient apiClient();

    /**
     * The shared informer of a type, made on first use. Those of the types that the controller is for, owns or watches
     * are synced before its first reconcile, and so is every other one asked for while the reconciler is made.
     */
    <T extends KubernetesObject> Informer<T> informer(ResourceType<T> type);

    /** As {@link #informer(ResourceType)}, of some objects of the type only, or of a part of each. */
    <T extends KubernetesObject> Informer<T> informer(Selection<T> selection);

    /** The namespace in which the host keeps what is its own, such as its Lease. */
    default String hostNamespace() {
        return "default";
    }

    /** Records Events in the controller's name. */
    EventRecorder events();

    /** Whether this process changes nothing, and collects what it would change. Its writes through the client need not ask. */
    default boolean isDryRun() {
        return false;
    }

    /** The time. */
    Clock clock();
}
