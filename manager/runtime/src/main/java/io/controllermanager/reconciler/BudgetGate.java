package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.internal.KeyMemories;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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
    private final SlotWaiters waiters;
    private final Lister<T> own;
    private final ResourceClient<T> client;

    BudgetGate(
            Budget<T> budget, ControllerContext context, ControllerDescription<T> description, KeyMemories memories) {
        this.budget = budget;
        this.indexes = description.indexes;
        this.store = new SlotStore(context, budget.index.name());
        this.waiters = new SlotWaiters(memories);
        this.own = context.informer(description.type).lister();
        this.client = new ResourceClient<>(context.apiClient(), description.type);
        budget.gate = this;
        store.onChange(this::changed);
    }

    /**
     * A child of the object that is there is about to be changed or deleted.
     *
     * @throws WaitsForSlotException if it may not be now; the object is brought in again once it may
     */
    void enter(T object) throws ApiException {
        if (Budget.isLeaving(object)) {
            return;
        }
        Request key = Keys.of(object);
        for (String value : new TreeSet<>(budget.index.values().apply(object))) {
            waiters.add(key, value);
            store.change(store.cached(value), slots -> entered(slots, object));
            waiters.remove(key);
        }
    }

    private Slots entered(Slots slots, T object) throws ApiException {
        Slots.Answer answer = slots.ask(uid(object), notReady(slots.value()), budget.most);
        if (answer != Slots.Answer.WAIT) {
            return answer == Slots.Answer.PASS ? slots : slots.with(uid(object), Keys.shown(Keys.of(object)));
        }
        Set<String> stale = stale(slots, slots.holders().keySet());
        if (stale.isEmpty()) {
            throw new WaitsForSlotException(reason(slots));
        }
        // Also if the object has to wait all the same: else nobody would be woken for those slots.
        store.change(slots, current -> current.without(stale));
        return entered(slots.without(stale), object);
    }

    /**
     * A reconcile of an object is over, and its status is written.
     *
     * @param ready whether all is done
     */
    void leave(T object, boolean ready) throws ApiException {
        Request key = Keys.of(object);
        for (Slots held : store.heldBy(Keys.shown(key))) {
            Set<String> over = held.uidsOf(Keys.shown(key));
            if (!ready && isEntitled(object, held.value(), uid(object))) {
                over.remove(uid(object));
            }
            store.change(held, slots -> slots.without(over));
        }
        String waitedFor = ready ? waiters.remove(key) : null;
        if (waitedFor != null) {
            // It was woken for a slot that it does not need.
            budget.woken.send(Set.copyOf(next(waitedFor)));
        }
    }

    /** No object has the key here. */
    void gone(Request key) throws ApiException {
        for (Slots held : store.heldBy(Keys.shown(key))) {
            Set<String> stale = stale(held, held.uidsOf(Keys.shown(key)));
            store.change(held, slots -> slots.without(stale));
        }
    }

    /** Who is to be brought in of those that wait for a slot of the value. */
    List<Request> next(String value) {
        return waiters.next(value, () -> store.cached(value).free(notReady(value), budget.most));
    }

    private void changed(Slots before, Slots after) {
        Set<Request> keys = new HashSet<>(next(after.value()));
        // Who has taken a slot comes once more: the process may have ended, or its cache been behind when all was done.
        after.without(before.holders().keySet()).holders().values().forEach(key -> keys.add(Keys.parse(key)));
        budget.woken.send(keys);
    }

    /** Those of the uids whose objects have no right to a slot. The API server is asked before one is taken away. */
    private Set<String> stale(Slots slots, Set<String> uids) throws ApiException {
        Set<String> stale = new HashSet<>();
        for (String uid : uids) {
            String key = String.valueOf(slots.holders().get(uid));
            Request parsed = Keys.parse(key);
            if (!isEntitled(own.get(key), slots.value(), uid)
                    && !isEntitled(client.get(parsed.getNamespace(), parsed.getName()), slots.value(), uid)) {
                stale.add(uid);
            }
        }
        return stale;
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
                .toList();
        String named = others.stream().limit(NAMED).collect(Collectors.joining(", "));
        return "waits for one of %d slots of \"%s\", which %s lists"
                        .formatted(budget.most, slots.value(), store.shown(slots.value()))
                + (others.isEmpty() ? "" : "; others that are not ready: " + named)
                + (others.size() > NAMED ? " and " + (others.size() - NAMED) + " more" : "");
    }

    private static String uid(KubernetesObject object) {
        return String.valueOf(object.getMetadata().getUid());
    }
}
