package io.controllermanager.manager;

import io.controllermanager.client.Registration;
import io.controllermanager.client.ResourceType;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.InformerFactory;
import io.controllermanager.informer.InformerStatus;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the host asks of the API server and of the informers that mirror it. Tests have their own. */
interface Cluster {

    /**
     * Whether a type is served at this moment.
     *
     * @throws ApiException if the API server cannot say
     */
    boolean serves(ResourceType<?> type) throws ApiException;

    /** The shared informer of a selection, made on first use and started; one {@link #release} for each call of this. */
    <T extends KubernetesObject> Informer<T> informer(Selection<T> selection);

    /** Gives an informer back that a controller no longer needs; it goes on while others have it. */
    void release(Informer<?> informer);

    /** Whether any informer holds an object of this name, whatever its type. */
    boolean holds(@Nullable String namespace, String name);

    /** The newest versions of what this process has written, of all informers. */
    Map<String, String> writtenVersions();

    /** Tells when all informers have come as far as another process had written; what is returned ends the waiting. */
    Registration whenPassed(Map<String, String> versions, Runnable told);

    /** Starts the informers that were made by others. */
    void start();

    /** Stops all informers. */
    void stop();

    /** How the informers are. */
    List<InformerStatus> informers();

    /** The real one. */
    static Cluster of(InformerFactory factory) {
        return new Cluster() {
            @Override
            public boolean serves(ResourceType<?> type) throws ApiException {
                return factory.discovery().isServedNow(type.group(), type.version(), type.plural());
            }

            @Override
            public <T extends KubernetesObject> Informer<T> informer(Selection<T> selection) {
                Informer<T> informer = factory.acquire(selection);
                informer.run();
                return informer;
            }

            @Override
            public void release(Informer<?> informer) {
                factory.release(informer);
            }

            @Override
            public boolean holds(@Nullable String namespace, String name) {
                return factory.holds(namespace, name);
            }

            @Override
            public Map<String, String> writtenVersions() {
                return factory.writtenVersions();
            }

            @Override
            public Registration whenPassed(Map<String, String> versions, Runnable told) {
                return factory.whenPassed(versions, told);
            }

            @Override
            public void start() {
                factory.start();
            }

            @Override
            public void stop() {
                factory.stop();
            }

            @Override
            public List<InformerStatus> informers() {
                return factory.statuses();
            }
        };
    }
}
