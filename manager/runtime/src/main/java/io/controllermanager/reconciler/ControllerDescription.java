package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerDescriptor.ChannelSource;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.EventSource;
import io.controllermanager.controller.PolicyRules;
import io.controllermanager.event.EventChannel;
import io.controllermanager.event.EventPredicate;
import io.controllermanager.event.EventPredicates;
import io.controllermanager.event.RequestMapper;
import io.controllermanager.event.RequestMappers;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.external.External;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link ObjectReconciler} watches and how it runs. The controller's informers, indexes and rights follow from it.
 * Filled in by one thread, by {@link ObjectReconciler#describe}.
 *
 * @param <T> the class of the objects that are reconciled
 */
public final class ControllerDescription<T extends KubernetesObject> {

    final ResourceType<T> type;
    final OwnIndexes<T> indexes;
    final NameClaims claims = new NameClaims();
    final ChildTypes children;
    final List<External<?, ?>> externals = new ArrayList<>();

    @Nullable
    Budget<T> budget;

    String finalizer;
    boolean force;
    boolean status;
    boolean errorCondition;
    boolean schedules;

    @Nullable
    Duration progressDeadline;

    private final String name;
    private final ObjectReconciler<T> reconciler;
    private final List<EventSource<?>> sources = new ArrayList<>();
    private final List<ChannelSource<?>> channels = new ArrayList<>();
    private final List<V1PolicyRule> extraRights = new ArrayList<>();
    private EventPredicate<T> predicate;
    private ControllerOptions options = ControllerOptions.DEFAULTS;

    ControllerDescription(String name, ResourceType<T> type, ObjectReconciler<T> reconciler) {
        this.name = name;
        this.type = type;
        this.reconciler = reconciler;
        this.indexes = new OwnIndexes<>(name);
        this.children = new ChildTypes(name, type);
        this.predicate = OwnEvents::concernsSpec;
        this.finalizer = (type.group().contains(".") ? type.group() : "controller-manager") + "/" + name;
        // Status of Kubernetes' own types is written by Kubernetes' own controllers.
        this.errorCondition = !OwnedType.isBuiltIn(type);
        this.status = errorCondition && DeclaredClass.mayHaveStatus(type.objectClass());
    }

    /**
     * Which events of its own objects bring them in. By default all but updates that leave {@code metadata.generation},
     * labels and annotations (but those of {@link #schedules}) as they were: a status that the controller writes itself would
     * otherwise bring each object in twice. A resync and a deletion always do. Objects without generation come with each update.
     */
    public ControllerDescription<T> when(EventPredicate<T> newPredicate) {
        this.predicate = newPredicate;
        return this;
    }

    /** A type whose objects the controller makes; one of these that changes brings in its owner. */
    public ControllerDescription<T> owns(ResourceType<?> type) {
        return owns(Selection.of(type));
    }

    /**
     * Some objects of a type, or a part of each. What {@link Reconciliation#apply} makes must be among them, and all that it
     * sets be kept. Their owner refers to them as their controller, and the garbage collector deletes them with it, in no order,
     * unless {@link #teardown}, {@link #retained} or {@link #in} follows.
     *
     * @throws IllegalArgumentException if the type is owned already: one selection may name several namespaces and labels
     */
    public <C extends KubernetesObject> ControllerDescription<T> owns(Selection<C> selection) {
        children.add(selection);
        return this;
    }

    /**
     * Of the type that {@link #owns} named last: its objects have no owner reference, so that the garbage collector leaves them
     * while the object's finalizer is there. A {@link Cleaner} deletes them in its order by {@link Reconciliation#delete}; what
     * it has left the controller deletes after it. It needs the right to delete them.
     */
    public ControllerDescription<T> teardown() {
        children.last(rules -> rules.with(ChildRules.End.TORN_DOWN));
        return this;
    }

    /**
     * Of the type that {@link #owns} named last: its objects outlive their owner. Otherwise they are children as all others. A
     * later owner of the same name is {@link Outcome#blocked} by them, unless {@link #adopts} gives them to it.
     */
    public ControllerDescription<T> retained() {
        children.last(rules -> rules.with(ChildRules.End.RETAINED));
        return this;
    }

    /**
     * Of the type that {@link #owns} named last: its objects may live in these namespaces besides their owner's, in any if none
     * is given. They have no owner reference, which could not name an owner in another namespace: the controller's finalizer
     * deletes them. It cannot be said where the host is restricted to some namespaces.
     */
    public ControllerDescription<T> in(String... namespaces) {
        children.last(rules -> rules.in(Set.of(namespaces)));
        return this;
    }

    /**
     * Of the type that {@link #owns} named last: which objects become children though nothing on them shows that this controller
     * made them for their owner, such as those that Helm has installed. They have its child's name, and no controller. What
     * does show it is adopted anyway; see {@link Applier}.
     */
    public ControllerDescription<T> adopts(Predicate<KubernetesObject> which) {
        children.last(rules -> rules.adopting(which));
        return this;
    }

    /** Of the type that {@link #owns} named last: no object without an owner reference becomes a child, whatever it shows. */
    public ControllerDescription<T> adoptsNothing() {
        children.last(rules -> rules.adopting(null));
        return this;
    }

    /**
     * Labels that all children get, besides their own. Caches hold the owned objects that have them, and no others: those that
     * the operator has made rather than all that the cluster has. They are read by {@link Reconciliation#child}. One that has
     * lost the labels gets them at its owner's next reconcile; {@link Reconciliation#pruneOthers} does not see it before.
     */
    public ControllerDescription<T> labels(Map<String, String> labels) {
        children.labels(labels);
        return this;
    }

    /** Any other type, with a function that says which keys its objects concern. */
    public <W extends KubernetesObject> ControllerDescription<T> watches(
            ResourceType<W> watched, RequestMapper<W> mapper) {
        return watches(Selection.of(watched), mapper, EventPredicates.resourceVersionChanged());
    }

    /** As {@link #watches(ResourceType, RequestMapper)}, for some objects and events. */
    public <W extends KubernetesObject> ControllerDescription<T> watches(
            Selection<W> watched, RequestMapper<W> mapper, EventPredicate<W> matters) {
        sources.add(new EventSource<>(watched, mapper, matters));
        return this;
    }

    /** An index of the controller's own objects, for {@link Reconciliation#find(Index, String)}. */
    public ControllerDescription<T> index(Index<T> index) {
        indexes.add(index);
        return this;
    }

    /**
     * An object that changes brings in those that have a value of the index in common with it: one that is created or deleted,
     * or whose generation, labels, annotations or values of the index change. A status does not, nor does a resync: where many
     * objects share a value, the status of each would bring in all others.
     */
    public ControllerDescription<T> peers(Index<T> index) {
        EventPredicate<T> matters = event -> OwnEvents.concernsSpec(event) || OwnEvents.concernsIndex(index, event);
        return peers(index, EventPredicates.<T>resourceVersionChanged().and(matters));
    }

    /** As {@link #peers(Index)}, for a reconciler that looks at other things of its peers, such as their status. */
    public ControllerDescription<T> peers(Index<T> index, EventPredicate<T> matters) {
        indexes.add(index);
        RequestMapper<T> others = object -> {
            Set<Request> keys = indexes.keys(index, index.values().apply(object));
            keys.remove(Keys.of(object));
            return keys;
        };
        return watches(Selection.of(type), others, matters);
    }

    /**
     * Objects of another type that those of the controller name; one of these that changes brings in all that name it.
     *
     * @param referenced gives the name, null for none: in the namespace of the object that names it, or {@code
     *     namespace/name}. Called on the informer's thread: brief, no blocking
     */
    public ControllerDescription<T> references(ResourceType<?> other, Function<T, @Nullable String> referenced) {
        return references(Selection.of(other), referenced);
    }

    /** As {@link #references(ResourceType, Function)}, such as for {@link Selection#metadataOf}. */
    public ControllerDescription<T> references(Selection<?> others, Function<T, @Nullable String> referenced) {
        return referencesMany(others, object -> {
            String found = referenced.apply(object);
            return found == null ? List.of() : List.of(found);
        });
    }

    /** As {@link #references(Selection, Function)}, for objects that name several. */
    public <R extends KubernetesObject> ControllerDescription<T> referencesMany(
            Selection<R> others, Function<T, ? extends Collection<String>> referenced) {
        Index<T> index = new Index<>(
                "references-" + sources.size(),
                object -> referenced.apply(object).stream()
                        .map(found -> key(object, found, others.type()))
                        .toList());
        indexes.add(index);
        return watches(
                others,
                other -> indexes.keys(
                        index, List.of(key(other, other.getMetadata().getName(), others.type()))),
                EventPredicates.resourceVersionChanged());
    }

    /**
     * At most so many objects that have a value of the index in common are not ready at a time because of this controller, over
     * all replicas and shards, as with {@code maxUnavailable}. A change to a child that is there, or its deletion, waits until
     * its object has one of as many slots; to make a child that is missing needs none. One that is not ready for other reasons
     * counts too; to it only slots count. An object that waits stays as it is and says so in the condition {@code Reconciling}.
     *
     * @throws IllegalArgumentException if the status has no conditions, there is a budget already, or {@code most} is not positive
     */
    public ControllerDescription<T> budget(Index<T> index, int most) {
        Budget.checkConditions(name, type);
        return budget(index, most, Budget::saysReady);
    }

    /**
     * As {@link #budget(Index, int)}, with another word for which objects are ready, such as by what their status says.
     *
     * @param ready called on the informer's thread: brief, no blocking
     */
    public ControllerDescription<T> budget(Index<T> index, int most, Predicate<T> ready) {
        budget = new Budget<>(index, most, ready).addTo(this);
        return this;
    }

    /** Allows {@link Reconciliation#scheduled}: the controller needs the right to read and patch its own objects. */
    public ControllerDescription<T> schedules() {
        this.schedules = true;
        return this;
    }

    /** Events from outside Kubernetes, with a function that says which keys each concerns. */
    public <E> ControllerDescription<T> source(EventChannel<E> channel, RequestMapper<E> mapper) {
        channels.add(new ChannelSource<>(channel, mapper));
        return this;
    }

    /**
     * Something outside Kubernetes that the controller keeps, for {@link Reconciliation#external}. Its objects get a finalizer, and
     * an annotation that records what was made. Keep it in the description while there are objects that have some of it. May be a
     * field of the reconciler: it is not looked at before the controller starts.
     */
    public ControllerDescription<T> external(External<?, ?> external) {
        externals.add(external);
        return this;
    }

    /** How the controller runs unless properties say otherwise. */
    public ControllerDescription<T> options(ControllerOptions newOptions) {
        this.options = newOptions;
        return this;
    }

    /**
     * The name of the finalizer, {@code <group>/<controller>} unless given. Objects have one if the reconciler is a {@link
     * Cleaner}, or has something outside, or children that the garbage collector does not delete and that are not to stay.
     */
    public ControllerDescription<T> finalizer(String newFinalizer) {
        this.finalizer = newFinalizer;
        return this;
    }

    /**
     * Has {@link Reconciliation#apply} take fields over from others that have set them to other values, as the Kubernetes
     * documentation advises controllers to do with what they own. Without it that is a {@link FieldConflictException}, so that
     * what somebody changes by hand is reported rather than put right.
     */
    public ControllerDescription<T> force() {
        this.force = true;
        return this;
    }

    /**
     * Allows {@link Reconciliation#pruneOthers} and {@link Reconciliation#delete}: the controller needs the right to delete what
     * it owns.
     */
    public ControllerDescription<T> prunes() {
        children.prunes();
        return this;
    }

    /**
     * Leaves the status alone when a reconcile fails. By default the condition {@code Ready} becomes False then, with the kind
     * of the failure as its reason: the API server's reason, or the exception's class without "Exception". Its message begins
     * with "reconcile failed: ". The next reconcile that succeeds takes it back: {@code Ready} is what that says, or is not
     * there if it says nothing of it. What may pass by itself, such as a conflict or an API server that answers 5xx, is told once
     * the object has failed for 30 seconds. Where the status has no conditions, or there is none, an Event alone tells of it.
     */
    public ControllerDescription<T> withoutErrorCondition() {
        this.errorCondition = false;
        return this;
    }

    /** Says that no status is written at all, and that the right is not needed. So it is for Kubernetes' own types. */
    public ControllerDescription<T> withoutStatus() {
        this.status = false;
        return withoutErrorCondition();
    }

    /**
     * How long an object may be on its way, that is {@link Outcome#progressing}, before that is reported: the reason of the
     * condition {@code Ready} becomes {@code ProgressDeadlineExceeded}, its message goes on saying what is waited for, and a Warning
     * Event tells of it once. The time begins anew when the object's generation changes.
     *
     * @throws IllegalArgumentException unless it is positive
     */
    public ControllerDescription<T> progressDeadline(Duration newDeadline) {
        this.progressDeadline = ProgressDeadline.checked(newDeadline);
        return this;
    }

    /** What the controller may do besides what follows from its description; see {@link PolicyRules}. */
    public ControllerDescription<T> rights(V1PolicyRule... rules) {
        extraRights.addAll(List.of(rules));
        return this;
    }

    /** What the host is given, of a description that changes no more. */
    ControllerDescriptor toDescriptor() {
        List<EventSource<?>> all = new ArrayList<>();
        EventPredicate<T> own = predicate;
        // A deletion always counts: what is remembered of the object is to be forgotten.
        all.add(new EventSource<>(
                Selection.of(type),
                RequestMappers.self(),
                event -> event instanceof ResourceEvent.Deleted<T> || own.test(event),
                EventSource.Relation.PRIMARY));
        children.addSources(all, claims);
        all.addAll(sources);
        Set<Selection<?>> selections = new HashSet<>();
        all.forEach(source -> selections.add(source.selection()));
        return new ControllerDescriptor(
                name,
                all,
                channels,
                context -> new TypedReconciler<>(reconciler, context, this, selections),
                options,
                true,
                furtherRights(),
                budget == null ? List.of() : List.of(Budget.hostRight()));
    }

    /** Whether something is to be done before an object may go. */
    boolean needsFinalizer() {
        return reconciler instanceof Cleaner<?> || children.anyTornDown() || !externals.isEmpty();
    }

    private List<V1PolicyRule> furtherRights() {
        List<V1PolicyRule> rules = new ArrayList<>();
        if (needsFinalizer() || schedules) {
            rules.add(PolicyRules.of(type, "get", "patch"));
        }
        if (status) {
            rules.add(PolicyRules.ofSubresource(type, "status", "patch"));
        }
        rules.addAll(children.rights());
        rules.addAll(extraRights);
        return rules;
    }

    /** {@code namespace/name} of what an object names, or the name of what lives in no namespace. */
    static String key(KubernetesObject from, String name, ResourceType<?> type) {
        return type.scope() == ResourceType.Scope.CLUSTER || name.contains("/")
                ? name
                : Keys.shown(from.getMetadata().getNamespace(), name);
    }
}
