package io.controllermanager.reconciler;

import com.google.gson.JsonObject;
import io.controllermanager.client.ApiStatus;
import io.controllermanager.client.Patch;
import io.controllermanager.client.Propagation;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.informer.Selection;
import io.controllermanager.readiness.ObjectReadiness;
import io.controllermanager.readiness.Readiness;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ManagedFieldsEntry;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes children and keeps them as they are wanted, by server-side apply with the controller's name as field manager. An
 * {@link ObjectReconciler} has it in its {@link Reconciliation}; a reconciler of client-java makes one when it is made:
 *
 * <pre>{@code
 * Applier<Foo> applier = Applier.of(context, FOO, List.of(Selection.of(ResourceTypes.DEPLOYMENT)));
 * }</pre>
 *
 * <p>Nothing is sent where nothing differs: each child carries the hash of what was applied last in the annotation {@code
 * applied.controller-manager/<controller>}, and while that is the hash of what is wanted, the wanted fields are compared with
 * the cached child. So a restart and a resync write nothing either, and a field that is wanted no more is taken away even if
 * the controller was replaced meanwhile. (managedFields would tell the same, at the cost of half a cache's memory.) Whoever
 * changes a wanted field has it put right by the next reconcile.
 *
 * <p>Safe for use by several threads, of which one at a time deals with an owner.
 *
 * @param <O> the owners' class
 */
public final class Applier<O extends KubernetesObject> {

    private final ChildLink link;
    private final ResourceClient<O> owners;
    private final List<OwnedType<?>> types;
    private final boolean force;
    private final ChildChanges changed;

    /** Of each owner what was applied last of its children, which spares comparisons and applies that would change nothing. */
    private final Map<Request, Map<String, Applied>> states;

    /**
     * One apply.
     *
     * @param wanted the hash of what was applied
     * @param resourceVersion of the answer
     * @param restores how often storage had been put back before it was sent: versions of before say nothing
     * @param residue in what the answer differs from it all the same: values that the API server, or a webhook, stores
     *     otherwise
     */
    private record Applied(
            String wanted,
            @Nullable String uid,
            @Nullable String resourceVersion,
            long restores,
            Map<String, String> residue) {}

    private Applier(
            ChildLink link,
            ResourceClient<O> owners,
            List<OwnedType<?>> types,
            boolean force,
            ChildChanges changed,
            Map<Request, Map<String, Applied>> states) {
        this.link = link;
        this.owners = owners;
        this.types = types;
        this.force = force;
        this.changed = changed;
        this.states = states;
    }

    /**
     * For the children of a controller's objects.
     *
     * @param ownerType the type that the controller is for
     * @param owned the types of the children, as the controller's description owns them: their caches are read
     */
    public static <O extends KubernetesObject> Applier<O> of(
            ControllerContext context, ResourceType<O> ownerType, Collection<Selection<?>> owned) {
        List<ChildRules<?>> rules =
                owned.stream().<ChildRules<?>>map(ChildRules::of).toList();
        return of(context, ownerType, Map.of(), rules, new KeyMemories());
    }

    /** Remembers among the other things that a controller remembers of its keys. */
    static <O extends KubernetesObject> Applier<O> of(
            ControllerContext context,
            ResourceType<O> ownerType,
            Map<String, String> labels,
            List<ChildRules<?>> rules,
            KeyMemories memories) {
        ChildLink link = new ChildLink(context.name(), ownerType, labels);
        ResourceClient<O> owners = new ResourceClient<>(context.apiClient(), ownerType);
        List<OwnedType<?>> types = rules.stream()
                .<OwnedType<?>>map(one -> new OwnedType<>(context, one, link.ownerType()))
                .toList();
        return new Applier<>(link, owners, types, false, () -> {}, memories.part());
    }

    /** The same, taking fields over from whoever has set them to other values, as Kubernetes advises controllers to do. */
    public Applier<O> force() {
        return new Applier<>(link, owners, types, true, changed, states);
    }

    /** The same with these labels on each child, besides its own, such as those by which the caches select. */
    public Applier<O> labelling(Map<String, String> newLabels) {
        ChildLink labelling = new ChildLink(link.controller(), link.ownerType(), Map.copyOf(newLabels));
        return new Applier<>(labelling, owners, types, force, changed, states);
    }

    /** The same; tells of what it changes. */
    Applier<O> noting(ChildChanges newChanged) {
        return new Applier<>(link, owners, types, force, newChanged, states);
    }

    /**
     * Sees to it that the child is there, as wanted and controlled by its owner.
     *
     * @param wanted each field that the controller has a say in, each time: one that is missing is taken away. Its apiVersion
     *     and kind are filled in, its name is the owner's unless another is given, its namespace is the owner's, and its
     *     status is left out
     * @return the child as it is now: from the cache, not to be changed, if nothing differs; one that is being deleted is left
     *     alone
     * @throws NameTakenException if an object of that name is there that the owner does not control; it is not touched
     * @throws FieldConflictException if others hold fields with other values, unless {@link #force} was asked for
     * @throws ApiException if the API server refuses it
     * @throws IllegalArgumentException if the child's type is not owned, or its labels or namespace are wrong
     */
    public <C extends KubernetesObject> C apply(O owner, C wanted) throws ApiException {
        OwnedType<C> type = typeOf(wanted);
        DesiredState state = DesiredState.of(wanted, type.rules(), owner, link);
        C cached = type.cached(state.namespace(), state.name());
        C present = cached == null ? type.client().get(state.namespace(), state.name()) : cached;
        if (present == null) {
            return send(owner, type, state);
        }
        boolean going = present.getMetadata().getDeletionTimestamp() != null;
        ChildOwnership<O> ownership = ownership();
        C child = going ? ownership.checked(owner, type, present) : ownership.untied(owner, type, present);
        if (going && cached == null) {
            // No event will tell of its end.
            throw new ApiException(409, type.shown(state.namespace(), state.name()) + " is being deleted");
        }
        if (going || isAsWanted(owner, type, state, child)) {
            return child;
        }
        changed.begin(child);
        return send(owner, type, state.of(child.getMetadata().getUid()));
    }

    /**
     * Makes the child if it is not there, and leaves it alone if it is.
     *
     * @return the child as it is now
     * @throws NameTakenException if an object of that name is there that the owner does not control
     * @throws ApiException if the API server refuses it; 409 also if one that was there goes just then
     */
    public <C extends KubernetesObject> C create(O owner, C wanted) throws ApiException {
        OwnedType<C> type = typeOf(wanted);
        DesiredState state = DesiredState.created(wanted, type.rules(), owner, link);
        C present = type.cached(state.namespace(), state.name());
        if (present != null) {
            return ownership().settled(owner, type, present);
        }
        C whole = ApiJson.adapter(type.type().objectClass()).fromJsonTree(state.json());
        try {
            C child = type.client().create(whole);
            changed.done();
            return child;
        } catch (ApiException e) {
            // The cache may be behind.
            if (!ApiStatus.of(e).reason().equals("AlreadyExists")) {
                throw e;
            }
            C there = type.client().get(state.namespace(), state.name());
            if (there == null) {
                throw new ApiException(409, type.shown(state.namespace(), state.name()) + " has gone meanwhile");
            }
            return labelled(type, ownership().settled(owner, type, there));
        }
    }

    private ChildOwnership<O> ownership() {
        return new ChildOwnership<>(link, owners, changed);
    }

    /** One that lacks the labels by which the cache selects would not be seen again. */
    private <C extends KubernetesObject> C labelled(OwnedType<C> type, C there) throws ApiException {
        V1ObjectMeta metadata = there.getMetadata();
        if (link.hasLabels(there)) {
            return there;
        }
        return type.client()
                .patch(
                        metadata.getNamespace(),
                        metadata.getName(),
                        new Patch.Merge(ApiJson.tree(Map.of("metadata", Map.of("labels", link.labels())))
                                .toString()));
    }

    /**
     * The child of that name in the owner's namespace, as the cache has it; null if there is none.
     *
     * @throws NameTakenException if an object of that name is there that the owner does not control, unless the owner is being
     *     deleted
     */
    public <C extends KubernetesObject> @Nullable C child(O owner, ResourceType<C> childType, String name) {
        OwnedType<C> type = typeOf(childType);
        boolean namespaced = type.type().scope() == ResourceType.Scope.NAMESPACED;
        C cached = type.cached(namespaced ? owner.getMetadata().getNamespace() : null, name);
        boolean goes = owner.getMetadata().getDeletionTimestamp() != null;
        // To an owner that goes it makes no difference who has the name.
        boolean foreign = goes && cached != null && type.claim(link, owner, cached) != ChildClaim.OURS;
        return cached == null || foreign ? null : ownership().checked(owner, type, cached);
    }

    /** Whether a child is ready, by {@link ObjectReadiness}. */
    public Readiness ready(KubernetesObject child) {
        return ObjectReadiness.of(typeOf(child).type().qualifiedKind(), child);
    }

    /** The owner's children of a type, as the cache has them, in any order. */
    public <C extends KubernetesObject> List<C> children(O owner, ResourceType<C> childType) {
        return typeOf(childType).childrenOf(link, owner);
    }

    /**
     * Deletes a child. What bears its name and is not the owner's is left alone, and counts as gone.
     *
     * @param child by its type, name and namespace
     * @return whether it is gone. While the owner is being deleted that is the API server's word, else the cache's
     * @throws ApiException if the API server refuses it
     */
    public <C extends KubernetesObject> boolean delete(O owner, C child, Propagation propagation) throws ApiException {
        return deletion().delete(owner, typeOf(child), child, propagation);
    }

    /** Whether {@link #delete} may be called for a child: the controller needs the right to. */
    boolean mayDelete(KubernetesObject child, boolean prunes) {
        return prunes || typeOf(child).isTornDown();
    }

    ChildDeletion<O> deletion() {
        return new ChildDeletion<>(link, types, changed);
    }

    /**
     * Deletes the owner's children that this controller has applied, save those that are still wanted.
     *
     * @param wanted what {@link #apply} was given or has returned
     * @throws ApiException if the API server refuses it
     */
    public void prune(O owner, Collection<? extends KubernetesObject> wanted) throws ApiException {
        prune(owner, wanted.stream().map(child -> key(owner, child)).collect(Collectors.toSet()));
    }

    /** As {@link #prune(KubernetesObject, Collection)}, save those with these keys. */
    void prune(O owner, Set<String> kept) throws ApiException {
        deletion().prune(owner, kept);
        retain(owner, kept);
    }

    /** Forgets an owner that is gone. What is remembered spares comparisons; nothing depends on it. */
    public void forget(Request owner) {
        states.remove(owner);
    }

    /** Remembers of an owner's children those alone that its last reconcile has applied. */
    void retain(O owner, Set<String> applied) {
        states.computeIfPresent(Keys.of(owner), (key, children) -> {
            children.keySet().retainAll(applied);
            return children.isEmpty() ? null : children;
        });
    }

    /** What tells a child from others, as it is now: an author may use the object again for another. */
    String key(O owner, KubernetesObject child) {
        return key(typeOf(child), owner, child);
    }

    /** What the object of a name that was taken is now, by the cache; null if the cache does not have it. */
    @Nullable
    ChildClaim claimOf(O owner, NameTakenException e) {
        KubernetesObject cached = e.type().cached(e.namespace(), e.name());
        return cached == null ? null : e.type().claim(link, owner, cached);
    }

    private <C extends KubernetesObject> boolean isAsWanted(O owner, OwnedType<C> type, DesiredState state, C present) {
        V1ObjectMeta metadata = present.getMetadata();
        Applied last = states.getOrDefault(Keys.of(owner), Map.of()).get(key(type, owner, present));
        if (last != null && !(last.wanted().equals(state.hash()) && Objects.equals(last.uid(), metadata.getUid()))) {
            last = null;
        }
        if (last != null
                && last.resourceVersion() != null
                && last.resourceVersion().equals(metadata.getResourceVersion())
                && last.restores() == type.restores()) {
            return true;
        }
        Map<String, String> differences = Drift.between(state.json(), jsonOf(present, state), type.isBuiltIn());
        // An apply that has left these differences already would leave them again.
        return differences.isEmpty()
                || (last != null && last.residue().entrySet().containsAll(differences.entrySet()));
    }

    private <C extends KubernetesObject> C send(O owner, OwnedType<C> type, DesiredState state) throws ApiException {
        long restores = type.restores();
        C answer = patch(type, state, force);
        changed.done();
        Applied applied = new Applied(
                state.hash(),
                answer.getMetadata().getUid(),
                answer.getMetadata().getResourceVersion(),
                restores,
                Drift.between(state.json(), jsonOf(answer, state), type.isBuiltIn()));
        states.computeIfAbsent(Keys.of(owner), key -> new ConcurrentHashMap<>()).put(key(type, owner, answer), applied);
        return answer;
    }

    private <C extends KubernetesObject> C patch(OwnedType<C> type, DesiredState state, boolean forced)
            throws ApiException {
        String json = state.json().toString();
        try {
            return type.client()
                    .patch(state.namespace(), state.name(), new Patch.Apply(json, link.controller(), forced));
        } catch (ApiException e) {
            FieldConflictException conflict = FieldConflictException.of(e, type.shown(state.namespace(), state.name()));
            if (conflict != null && !isApplied(type.client().get(state.namespace(), state.name()))) {
                return patch(type, state, true);
            }
            throw conflict == null ? e : conflict;
        }
    }

    /**
     * Whether the controller has ever applied a child, so that a conflict is somebody's change. One that was restored from a
     * backup, adopted or only created has its fields from whoever did that.
     */
    private boolean isApplied(@Nullable KubernetesObject child) {
        List<V1ManagedFieldsEntry> managers =
                child == null ? null : child.getMetadata().getManagedFields();
        return managers == null
                || managers.stream()
                        .anyMatch(one ->
                                link.controller().equals(one.getManager()) && "Apply".equals(one.getOperation()));
    }

    /** With apiVersion and kind, which objects in lists lack. */
    private static JsonObject jsonOf(KubernetesObject object, DesiredState state) {
        JsonObject json = ApiJson.tree(object).getAsJsonObject();
        json.add("apiVersion", state.json().get("apiVersion"));
        json.add("kind", state.json().get("kind"));
        return json;
    }

    /** As it is known whether or not the author has given name and namespace. */
    static String key(OwnedType<?> type, KubernetesObject owner, KubernetesObject child) {
        String given = DesiredState.givenNamespace(child);
        boolean namespaced = type.type().scope() == ResourceType.Scope.NAMESPACED;
        String namespace = given == null ? owner.getMetadata().getNamespace() : given;
        return type.type() + " " + Keys.shown(namespaced ? namespace : null, DesiredState.nameOf(child, owner));
    }

    private <C extends KubernetesObject> OwnedType<C> typeOf(C child) {
        return owned("a " + child.getClass().getSimpleName(), type -> type.isOf(child));
    }

    private <C extends KubernetesObject> OwnedType<C> typeOf(ResourceType<C> childType) {
        return owned(childType, type -> type.type().equals(childType));
    }

    @SuppressWarnings("unchecked") // The class is that of the child, or its type.
    private <C extends KubernetesObject> OwnedType<C> owned(Object child, Predicate<OwnedType<?>> is) {
        return (OwnedType<C>) types.stream()
                .filter(is)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        child + " is not owned by the controller " + link.controller() + ": it owns " + types));
    }
}
