package io.controllermanager.reconciler;

import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A way to find objects by a value: kept in a constant, given to {@link ControllerDescription#index}, and read by {@link
 * Reconciliation#find(Index, String)}. It is one for all namespaces.
 *
 * @param <T> the objects' class
 * @param name unique within the controller
 * @param values the values by which an object is found; called on the informer's thread: brief, no blocking
 */
public record Index<T extends KubernetesObject>(String name, Function<T, List<String>> values) {

    /** By one value; objects for which it is null are not in the index. */
    public static <T extends KubernetesObject> Index<T> of(String name, Function<T, @Nullable String> value) {
        return new Index<>(name, object -> {
            String found = value.apply(object);
            return found == null ? List.of() : List.of(found);
        });
    }
}
