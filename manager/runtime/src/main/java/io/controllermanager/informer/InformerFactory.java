package io.controllermanager.informer;

import com.google.gson.TypeAdapter;
import io.controllermanager.client.ApiConnection;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.ApiJson;
import io.controllermanager.client.ApiRequests;
import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.Registration;
import io.controllermanager.client.ResourcePath;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.ResourceVersions;
import io.controllermanager.client.WriteObserver;
import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ListerWatcher;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import io.kubernetes.client.util.CallGenerator;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Namespaces;
import io.kubernetes.client.util.Watchable;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import io.kubernetes.client.util.generic.options.ListOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import okhttp3.HttpUrl;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes informers, one per {@link Selection} (type, namespaces, selectors, transform) however many ask for it, and starts and
 * stops them. It is client-java's factory as far as callers can see, on this package's pipeline: nothing of client-java's
 * runs.
 *
 * <p>An informer asked for in one of client-java's ways is the shared one wherever it can be told that the same objects
 * are meant: by the URL that a {@link CallGenerator} or {@link GenericKubernetesApi} makes, and by the class. A caller's own
 * {@link ListerWatcher}, a subclass of {@link GenericKubernetesApi} or one through another client than the host's makes an
 * informer of its own, which lists and watches plainly.
 *
 * <p>Informers can be made, started, stopped and released at any time. Safe for use by several threads.
 */
