package io.controllermanager.informer.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.Registration;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.informer.internal.reflector.CollectionRequest;
import io.controllermanager.informer.internal.reflector.ListWatch;
import io.controllermanager.informer.internal.store.Waiters;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds or makes informers, one per {@link Selection} (type, namespaces, selectors, transform) however many ask for it, and
 * starts and stops them. As controller-runtime's {@code pkg/cache}.
 *
 * <p>Informers can be made, started, stopped and released at any time. Safe for use by several threads.
 */
public final class InformerFactory implements AutoCloseable {

    private final InformerOptions options;
    private final ApiDiscovery discovery;
    private final InformerMaker maker;
    private final Registration ownWrites;
    private final @Nullable Plan plan;
    private final List<ListWatchInformer<?>> all = new CopyOnWriteArrayList<>();

    /** How many hold each informer and may give it back; those who do not give it back count for ever. */
    @GuardedBy("this")
    private final Map<HostInformer<?>, Integer> holders = new HashMap<>();

    /** Makes a factory without informers; no thread, no request. */
    public InformerFactory(ApiConnection connection, Clock clock, Timer timer, InformerOptions options) {
        this.options = options;
        this.plan = connection.plan();
        this.discovery = new ApiDiscovery(connection.apiClient(), clock);
        this.maker = new InformerMaker(connection, discovery, clock, timer, options);
        this.ownWrites = options.readOwnWrites() ? connection.observeWrites(new OwnWriteObserver(all)) : () -> {};
    }

    /** The namespaces of which informers hold objects unless a selection names others, empty for all. */
    public Set<String> namespaces() {
        return options.namespaces();
    }

    /**
     * The informer of a type, made on first use and not started by this; {@link HostInformer#run} starts it. It is kept for
     * as long as the factory, however many others {@link #release} it.
     */
    public <T extends KubernetesObject> HostInformer<T> informer(ResourceType<T> type) {
        return informer(Selection.of(type));
    }

    /**
     * As {@link #informer(ResourceType)}, of some objects of the type only, or of a part of each. Who gives it back calls
     * {@link #release} once for each call of this.
     */
    public <T extends KubernetesObject> HostInformer<T> informer(Selection<T> selection) {
        return acquire(ShardedSelection.whole(selection));
    }

    /**
     * The informer of some shards' objects, made on first use and not started by this, for someone who gives it back: one
     * {@link #release} for each call of this. It holds no shard at first, unless it is held whole.
     */
    @SuppressWarnings("unchecked") // the selection holds the type, and with it the class
    public synchronized <T extends KubernetesObject> HostInformer<T> acquire(ShardedSelection<T> asked) {
        Set<String> given = asked.selection().namespaces();
        boolean inNone = asked.selection().type().scope() == ResourceType.Scope.CLUSTER;
        Set<String> namespaces = inNone ? Set.of() : given == null ? options.namespaces() : given;
        ShardedSelection<T> selection = asked.inNamespaces(namespaces);
        for (ListWatchInformer<?> informer : all) {
            if (selection.equals(informer.selection())) {
                return hold((ListWatchInformer<T>) informer);
            }
        }
        return add(maker.make(selection, namespaces));
    }

    private synchronized <T extends KubernetesObject> HostInformer<T> add(ListWatchInformer<T> made) {
        all.add(made);
        return hold(made);
    }

    @GuardedBy("this")
    private <T extends KubernetesObject> HostInformer<T> hold(ListWatchInformer<T> informer) {
        holders.merge(informer, 1, Integer::sum);
        return informer;
    }

    /**
     * Gives back an informer. It is stopped and forgotten once all who have asked for it have done so, if nobody subscribes
     * to it.
     *
     * @return whether it was stopped
     */
    public synchronized boolean release(HostInformer<?> informer) {
        if (holders.computeIfPresent(informer, (held, count) -> count == 1 ? null : count - 1) != null
                || !(informer instanceof ListWatchInformer<?> made)
                || !all.contains(made)
                || made.hasSubscribers()) {
            return false;
        }
        made.end();
        all.remove(made);
        return true;
    }

    // For those who ask in other ways than by a selection.

    /**
     * A new informer of what requests ask for. It is shared with nobody, and kept for as long as the factory.
     *
     * @param type null if it is not known
     * @param namespaces those to ask for one by one; empty if one request asks for all
     * @param requestIn the request for a namespace, null for the one that asks for all
     */
    public <T extends KubernetesObject> HostInformer<T> informer(
            Class<T> objectClass,
            @Nullable ResourceType<T> type,
            Set<String> namespaces,
            Function<@Nullable String, CollectionRequest> requestIn) {
        return add(maker.make(objectClass, type, namespaces, requestIn));
    }

    /**
     * A new informer of a source of the caller's own. It is shared with nobody, and kept for as long as the factory.
     *
     * @param type null if it is not known
     * @param namespace the only one that the source lists; null for all, or if only the source knows
     * @param source makes the source, given what to do to each object before it is handed on
     */
    public <T extends KubernetesObject> HostInformer<T> informer(
            Class<T> objectClass,
            @Nullable ResourceType<T> type,
            @Nullable String namespace,
            Function<UnaryOperator<T>, ListWatch<T>> source) {
        return add(maker.make(objectClass, type, namespace, source));
    }

