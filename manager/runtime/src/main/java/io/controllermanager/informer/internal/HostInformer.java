package io.controllermanager.informer.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.informer.Informer;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * An informer as the host sees it: it can be waited for, and says how it is.
 *
 * @param <T> the objects' class
 */
public interface HostInformer<T extends KubernetesObject> extends Informer<T> {

    /**
     * Adds a subscriber, which first receives the present state as initial {@code Created} events.
     *
     * @param name for the delivery thread's name and metrics, such as the controller's name
     * @param resync how often every object is delivered again as an update with an unchanged resourceVersion;
     *     zero for never
     */
    Subscription subscribe(String name, EventSubscriber<T> subscriber, Duration resync);

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
     * Tells once when something that depends on this informer is the case: at once if it is, else on an informer's thread.
     *
     * @param told must be brief and must not block
     * @return ends the waiting
     */
    Registration when(BooleanSupplier reached, Runnable told);

    /** Tells once when {@link #hasSynced} is true, as {@link #when} does. */
    default Registration whenSynced(Runnable told) {
        return when(this::hasSynced, told);
    }

    /**
     * Tells once when {@link #hasPassed} is true, as {@link #when} does.
     *
     * @param versions as for {@link #hasPassed}
     */
    default Registration whenPassed(Map<String, String> versions, Runnable told) {
        return when(() -> hasPassed(versions), told);
    }

    /** Of the namespaces that are listed one by one, those of which that is still to be done. */
    Set<String> lacking();

    /** What is in the way of its lists and watches at this moment. */
    List<Obstacle> obstacles();

    /** How the informer is, for operators. */
    InformerStatus status();
}
