package io.controllermanager.informer;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.cache.Lister;
import org.jspecify.annotations.Nullable;

/**
 * A local copy of the API server's objects of one type, shared by all who need it. Reads never block and never go to
 * the API server. Objects handed out are shared: not to be changed. A reconciler gets one from its context:
 *
 * <pre>{@code
 * Lister<V1Deployment> deployments = context.informer(ResourceTypes.DEPLOYMENT).lister();
 * V1Deployment deployment = deployments.namespace("default").get("web"); // null if there is none
 * }</pre>
 *
 * @param <T> the objects' class
 */
public interface Informer<T extends KubernetesObject> extends SharedIndexInformer<T> {

    /** The type, or null for an informer made from a caller's own {@code ListerWatcher} or {@code CallGenerator}. */
    @Nullable
    ResourceType<T> resourceType();

    /** All that the store holds at this moment; see {@link Indexers} for the usual indexes. */
    StoreSnapshot<T> snapshot();

    /** Reads the store by namespace and name. */
    Lister<T> lister();
}