public final class InformerFactory extends SharedInformerFactory implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(InformerFactory.class);

    private final ApiConnection connection;
    private final ApiRequests requests;
    private final ApiDiscovery discovery;
    private final Clock clock;
    private final Timer timer;
    private final InformerOptions options;
    private final SharedStrings strings = new SharedStrings();
    private final Registration ownWrites;

    // Guarded by this factory, as client-java's own map is.
    private final Map<Selection<?>, ListWatchInformer<?>> shared = new LinkedHashMap<>();
    private final Map<SharedUrl, ListWatchInformer<?>> sharedByUrl = new HashMap<>();
    private final List<ListWatchInformer<?>> all = new CopyOnWriteArrayList<>();
    private final Map<Informer<?>, Integer> holders = new HashMap<>();

    /** Asked for by callers who will not say when they need them no longer. */
    private final Set<Informer<?>> kept = new HashSet<>();

    /** Makes a factory without informers; no thread, no request. */
    public InformerFactory(ApiConnection connection, Clock clock, Timer timer, InformerOptions options) {
        super(withoutReadTimeout(connection.apiClient()), new NoThreads(), true);
        this.connection = connection;
        this.requests = new ApiRequests(connection.apiClient());
        this.discovery = new ApiDiscovery(connection.apiClient(), clock);
        this.clock = clock;
        this.timer = timer;
        this.options = options;
        this.ownWrites = options.readOwnWrites() ? connection.observeWrites(new OwnWriteObserver()) : () -> {};
    }

    /** Finds the informers that a write concerns. */
    private final class OwnWriteObserver implements WriteObserver {

        @Override
        public boolean observes(Request request, ResourcePath path) {
            return !DryRun.isInUrl(request) && all.stream().anyMatch(informer -> informer.concerns(path));
        }

        @Override
        public void written(Request request, ResourcePath path, byte[] answer) {
            if (DryRun.isInOptions(request)) {
                return;
            }
            for (ListWatchInformer<?> informer : all) {
                if (informer.concerns(path)) {
                    try {
                        informer.written(path, request.method(), answer);
                    } catch (RuntimeException e) {
                        // By a transform, say, that does not take this object: a matter of this informer alone.
                        log.atWarn()
                                .setCause(e)
                                .addKeyValue("informer", informer)
                                .log(
                                        "The {} does not see an own write before the watch brings it: {}",
                                        informer,
                                        FailureMessage.of(e));
                    }
                }
            }
        }
    }

    /** What client-java's constructor insists on; nothing is ever sent through it. */
    private static ApiClient withoutReadTimeout(ApiClient client) {
        return client.getReadTimeout() == 0
                ? client
                : new ApiClient(client.getHttpClient()
                        .newBuilder()
                        .readTimeout(Duration.ZERO)
                        .build());
    }

    /**
     * The informer of a type, made on first use and not started by this; {@link Informer#run} starts it. It is kept for
     * as long as the factory, however many others {@link #release} it.
     */
    public <T extends KubernetesObject> Informer<T> informer(ResourceType<T> type) {
        return informer(Selection.of(type));
    }

    /** As {@link #informer(ResourceType)}, of some objects of the type only, or of a part of each. */
    public <T extends KubernetesObject> Informer<T> informer(Selection<T> selection) {
        return kept(shared(selection));
    }

    /**
     * As {@link #informer(ResourceType)}, for someone who gives it back: one {@link #release} for each call of this.
     */
    public <T extends KubernetesObject> Informer<T> acquire(ResourceType<T> type) {
        return acquire(Selection.of(type));
    }

    /** As {@link #informer(Selection)}, for someone who gives it back: one {@link #release} for each call of this. */
    public synchronized <T extends KubernetesObject> Informer<T> acquire(Selection<T> selection) {
        Informer<T> acquired = shared(selection);
        holders.merge(acquired, 1, Integer::sum);
        return acquired;
    }

    private synchronized <A extends KubernetesObject> ListWatchInformer<A> kept(ListWatchInformer<A> informer) {
        kept.add(informer);
        return informer;
    }

    private Set<String> namespacesFor(ResourceType<?> type) {
        return type.scope() == ResourceType.Scope.CLUSTER ? Set.of() : options.namespaces();
    }

    private <T extends KubernetesObject> ListWatchInformer<T> informer(ResourceType<T> type, Set<String> namespaces) {
        return shared(Selection.of(type).inNamespaces(namespaces));
    }

    @SuppressWarnings("unchecked") // the selection holds the type, and with it the class
    private synchronized <T extends KubernetesObject> ListWatchInformer<T> shared(Selection<T> asked) {
        ResourceType<T> type = asked.type();
        Set<String> given = asked.namespaces();
        Set<String> namespaces =
                given == null || type.scope() == ResourceType.Scope.CLUSTER ? namespacesFor(type) : given;
        Selection<T> selection = asked.inNamespaces(namespaces);
        ListWatchInformer<T> existing = (ListWatchInformer<T>) shared.get(selection);
        if (existing != null) {
            return existing;
        }
        UnaryOperator<T> finish = new ObjectFinish<>(type.objectClass(), type, options.dropManagedFields(), strings);
        UnaryOperator<T> keeping = selection.keeping();
        UnaryOperator<T> reduced = keeping == null ? finish : object -> keeping.apply(finish.apply(object));
        SelectedObjects selected = SelectedObjects.of(selection.labelSelector(), selection.fieldSelector());
        ListWatchInformer<T> made = make(
                new ListWatchInformer.Identity<>(
                        selection.toString(), type.qualifiedName(), type.objectClass(), type, namespaces),
                selected == null
                        ? null
                        : new WriteAnswers<>(
                                type.group(),
                                type.version(),
                                type.plural(),
                                type.kind(),
                                namespaces,
                                selected,
                                adapter(type.objectClass()),
                                reduced),
                (namespace, transform) -> new HttpListWatch<>(
                        requests,
                        discovery,
                        new CollectionRequests(requests, selection, namespace),
                        adapter(type.objectClass()),
                        then(reduced, transform),
                        namespace == null ? type.qualifiedName() : type.qualifiedName() + " in " + namespace,
                        options.pageSize(),
                        options.watchListFirst()));
        if (selection.isPlain() && !isOfManyTypes(type.objectClass())) {
            informers.putIfAbsent(type.objectClass(), made);
        }
        shared.put(selection, made);
        return made;
    }

    /** The requests for what a selection asks for. */
    private record CollectionRequests(
            ApiRequests requests,
            Selection<?> selection,
            @Nullable String namespace) implements HttpListWatch.Template {

        @Override
        public Request request(boolean watch, String resourceVersion) throws ApiException {
            List<Pair> query = new ArrayList<>();
            if (!selection.labelSelector().isEmpty()) {
                query.add(new Pair("labelSelector", selection.labelSelector()));
            }
            if (!selection.fieldSelector().isEmpty()) {
                query.add(new Pair("fieldSelector", selection.fieldSelector()));
            }
            return requests.request("GET", selection.type().path(namespace), query, null, null);
        }

        @Override
        public String accept(boolean watch) {
            return selection.type().objectClass() == PartialObjectMetadata.class
                    ? PartialObjectMetadata.ACCEPT.formatted(watch ? "" : "List")
                    : HttpListWatch.Template.super.accept(watch);
        }
    }

    /** Classes that say nothing about the type. */
    private static boolean isOfManyTypes(Class<?> objectClass) {
        return objectClass == DynamicKubernetesObject.class || objectClass == PartialObjectMetadata.class;
    }

    private synchronized <T extends KubernetesObject> ListWatchInformer<T> make(
            ListWatchInformer.Identity<T> identity,
            @Nullable WriteAnswers<T> writeAnswers,
            ListWatchInformer.SourceFactory<T> sources) {
        ListWatchInformer<T> made = new ListWatchInformer<>(
                identity,
                sources,
                options.readOwnWrites() ? writeAnswers : null,
                options.detectMutations() ? new MutationDetector(identity.label()) : null,
                connection.monitor(),
                clock,
                timer,
                connection.meterRegistry());
        all.add(made);
        return made;
    }

    @SuppressWarnings("unchecked") // the class has been compared
    private <T> TypeAdapter<T> adapter(Class<T> objectClass) {
        if (objectClass == DynamicKubernetesObject.class) {
            return (TypeAdapter<T>) new DynamicObjects(options.dropManagedFields());
        }
        return options.dropManagedFields()
                ? ApiJson.adapterWithoutManagedFields(objectClass)
                : ApiJson.adapter(objectClass);
    }

    private static <T> UnaryOperator<T> then(UnaryOperator<T> first, Function<T, T> second) {
        return object -> second.apply(first.apply(object));
    }

    /** What informers ask while they wait for a type; others who wait share its answers with them. */
    public ApiDiscovery discovery() {
        return discovery;
    }

    /** How all informers are, by resource. */
    public synchronized List<InformerStatus> statuses() {
        return all.stream()
                .map(ListWatchInformer::status)
                .sorted(Comparator.comparing(InformerStatus::resource))
                .toList();
    }

    /** What this process has written, of all informers; see {@link Informer#writtenVersions}. */
    public Map<String, String> writtenVersions() {
        Map<String, String> versions = new TreeMap<>();
        for (ListWatchInformer<?> informer : made()) {
            informer.writtenVersions()
                    .forEach((label, version) -> versions.merge(label, version, InformerFactory::newer));
        }
        return versions;
    }

    private static String newer(String a, String b) {
        return ResourceVersions.number(a) >= ResourceVersions.number(b) ? a : b;
    }

    /** Tells when all informers have come as far as another process had written; see {@link Informer#whenPassed}. */
    public Registration whenPassed(Map<String, String> versions, Runnable told) {
        List<Function<Runnable, Registration>> informers = new ArrayList<>();
        made().forEach(informer -> informers.add(one -> informer.whenPassed(versions, one)));
        return Waiters.all(informers, told);
    }

    private synchronized List<ListWatchInformer<?>> made() {
        return List.copyOf(all);
    }

    /** Whether any informer holds an object of this name, whatever its type; namespace null for one that lives in none. */
    public boolean holds(@Nullable String namespace, String name) {
        String key = namespace == null ? name : namespace + "/" + name;
        return made().stream().anyMatch(informer -> informer.getIndexer().getByKey(key) != null);
    }

    /**
     * Gives back an informer that was {@link #acquire acquired}. It is stopped and forgotten once all who acquired it have
     * done so, if nobody subscribes to it and nobody has asked for it in another way.
     *
     * @return whether it was stopped
     */
    public synchronized boolean release(Informer<?> informer) {
        Integer left = holders.computeIfPresent(informer, (held, count) -> count == 1 ? null : count - 1);
        if (left != null
                || !(informer instanceof ListWatchInformer<?> made)
                || !all.contains(made)
                || kept.contains(made)
                || made.hasSubscribers()) {
            return false;
        }
        made.stop();
        all.remove(made);
        shared.values().remove(made);
        informers.values().remove(made);
        return true;
    }

    @Override
    public synchronized <A extends KubernetesObject, L extends KubernetesListObject>
            SharedIndexInformer<A> sharedIndexInformerFor(
                    CallGenerator callGenerator, Class<A> apiTypeClass, Class<L> apiListTypeClass) {
        return sharedIndexInformerFor(callGenerator, apiTypeClass, apiListTypeClass, 0, null);
    }

    @Override
    public synchronized <A extends KubernetesObject, L extends KubernetesListObject>
            SharedIndexInformer<A> sharedIndexInformerFor(
                    CallGenerator callGenerator,
                    Class<A> apiTypeClass,
                    Class<L> apiListTypeClass,
                    long resyncPeriodInMillis) {
        return sharedIndexInformerFor(callGenerator, apiTypeClass, apiListTypeClass, resyncPeriodInMillis, null);
    }

    @Override
    public synchronized <A extends KubernetesObject, L extends KubernetesListObject>
            SharedIndexInformer<A> sharedIndexInformerFor(
                    CallGenerator callGenerator,
                    Class<A> apiTypeClass,
                    Class<L> apiListTypeClass,
                    long resyncPeriodInMillis,
                    @Nullable BiConsumer<Class<A>, Throwable> exceptionHandler) {
        HttpListWatch.Template template = (watch, version) -> callGenerator
                .generate(new CallGeneratorParams(watch, version, null))
                .request();
        HttpUrl url = url(template);
        ResourcePath path = collection(url);
        ResourceType<A> type = knownType(apiTypeClass);
        if (url != null && path != null && type != null && !SelectedObjects.isSpecial(url) && path.isOf(type)) {
            return settled(
                    informer(type, path.namespace() == null ? namespacesFor(type) : Set.of(path.namespace())),
                    resyncPeriodInMillis,
                    exceptionHandler);
        }
        ListWatchInformer<A> made = byUrl(apiTypeClass, url, Set.of(), namespace -> template);
        return settled(made, resyncPeriodInMillis, exceptionHandler);
    }

    /**
     * The informer of what requests ask for, whose type is not known or which ask for some objects only.
     *
     * @param url of all that they ask for
     * @param namespaces those to ask for one by one; empty if one request asks for all
     * @param templates the requests for each of the namespaces, null if there are none
     */
    @SuppressWarnings("unchecked") // the class is part of the key
    private <A extends KubernetesObject> ListWatchInformer<A> byUrl(
            Class<A> apiTypeClass, @Nullable HttpUrl url, Set<String> namespaces, Templates templates) {
        SharedUrl key = url == null ? null : new SharedUrl(apiTypeClass, url, namespaces);
        ListWatchInformer<A> existing = key == null ? null : (ListWatchInformer<A>) sharedByUrl.get(key);
        if (existing != null) {
            return existing;
        }
        ResourcePath path = collection(url);
        ResourceType<A> type = knownType(apiTypeClass);
        String name = path == null ? apiTypeClass.getSimpleName() : path.qualifiedName();
        String label = path == null ? apiTypeClass.getName() : name + "/" + path.version();
        ResourceType<A> sameType = type != null && path != null && path.isOf(type) ? type : null;
        ObjectFinish<A> finish = new ObjectFinish<>(apiTypeClass, sameType, options.dropManagedFields(), strings);
        ListWatchInformer<A> made = make(
                new ListWatchInformer.Identity<>(label, name, apiTypeClass, null, namespaces),
                answers(url, namespaces, sameType, adapter(apiTypeClass), finish),
                (namespace, transform) -> new HttpListWatch<>(
                        requests,
                        discovery,
                        templates.of(namespace),
                        adapter(apiTypeClass),
                        then(finish, transform),
                        namespace == null ? name : name + " in " + namespace,
                        options.pageSize(),
                        options.watchListFirst()));
        if (key != null) {
            sharedByUrl.put(key, made);
        }
        return made;
    }

    /** What is asked for, where the type is not known. */
    private record SharedUrl(Class<?> objectClass, HttpUrl url, Set<String> namespaces) {}

    /** Makes the requests for the objects of a namespace, or of all. */
    @FunctionalInterface
    private interface Templates {
        HttpListWatch.Template of(@Nullable String namespace);
    }

    private static @Nullable HttpUrl url(HttpListWatch.Template template) {
        try {
            return template.request(false, "0").url();
        } catch (ApiException e) {
            // It may work once it is needed; until then nothing is known about it.
            return null;
        }
    }

    private @Nullable ResourcePath collection(@Nullable HttpUrl url) {
        ResourcePath path = url == null ? null : requests.path(url);
        return path == null || path.name() != null ? null : path;
    }

    /** How to tell which writes concern an informer of a URL; null if that cannot be told. */
    private <A extends KubernetesObject> @Nullable WriteAnswers<A> answers(
            @Nullable HttpUrl url,
            Set<String> namespaces,
            @Nullable ResourceType<A> type,
            TypeAdapter<A> adapter,
            UnaryOperator<A> finish) {
        ResourcePath path = collection(url);
        SelectedObjects selected = url == null ? null : SelectedObjects.of(url);
        return path == null || selected == null
                ? null
                : new WriteAnswers<>(
                        path.group(),
                        path.version(),
                        path.plural(),
                        type == null ? null : type.kind(),
                        path.namespace() == null ? namespaces : Set.of(path.namespace()),
                        selected,
                        adapter,
                        finish);
    }

    @Override
    public synchronized <A extends KubernetesObject, L extends KubernetesListObject>
            SharedIndexInformer<A> sharedIndexInformerFor(
                    ListerWatcher<A, L> listerWatcher, Class<A> apiTypeClass, long resyncPeriodInMillis) {
        return sharedIndexInformerFor(listerWatcher, apiTypeClass, resyncPeriodInMillis, null);
    }

    @Override
    public synchronized <A extends KubernetesObject, L extends KubernetesListObject>
            SharedIndexInformer<A> sharedIndexInformerFor(
                    ListerWatcher<A, L> listerWatcher,
                    Class<A> apiTypeClass,
                    long resyncPeriodInMillis,
                    @Nullable BiConsumer<Class<A>, Throwable> exceptionHandler) {
        return settled(
                ownInformer(listerWatcher, apiTypeClass, knownType(apiTypeClass), null, null),
                resyncPeriodInMillis,
                exceptionHandler);
    }

    /**
     * Lists and watches plainly.
     *
     * @param type null if it is not known
     * @param resource with its group; null if only the caller knows
     * @param only the namespace; null for all, or if only the caller knows
     */
    private <A extends KubernetesObject, L extends KubernetesListObject> ListWatchInformer<A> ownInformer(
            ListerWatcher<A, L> listerWatcher,
            Class<A> apiTypeClass,
            @Nullable ResourceType<A> type,
            @Nullable String resource,
            @Nullable String only) {
        String name = apiTypeClass.getSimpleName();
        CallerListWatch.Subject subject = resource == null ? null : new CallerListWatch.Subject(resource, only);
        Set<String> namespaces = only == null ? Set.of() : Set.of(only);
        ObjectFinish<A> finish = new ObjectFinish<>(apiTypeClass, type, options.dropManagedFields(), strings);
        return make(
                new ListWatchInformer.Identity<>(apiTypeClass.getName(), name, apiTypeClass, null, namespaces),
                null,
                (namespace, transform) -> new CallerListWatch<>(listerWatcher, then(finish, transform), name, subject));
    }

    @Override
    public synchronized <A extends KubernetesObject, L extends KubernetesListObject>
            SharedIndexInformer<A> sharedIndexInformerFor(
                    GenericKubernetesApi<A, L> genericKubernetesApi, Class<A> apiTypeClass, long resyncPeriodInMillis) {
        return sharedIndexInformerFor(
                genericKubernetesApi, apiTypeClass, resyncPeriodInMillis, Namespaces.NAMESPACE_ALL, null);
    }

    @Override
    public synchronized <A extends KubernetesObject, L extends KubernetesListObject>
            SharedIndexInformer<A> sharedIndexInformerFor(
                    GenericKubernetesApi<A, L> genericKubernetesApi,
                    Class<A> apiTypeClass,
                    long resyncPeriodInMillis,
                    String namespace) {
        return sharedIndexInformerFor(genericKubernetesApi, apiTypeClass, resyncPeriodInMillis, namespace, null);
    }

    @Override
    public synchronized <A extends KubernetesObject, L extends KubernetesListObject>
            SharedIndexInformer<A> sharedIndexInformerFor(
                    GenericKubernetesApi<A, L> genericKubernetesApi,
                    Class<A> apiTypeClass,
                    long resyncPeriodInMillis,
                    String namespace,
                    @Nullable BiConsumer<Class<A>, Throwable> exceptionHandler) {
        String only = Namespaces.NAMESPACE_ALL.equals(namespace) ? null : namespace;
        GenericApiTarget target = GenericApiTarget.of(genericKubernetesApi);
        ResourceType<A> known = knownType(apiTypeClass);
        ResourceType<A> type =
                known != null && (target == null || target.resource().isOf(known)) ? known : null;
        ListWatchInformer<A> made;
        if (target == null || !connection.owns(target.client())) {
            // In a way of its own, or through a client that may lead to another cluster.
            made = ownInformer(
                    new GenericListerWatcher<>(genericKubernetesApi, namespace),
                    apiTypeClass,
                    type,
                    target == null ? null : target.resource().qualifiedName(),
                    only);
        } else if (type != null) {
            made = informer(type, only == null ? namespacesFor(type) : Set.of(only));
        } else {
            Templates templates = each -> (watch, version) -> requests.request(
                    "GET", target.resource().collection(each == null ? only : each), List.of(), null, null);
            made = byUrl(
                    apiTypeClass,
                    url(templates.of(null)),
                    only == null ? namespacesFor(target.resource()) : Set.of(),
                    templates);
        }
        return settled(made, resyncPeriodInMillis, exceptionHandler);
    }

    /** The namespaces to ask one by one for a type of which it is not known whether it has any. */
    private Set<String> namespacesFor(ResourcePath resource) {
        return options.namespaces().isEmpty() || isOfCluster(resource) ? Set.of() : options.namespaces();
    }

    /** By a type that somebody has declared, or by what the API server says; where neither can tell, it is not. */
    private boolean isOfCluster(ResourcePath resource) {
        for (Selection<?> selection : shared.keySet()) {
            if (resource.isOf(selection.type())) {
                return selection.type().scope() == ResourceType.Scope.CLUSTER;
            }
        }
        try {
            ResourceType<?> served = discovery.dynamicType(resource.group(), resource.version(), resource.plural());
            return served != null && served.scope() == ResourceType.Scope.CLUSTER;
        } catch (ApiException e) {
            log.atInfo()
                    .addKeyValue("resource", resource.qualifiedName())
                    .addKeyValue("cause", FailureMessage.of(e))
                    .log(
                            "Informer of {}: watches the configured namespaces, since it cannot be told whether the type has any: {}",
                            resource.qualifiedName(),
                            FailureMessage.of(e));
            return false;
        }
    }

    private record GenericListerWatcher<A extends KubernetesObject, L extends KubernetesListObject>(
            GenericKubernetesApi<A, L> api, String namespace) implements ListerWatcher<A, L> {

        @Override
        public L list(CallGeneratorParams params) throws ApiException {
            return (Namespaces.NAMESPACE_ALL.equals(namespace)
                            ? api.list(options(params))
                            : api.list(namespace, options(params)))
                    .throwsApiException()
                    .getObject();
        }

        @Override
        public Watchable<A> watch(CallGeneratorParams params) throws ApiException {
            return Namespaces.NAMESPACE_ALL.equals(namespace)
                    ? api.watch(options(params))
                    : api.watch(namespace, options(params));
        }

        private static ListOptions options(CallGeneratorParams params) {
            ListOptions listOptions = new ListOptions();
            listOptions.setResourceVersion(params.resourceVersion);
            listOptions.setTimeoutSeconds(params.timeoutSeconds);
            return listOptions;
        }
    }

    private <A extends KubernetesObject> SharedIndexInformer<A> settled(
            ListWatchInformer<A> informer,
            long resyncPeriodInMillis,
            @Nullable BiConsumer<Class<A>, Throwable> exceptionHandler) {
        informers.putIfAbsent(informer.objectClass(), informer);
        informer.defaultResync(Duration.ofMillis(Math.max(0, resyncPeriodInMillis)));
        informer.onError(exceptionHandler);
        return kept(informer);
    }

    /** The type of a class: one that an informer has been made for, or one of Kubernetes' own. */
    @SuppressWarnings("unchecked") // a type's class is its parameter
    private <A extends KubernetesObject> @Nullable ResourceType<A> knownType(Class<A> objectClass) {
        if (isOfManyTypes(objectClass)) {
            return null;
        }
        for (Selection<?> selection : shared.keySet()) {
            if (selection.type().objectClass() == objectClass) {
                return (ResourceType<A>) selection.type();
            }
        }
        return ResourceTypes.forClass(objectClass);
    }

    /** The informer first made for the class, null if there is none. */
    @Override
    @SuppressWarnings({"unchecked", "NullAway"
    }) // the map's keys are the informers' classes; null as client-java has it
    public synchronized <A extends KubernetesObject> SharedIndexInformer<A> getExistingSharedIndexInformer(
            Class<A> apiTypeClass) {
        SharedIndexInformer<A> existing = informers.get(apiTypeClass);
        if (existing instanceof Informer<?> informer) {
            kept.add(informer);
        }
        return existing;
    }

    /** Starts every informer that has not been started; may be called again after more have been made. */
    @Override
    public synchronized void startAllRegisteredInformers() {
        all.forEach(ListWatchInformer::run);
    }

    /** Stops every informer; they stay registered and can be started again. */
    @Override
    public synchronized void stopAllRegisteredInformers() {
        all.forEach(ListWatchInformer::stop);
    }

    /** As {@link #stopAllRegisteredInformers()}; there is no pool to be shut down. */
    @Override
    public synchronized void stopAllRegisteredInformers(boolean shutdownThreadPool) {
        stopAllRegisteredInformers();
    }

    /** Stops all informers. Those that are started after this do not see own writes before the watch brings them. */
    @Override
    public void close() {
        ownWrites.close();
        stopAllRegisteredInformers();
    }
}
