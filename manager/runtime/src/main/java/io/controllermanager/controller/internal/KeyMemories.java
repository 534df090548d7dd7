package io.controllermanager.controller.internal;

import io.controllermanager.controller.ControllerContext;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * What a controller remembers of its keys. Each thing that can be remembered is a part, which has an entry for those keys alone
 * that it is the case of: a key at rest has none, and costs nothing. The entry goes when the thing is over. All that is
 * remembered of a key goes here: when its object is gone or created anew, and when its shard is closed or the controller stops.
 * Safe for use by several threads; one at a time deals with a key, while others may have it forgotten.
 *
 * <p>Two things are kept elsewhere. The queue counts the failures that make delays. {@link ControllerShards} knows deletions: a key
 * that waits for its shard to be opened again needs them.
 */
public final class KeyMemories {

    private final List<Part<?>> parts = new CopyOnWriteArrayList<>();

    private record Part<V>(Map<Request, V> values, BiConsumer<Request, V> forgotten) {

        void forget(Request key) {
            values.computeIfPresent(key, (same, value) -> {
                forgotten.accept(same, value);
                return null;
            });
        }
    }

    /** Has the memories of a controller's keys. */
    public interface Owner {

        /** What the controller remembers. */
        KeyMemories memories();
    }

    /** Those of the controller whose context this is; memories of their own for a context that belongs to none. */
    public static KeyMemories of(ControllerContext context) {
        return context instanceof Owner owner ? owner.memories() : new KeyMemories();
    }

    /** One more thing to remember. Whoever asks for it fills it, and takes out what is over. */
    public <V> Map<Request, V> part() {
        return part((key, value) -> {});
    }

    /**
     * As the other one.
     *
     * @param forgotten told of what is forgotten here, as part of taking it out; must not use the part
     */
    public <V> Map<Request, V> part(BiConsumer<Request, V> forgotten) {
        Map<Request, V> values = new ConcurrentHashMap<>();
        parts.add(new Part<>(values, forgotten));
        return values;
    }

    /** Forgets a key, whose object is gone or another one. */
    public void forget(Request key) {
        parts.forEach(part -> part.forget(key));
    }

    /** Forgets some keys: those of a shard that is closed, or all once the controller has stopped. */
    public void forget(Predicate<Request> keys) {
        parts.forEach(part -> part.values().keySet().stream().filter(keys).forEach(part::forget));
    }

    /** How many things are remembered of all keys. */
    int size() {
        return parts.stream().mapToInt(part -> part.values().size()).sum();
    }
}
