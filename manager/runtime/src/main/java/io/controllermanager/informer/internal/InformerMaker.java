package io.controllermanager.informer.internal;

import com.google.gson.TypeAdapter;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.partition.Partitions;
import io.controllermanager.informer.internal.partition.PlannedPartitions;
import io.controllermanager.informer.internal.partition.Portion;
import io.controllermanager.informer.internal.partition.ShardPartitions;
import io.controllermanager.informer.internal.partition.ShardSelectorProbe;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.informer.internal.reflector.CollectionRequest;
import io.controllermanager.informer.internal.reflector.DefaultTransform;
import io.controllermanager.informer.internal.reflector.HttpListWatch;
import io.controllermanager.informer.internal.reflector.ListWatch;
import io.controllermanager.informer.internal.reflector.ObjectReader;
import io.controllermanager.informer.internal.reflector.SharedStrings;
import io.controllermanager.informer.internal.store.MutationDetector;
import io.controllermanager.informer.internal.store.SelectedObjects;
import io.controllermanager.informer.internal.store.WriteAnswers;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import okhttp3.HttpUrl;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/** Makes informers, one at each call, and starts none. Safe for use by several threads. */
final class InformerMaker {

    /** The media type of metadata alone, of one object or of a list. */
    private static final String METADATA =
            "application/json;as=PartialObjectMetadata%s;g=meta.k8s.io;v=v1,application/json";

    private final ApiConnection connection;
    private final ApiRequests requests;
    private final ApiDiscovery discovery;
    private final Clock clock;
    private final Timer timer;
    private final InformerOptions options;
    private final SharedStrings strings = new SharedStrings();
    private final ShardSelectorProbe probe;

    /**
     * What an informer is of.
     *
     * @param label for status and messages: the type's qualified name and version
     * @param name for threads: the type's qualified name
     * @param objectClass the objects' class
     * @param selection null for an informer that was asked for in another way; of one shard for one that is held whole
     * @param namespaces the namespaces, empty for all
     */
    record Identity<T extends KubernetesObject>(
            String label,
            String name,
            Class<T> objectClass,
            @Nullable ShardedSelection<T> selection,
            Set<String> namespaces) {}

    InformerMaker(ApiConnection connection, ApiDiscovery discovery, Clock clock, Timer timer, InformerOptions options) {
        this.connection = connection;
        this.requests = new ApiRequests(connection.apiClient());
        this.probe = new ShardSelectorProbe(requests, clock, timer);
        this.discovery = discovery;
        this.clock = clock;
        this.timer = timer;
        this.options = options;
    }

    /** Ends what this has under way; informers go on. */
    void close() {
        probe.close();
    }

    /** An informer of a selection, held whole unless it is divided, in these namespaces; empty for all. */
    <T extends KubernetesObject> ListWatchInformer<T> make(ShardedSelection<T> sharded, Set<String> namespaces) {
        Selection<T> selection = sharded.selection();
        ResourceType<T> type = selection.type();
        UnaryOperator<T> transform = selection.transform();
        UnaryOperator<T> whole = defaultTransform(type.objectClass(), type);
        UnaryOperator<T> reduced = transform == null
                ? whole
                : then(whole, sharded.shards().divide() ? keepingOwners(transform) : transform);
        return overHttp(
                new Identity<>(selection.toString(), type.qualifiedName(), type.objectClass(), sharded, namespaces),
                answers(selection, namespaces, reduced),
                reduced,
                portion -> new SelectionRequest(requests, selection, portion));
    }

    /** Owners tell the shard of an object. */
    private static <T extends KubernetesObject> UnaryOperator<T> keepingOwners(UnaryOperator<T> transform) {
        return object -> {
            List<V1OwnerReference> owners = object.getMetadata().getOwnerReferences();
            T less = transform.apply(object);
            less.getMetadata().setOwnerReferences(owners);
            return less;
        };
    }

    /** Reads what this process writes; null if it cannot be told what the selection holds. */
    private <T extends KubernetesObject> @Nullable WriteAnswers<T> answers(
            Selection<T> selection, Set<String> namespaces, UnaryOperator<T> reduced) {
        ResourceType<T> type = selection.type();
        SelectedObjects selected = SelectedObjects.of(selection.labelSelector(), selection.fieldSelector());
        return selected == null
                ? null
                : new WriteAnswers<>(
                        type.group(),
                        type.version(),
                        type.plural(),
                        type.kind(),
                        namespaces,
                        selected,
                        adapter(type.objectClass()),
                        reduced);
    }

    /** The request for what a selection asks for. */
    private record SelectionRequest(ApiRequests requests, Selection<?> selection, Portion portion)
            implements CollectionRequest {

        @Override
        public Request request(boolean watch, String resourceVersion) throws ApiException {
            List<Pair> query = new ArrayList<>();
            if (!selection.labelSelector().isEmpty()) {
                query.add(new Pair("labelSelector", selection.labelSelector()));
            }
            if (!selection.fieldSelector().isEmpty()) {
                query.add(new Pair("fieldSelector", selection.fieldSelector()));
            }
            if (portion.shardSelector() != null) {
                query.add(new Pair("shardSelector", portion.shardSelector()));
            }
            return requests.request("GET", selection.type().path(portion.namespace()), query, null, null);
        }

        @Override
        public String accept(boolean watch) {
            return selection.type().objectClass() == PartialObjectMetadata.class
                    ? METADATA.formatted(watch ? "" : "List")
                    : CollectionRequest.super.accept(watch);
        }
    }

