package io.controllermanager.informer;

import io.controllermanager.client.Registration;
import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.cache.Lister;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A local copy of the API server's objects of one type, shared by all who need it. Reads never block and never go to
 * the API server. Objects handed out are shared: not to be changed.
 *
 * @param <T> the object's class
 */
public interface Informer<T extends KubernetesObject> extends SharedIndexInformer<T> {

    /** The type, or null for an informer made from a caller's own {@code ListerWatcher} or {@code CallGenerator}. */
    @Nullable
    ResourceType<T> resourceType();

    /**
     * Adds a subscriber, which first receives the present state as initial {@code Created} events.
     *
     * @param name for the delivery thread's name and metrics, such as the controller's name
     * @param resync how often every object is delivered again as an update with an unchanged resourceVersion;
     *     zero for never
     */
    Subscription subscribe(String name, EventSubscriber<T> subscriber, Duration resync);

    /** All that the store holds at this moment; see {@link Indexers} for the usual indexes. */
    StoreSnapshot<T> snapshot();

    /** Reads the store by namespace and name. */
    Lister<T> lister();

    /**
     * The newest versions of what this process has written of this informer's objects, as it knows from the answers: for
     * another process that is to go on where this one ends. Empty if it has written nothing, or its own writes are not read
     * ({@link InformerOptions#readOwnWrites}).
     */
    Map<String, String> writtenVersions();

    /**
     * Whether this informer has come as far as another process's informer of the same type and namespaces had written.
     *
     * @param versions that one's {@link #writtenVersions}; what is of other informers is left out of account
     */
    boolean hasPassed(Map<String, String> versions);

    /**
     * Tells once when {@link #hasSynced} is true: at once if it is, else on an informer's thread.
     *
     * @param told must be brief and must not block
     * @return ends the waiting
     */
    Registration whenSynced(Runnable told);

    /**
     * Tells once when {@link #hasPassed} is true, as {@link #whenSynced} does.
     *
     * @param versions as for {@link #hasPassed}
     */
    Registration whenPassed(Map<String, String> versions, Runnable told);

    /** How the informer is, for operators. */
    InformerStatus status();
}