    /**
     * The informer of whole objects that was first made for a class, null if there is none. It is kept for as long as the
     * factory.
     */
    @SuppressWarnings("unchecked") // a type's class is its parameter
    public synchronized <T extends KubernetesObject> @Nullable HostInformer<T> existing(Class<T> objectClass) {
        for (ListWatchInformer<?> informer : all) {
            ShardedSelection<?> selection = informer.selection();
            if (selection != null
                    && informer.isHeldWhole()
                    && selection.selection().labelSelector().isEmpty()
                    && selection.selection().fieldSelector().isEmpty()
                    && selection.selection().transform() == null
                    && selection.selection().type().objectClass() == objectClass
                    && !isOfManyTypes(objectClass)) {
                return hold((ListWatchInformer<T>) informer);
            }
        }
        return null;
    }

    /** The type of a class: one that an informer has been made for, or one of Kubernetes' own; null if it is not known. */
    @SuppressWarnings("unchecked") // a type's class is its parameter
    public <T extends KubernetesObject> @Nullable ResourceType<T> typeOf(Class<T> objectClass) {
        return isOfManyTypes(objectClass)
                ? null
                : (ResourceType<T>) types().filter(type -> type.objectClass() == objectClass)
                        .findFirst()
                        .orElseGet(() -> (ResourceType) ResourceTypes.forClass(objectClass));
    }

    /** The type of a path that an informer has been made for, null if there is none. */
    public @Nullable ResourceType<?> typeOf(ResourcePath path) {
        return types().filter(path::isOf).findFirst().orElse(null);
    }

    private Stream<ResourceType<?>> types() {
        return all.stream()
                .flatMap(informer -> Stream.ofNullable(informer.selection()))
                .map(selection -> selection.selection().type());
    }

    /** Classes that say nothing about the type. */
    private static boolean isOfManyTypes(Class<?> objectClass) {
        return objectClass == DynamicKubernetesObject.class || objectClass == PartialObjectMetadata.class;
    }

    /**
     * Sets what an informer does with handlers and errors of which nothing else is said.
     *
     * @param resync the period of handlers that are added without one; zero leaves it as it is
     * @param onError told of each list and watch that fails, beside others; null for nobody
     */
    public <T extends KubernetesObject> void configure(
            HostInformer<T> informer, Duration resync, @Nullable BiConsumer<Class<T>, Throwable> onError) {
        if (informer instanceof ListWatchInformer<T> made) {
            made.configure(resync, onError);
        }
    }

    /** What holds for all informers. */
    public InformerOptions options() {
        return options;
    }

    /** What this process would change, null unless it is a dry run: then informers show what is planned. */
    public @Nullable Plan plan() {
        return plan;
    }

    /** What informers ask while they wait for a type; others who wait share its answers with them. */
    public ApiDiscovery discovery() {
        return discovery;
    }

    // For operators, and for the host.

    /** How all informers are, by resource. */
    public List<InformerStatus> statuses() {
        return all.stream()
                .map(ListWatchInformer::status)
                .sorted(Comparator.comparing(InformerStatus::resource))
                .toList();
    }

    /** What this process has written, of all informers; see {@link HostInformer#writtenVersions}. */
    public Map<String, String> writtenVersions() {
        Map<String, String> versions = new TreeMap<>();
        for (ListWatchInformer<?> informer : all) {
            informer.writtenVersions()
                    .forEach((label, version) -> versions.merge(label, version, InformerFactory::newer));
        }
        return versions;
    }

    private static String newer(String a, String b) {
        return ResourceVersions.number(a) >= ResourceVersions.number(b) ? a : b;
    }

    /** Tells when all informers have come as far as another process had written; see {@link HostInformer#whenPassed}. */
    public Registration whenPassed(Map<String, String> versions, Runnable told) {
        List<Function<Runnable, Registration>> informers = new ArrayList<>();
        all.forEach(informer -> informers.add(one -> informer.whenPassed(versions, one)));
        return Waiters.all(informers, told);
    }

    /** Whether any informer holds an object of this name, whatever its type; namespace null for one that lives in none. */
    public boolean holds(@Nullable String namespace, String name) {
        String key = Keys.shown(namespace, name);
        return all.stream().anyMatch(informer -> informer.getIndexer().getByKey(key) != null);
    }

    /** Starts every informer that has not been started; may be called again after more have been made. */
    public synchronized void start() {
        all.forEach(ListWatchInformer::run);
    }

    /** Stops every informer; they can be started again. */
    public synchronized void stop() {
        all.forEach(ListWatchInformer::stop);
    }

    /** Stops all informers. Those that are started after this do not see own writes before the watch brings them. */
    @Override
    public void close() {
        ownWrites.close();
        maker.close();
        stop();
    }
}
