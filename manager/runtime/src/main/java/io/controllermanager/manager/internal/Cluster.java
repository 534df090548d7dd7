package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.connection.ApiServerMonitor;
import io.controllermanager.client.internal.connection.WriteObserver;
import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The API server and the informers that mirror it, as far as the host needs them. Tests have their own. */
public class Cluster {

    private final InformerFactory factory;
    private final ApiServerMonitor monitor;
    private final Function<WriteObserver, Registration> writes;

    /**
     * Starts nothing.
     *
     * @param factory the host starts and stops all informers that are in it
     * @param monitor tells when the API server is back, so that what failed is tried again at once
     * @param writes shows observers the writes of the clients that controllers are given
     */
    public Cluster(InformerFactory factory, ApiServerMonitor monitor, Function<WriteObserver, Registration> writes) {
        this.factory = factory;
        this.monitor = monitor;
        this.writes = writes;
    }

    /** Shows nobody what is written. */
    public Cluster(InformerFactory factory, ApiServerMonitor monitor) {
        this(factory, monitor, observer -> () -> {});
    }

    /**
     * Whether a type is served at this moment.
     *
     * @throws ApiException if the API server cannot say
     */
    boolean serves(ResourceType<?> type) throws ApiException {
        return factory.discovery().isServedNow(type.group(), type.version(), type.plural());
    }

    /** The namespaces that the host is restricted to, empty for none. */
    Set<String> namespaces() {
        return factory.namespaces();
    }

    /** The shared informer of a selection, made on first use and started; one {@link #release} for each call of this. */
    <T extends KubernetesObject> HostInformer<T> informer(Selection<T> selection) {
        HostInformer<T> informer = factory.informer(selection);
        informer.run();
        return informer;
    }

    /** The shared informer of some shards' objects, as for the other one; it holds no shard at first. */
    <T extends KubernetesObject> HostInformer<T> informer(ShardedSelection<T> selection) {
        HostInformer<T> informer = factory.acquire(selection);
        informer.run();
        return informer;
    }

    /** Gives an informer back that a controller no longer needs; it goes on while others have it. */
    void release(HostInformer<?> informer) {
        factory.release(informer);
    }

    /** Whether any informer holds an object of this name, whatever its type. */
    boolean holds(@Nullable String namespace, String name) {
        return factory.holds(namespace, name);
    }

    /** The newest versions of what this process has written, of all informers. */
    Map<String, String> writtenVersions() {
        return factory.writtenVersions();
    }

    /** Tells when all informers have come as far as another process had written; what is returned ends the waiting. */
    Registration whenPassed(Map<String, String> versions, Runnable told) {
        return factory.whenPassed(versions, told);
    }

    /** What this process would change, null unless it is a dry run. */
    @Nullable
    Plan plan() {
        return factory.plan();
    }

    Registration onRecovery(Runnable listener) {
        return monitor.onRecovery(listener);
    }

    Registration observeWrites(WriteObserver observer) {
        return writes.apply(observer);
    }

    /** Starts the informers that were made by others. */
    void start() {
        factory.start();
    }

    /** Stops all informers. */
    void stop() {
        factory.stop();
    }

    List<InformerStatus> informers() {
        return factory.statuses();
    }
}
