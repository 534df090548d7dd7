package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.readiness.Readiness;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lets an object be changed that has a slot of each of its values. Slots are taken in the order of the values, so that no two
 * objects wait for each other. An object keeps its slot until a reconcile of it has ended ready: a process that ends at any step
 * leaves the slot to whoever reconciles the object next. The slot of an object that is gone is given back by whoever finds none
 * free.
 *
 * <p>Safe for use by several threads, of which one at a time deals with an object.
 */
final class BudgetGate<T extends KubernetesObject> {

    private static final int NAMED = 3;

    private final Budget<T> budget;
    private final OwnIndexes<T> indexes;
    private final SlotStore store;
    private final Lister<T> own;
    private final ResourceClient<T> client;

    /** Of the keys of this process. */
    private final Map<Request, Wait> waiting;

    private final AtomicLong turns = new AtomicLong();

    /**
     * A key waits.
     *
     * @param value for a slot of this one
     * @param turn the lowest is woken first
     */
    record Wait(String value, long turn) {}

    BudgetGate(
            Budget<T> budget, ControllerContext context, ControllerDescription<T> description, KeyMemories memories) {
        this.budget = budget;
        this.indexes = description.indexes;
        this.store = new SlotStore(context, budget.index.name());
        this.waiting = memories.part();
        this.own = context.informer(description.type).lister();
        this.client = new ResourceClient<>(context.apiClient(), description.type);
        budget.gate = this;
        store.onChange(this::changed);
    }

    /**
     * A child of the object that is there is about to be changed or deleted.
     *
     * @param child how that child is
     * @throws WaitsForSlotException if it may not be now; the object is brought in again once it may
     */
    void enter(T object, Readiness child) throws ApiException {
        // To change what is not ready makes nothing worse, and may mend it.
        if (Budget.isLeaving(object) || !(child.isReady() || budget.isReady(object))) {
            return;
        }
        Request key = Keys.of(object);
        for (String value : new TreeSet<>(budget.index.values().apply(object))) {
            // Before the slots are read for the last time, or a change in between goes unseen.
            waiting.merge(
                    key,
                    new Wait(value, turns.getAndIncrement()),
                    (before, now) -> before.value().equals(value) ? before : now);
            Slots slots = store.change(store.cached(value), current -> entered(current, object));
            if (!slots.has(uid(object))) {
                throw new WaitsForSlotException(reason(slots), child);
            }
            waiting.remove(key);
        }
    }

    private Slots entered(Slots slots, T object) throws ApiException {
        Set<String> notReady = notReady(slots.value());
        String key = Keys.shown(Keys.of(object));
        Slots entered = slots.enter(uid(object), key, notReady, budget.most);
        return entered.has(uid(object))
                ? entered
                : slots.without(over(slots, null, null)).enter(uid(object), key, notReady, budget.most);
    }

    /**
     * A reconcile of an object is over, and its status is written.
     *
     * @param mayBeReady whether its slot is over, if the object is ready by what is written
     */
    void leave(T object, boolean mayBeReady) throws ApiException {
        Request key = Keys.of(object);
        T written = own.get(Keys.shown(key));
        boolean over = written == null || (mayBeReady && budget.isReady(written));
        release(key, over ? uid(object) : null);
        waiting.remove(key);
    }

    /**
     * Gives back the slots of objects that had the key, and have no right to them any more.
     *
     * @param done the uid of the one that needs none, null if there is none
     */
    void release(Request key, @Nullable String done) throws ApiException {
        for (Slots held : store.heldBy(Keys.shown(key))) {
            Set<String> over = over(held, key, done);
            store.change(held, slots -> slots.without(over));
        }
    }

    /** Who is to be brought in of those that wait for a slot of the value. */
    Set<Request> next(String value) {
        // Those that are not ready do not count for each other, and are many where something else has failed.
        int free = waiting.isEmpty() ? 0 : store.cached(value).free(Set.of(), budget.most);
        return free == 0 ? Set.of() : next(waiting, value, free, turns);
    }

    /** Those that have been brought in least recently, so that one that cannot be changed keeps none from it. */
    static Set<Request> next(Map<Request, Wait> waiting, String value, int most, AtomicLong turns) {
        Set<Request> next = waiting.entrySet().stream()
                .filter(entry -> entry.getValue().value().equals(value))
                .sorted(Comparator.comparing(entry -> entry.getValue().turn()))
                .limit(most)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        next.forEach(key -> waiting.computeIfPresent(key, (same, wait) -> new Wait(value, turns.getAndIncrement())));
        return next;
    }

    /** Whether a change of its readiness concerns an object itself: it may have a slot now, or give one back. */
    boolean concerns(Request key) {
        return waiting.containsKey(key) || !store.heldBy(Keys.shown(key)).isEmpty();
    }

    private void changed(Slots before, Slots after) {
        Set<Request> keys = new HashSet<>(next(after.value()));
        // Who has taken a slot comes once more: the process may have ended, or its cache been behind when all was done.
        after.without(before.holders().keySet()).holders().values().forEach(key -> keys.add(Keys.parse(key)));
        budget.woken.send(keys);
    }

    /** The uids, of one key or of all, that are done with their slots. The API server is asked before one is taken away. */
    private Set<String> over(Slots slots, @Nullable Request of, @Nullable String done) throws ApiException {
        Set<String> over = new HashSet<>();
        for (Map.Entry<String, String> holder : slots.holders().entrySet()) {
            String uid = holder.getKey();
            Request key = Keys.parse(holder.getValue());
            if ((of == null || of.equals(key))
                    && (uid.equals(done)
                            || (!isEntitled(own.get(holder.getValue()), slots.value(), uid)
                                    && !isEntitled(
                                            client.get(key.getNamespace(), key.getName()), slots.value(), uid)))) {
                over.add(uid);
            }
        }
        return over;
    }

    private boolean isEntitled(@Nullable T object, String value, String uid) {
        return object != null
                && uid(object).equals(uid)
                && !Budget.isLeaving(object)
                && budget.index.values().apply(object).contains(value);
    }

    private Set<String> notReady(String value) {
        return indexes.find(budget.notReady, value).stream()
                .map(BudgetGate::uid)
                .collect(Collectors.toSet());
    }

    private String reason(Slots slots) {
        List<String> others = indexes.find(budget.notReady, slots.value()).stream()
                .filter(object -> !slots.holders().containsKey(uid(object)))
                .map(object -> Keys.shown(Keys.of(object)))
                .sorted()
                .limit(NAMED)
                .toList();
        return "waits for one of %d slots of \"%s\", which %s lists"
                        .formatted(budget.most, slots.value(), store.shown(slots.value()))
                + (others.isEmpty() ? "" : "; others that are not ready: " + String.join(", ", others));
    }

    private static String uid(KubernetesObject object) {
        return String.valueOf(object.getMetadata().getUid());
    }
}
