package io.controllermanager.controller;

import com.google.gson.JsonObject;
import io.controllermanager.client.ApiStatus;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.MetadataPatch;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keeps objects from vanishing before what was made for them outside Kubernetes has been cleaned up. A reconciler asks it
 * first, before it makes anything:
 *
 * <pre>{@code
 * Foo foo = finalizer.admit(cached, this::deleteDatabase);
 * if (foo == null) {
 *     return new Result(false); // it is being deleted, and cleaned up after
 * }
 * }</pre>
 *
 * <p>The finalizer is added before {@link #admit} returns, so before anything outside is made, and removed after the
 * clean-up has succeeded. Whatever fails is thrown, the finalizer stays, and the key's retry tries again: a clean-up may
 * run more than once and must cope with what is gone already. Writes are merge patches of {@code metadata.finalizers} that
 * hold only for the resourceVersion and uid they were made from, so that no other finalizer is lost and no later object of
 * the same name is touched. See the Kubernetes documentation on finalizers, and controller-runtime's {@code pkg/finalizer}
 * and {@code controllerutil.AddFinalizer}. Safe for use by several threads.
 *
 * @param <T> the objects
 */
public final class Finalizer<T extends KubernetesObject> {

    /** As often as a conflict is met by reading again; one that goes on is left to the key's retry. */
    private static final int ATTEMPTS = 5;

    private static final int CONFLICT = 409;

    private final String name;
    private final ResourceClient<T> client;

    private Finalizer(String name, ResourceClient<T> client) {
        this.name = name;
        this.client = client;
    }

    /**
     * A finalizer.
     *
     * @param name with a domain of yours, such as {@code example.com/database}
     * @param client writes the objects; the host's, so that a process that has lost leadership writes nothing
     * @throws IllegalArgumentException if the name has no domain, which the API server warns of
     */
    public static <T extends KubernetesObject> Finalizer<T> named(String name, ResourceClient<T> client) {
        if (!name.matches("[a-z0-9]([a-z0-9.-]*[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?")) {
            throw new IllegalArgumentException(
                    "name must be a domain, a slash and a word, such as example.com/database, but is \"" + name + "\"");
        }
        return new Finalizer<>(name, client);
    }

    /**
     * Deletes what was made outside for an object.
     *
     * @param <T> the objects
     */
    @FunctionalInterface
    public interface CleanUp<T> {

        /** Deletes it; what is gone already is no error. */
        void cleanUp(T object) throws ApiException;
    }

    /** The finalizer's name. */
    public String name() {
        return name;
    }

    /**
     * Sees to it that the object has the finalizer, or, if it is being deleted, cleans up and removes it.
     *
     * @param object as the reconciler has it, from a lister for example; not changed
     * @param cleanUp called if the object is being deleted and still has the finalizer
     * @return the object to be reconciled, in its newest state if it was written; null if it is being deleted or gone, so
     *     that there is nothing to do
     * @throws ApiException if the API server refuses the write, or other writers keep getting in between
     */
    public @Nullable T admit(T object, CleanUp<T> cleanUp) throws ApiException {
        T current = object;
        boolean cleanedUp = false;
        for (int attempt = 1; ; attempt++) {
            V1ObjectMeta metadata = current.getMetadata();
            boolean deleting = metadata.getDeletionTimestamp() != null;
            boolean present = finalizers(metadata).contains(name);
            if (deleting && !present) {
                return null;
            }
            if (!deleting && present) {
                return current;
            }
            if (deleting && !cleanedUp) {
                cleanUp.cleanUp(current);
                cleanedUp = true;
            }
            try {
                T written = write(metadata, !deleting);
                return deleting ? null : written;
            } catch (ApiException e) {
                if (ApiStatus.isObjectNotFound(e)) {
                    return null;
                }
                if (e.getCode() != CONFLICT || attempt == ATTEMPTS) {
                    throw e;
                }
            }
            T newest = client.get(metadata.getNamespace(), metadata.getName());
            if (newest == null
                    || !Objects.equals(metadata.getUid(), newest.getMetadata().getUid())) {
                return null;
            }
            current = newest;
        }
    }

    private T write(V1ObjectMeta metadata, boolean add) throws ApiException {
        List<String> finalizers = finalizers(metadata);
        if (add) {
            finalizers.add(name);
        } else {
            finalizers.remove(name);
        }
        JsonObject change = new JsonObject();
        change.add("finalizers", ApiJson.tree(finalizers));
        return client.patch(metadata.getNamespace(), metadata.getName(), MetadataPatch.of(metadata, change));
    }

    private static List<String> finalizers(V1ObjectMeta metadata) {
        return metadata.getFinalizers() == null ? new ArrayList<>() : new ArrayList<>(metadata.getFinalizers());
    }
}