    /** An informer of what requests ask for; see {@link InformerFactory#informer(Class, ResourceType, Set, Function)}. */
    <T extends KubernetesObject> ListWatchInformer<T> make(
            Class<T> objectClass,
            @Nullable ResourceType<T> type,
            Set<String> namespaces,
            Function<@Nullable String, CollectionRequest> requestIn) {
        HttpUrl url = requestIn.apply(null).url();
        ResourcePath path = url == null ? null : requests.path(url);
        SelectedObjects selected = url == null || path == null || path.name() != null ? null : SelectedObjects.of(url);
        String name = path == null ? objectClass.getSimpleName() : path.type().qualifiedName();
        UnaryOperator<T> transform = defaultTransform(objectClass, type);
        return overHttp(
                new Identity<>(
                        path == null ? objectClass.getName() : name + "/" + path.version(),
                        name,
                        objectClass,
                        null,
                        namespaces),
                path == null || selected == null
                        ? null
                        : new WriteAnswers<>(
                                path.group(),
                                path.version(),
                                path.plural(),
                                type == null ? null : type.kind(),
                                path.namespace() == null ? namespaces : Set.of(path.namespace()),
                                selected,
                                adapter(objectClass),
                                transform),
                transform,
                portion -> requestIn.apply(portion.namespace()));
    }

    private <T extends KubernetesObject> ListWatchInformer<T> overHttp(
            Identity<T> identity,
            @Nullable WriteAnswers<T> answers,
            UnaryOperator<T> first,
            Function<Portion, CollectionRequest> requestFor) {
        return make(
                identity,
                answers,
                (portion, second) -> new HttpListWatch<>(
                        requests,
                        discovery,
                        requestFor.apply(portion),
                        new ObjectReader<>(
                                adapter(identity.objectClass()), then(first, second), portion.target(identity.name())),
                        options.pageSize(),
                        options.watchListFirst()));
    }

    /** An informer of a caller's own source; see {@link InformerFactory#informer(Class, ResourceType, String, Function)}. */
    <T extends KubernetesObject> ListWatchInformer<T> make(
            Class<T> objectClass,
            @Nullable ResourceType<T> type,
            @Nullable String namespace,
            Function<UnaryOperator<T>, ListWatch<T>> source) {
        UnaryOperator<T> first = defaultTransform(objectClass, type);
        return make(
                new Identity<>(
                        objectClass.getName(),
                        objectClass.getSimpleName(),
                        objectClass,
                        null,
                        namespace == null ? Set.of() : Set.of(namespace)),
                null,
                (portion, second) -> source.apply(then(first, second)));
    }

    private <T extends KubernetesObject> ListWatchInformer<T> make(
            Identity<T> identity,
            @Nullable WriteAnswers<T> answers,
            BiFunction<Portion, UnaryOperator<T>, ListWatch<T>> sources) {
        return new ListWatchInformer<>(
                identity,
                sources,
                options.readOwnWrites() ? answers : null,
                options.detectMutations() ? new MutationDetector(identity.label()) : null,
                connection.monitor(),
                clock,
                timer,
                Objects.requireNonNullElseGet(connection.meterRegistry(), CompositeMeterRegistry::new),
                parts -> partitions(identity, parts));
    }

    private <T extends KubernetesObject> Partitions<T> partitions(Identity<T> identity, Partitions.Parts<T> parts) {
        if (connection.plan() != null) {
            return new PlannedPartitions<>(identity.namespaces(), parts);
        }
        ShardedSelection<T> sharded = identity.selection();
        if (sharded == null || !sharded.shards().divide()) {
            return new Partitions<>(identity.namespaces(), parts);
        }
        ShardPartitions.ServerFilter filter = (namespace, told) ->
                probe.ask(new SelectionRequest(requests, sharded.selection(), Portion.of(namespace)), told);
        return new ShardPartitions<>(sharded, identity.namespaces(), parts, filter);
    }

    private <T extends KubernetesObject> UnaryOperator<T> defaultTransform(
            Class<T> objectClass, @Nullable ResourceType<T> type) {
        return new DefaultTransform<>(objectClass, type, options.dropManagedFields(), strings);
    }

    private <T> TypeAdapter<T> adapter(Class<T> objectClass) {
        return options.dropManagedFields()
                ? ApiJson.adapterWithoutManagedFields(objectClass)
                : ApiJson.adapter(objectClass);
    }

    private static <T> UnaryOperator<T> then(UnaryOperator<T> first, UnaryOperator<T> second) {
        return object -> second.apply(first.apply(object));
    }
}
