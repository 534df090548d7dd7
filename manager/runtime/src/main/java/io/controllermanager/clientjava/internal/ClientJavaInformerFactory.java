package io.controllermanager.clientjava.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.request.Permission;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.reflector.CollectionRequest;
import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ListerWatcher;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.util.CallGenerator;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Namespaces;
import io.kubernetes.client.util.Watchable;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.options.ListOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.function.BiConsumer;
import java.util.function.Function;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * client-java's factory as far as callers can see, over an {@link InformerFactory}: nothing of client-java's runs.
 *
 * <p>An informer asked for in one of client-java's ways is the shared one wherever it can be told that the same objects
 * are meant: by the URL that a {@link CallGenerator} or {@link GenericKubernetesApi} makes, and by the class. A caller's own
 * {@link ListerWatcher}, a subclass of {@link GenericKubernetesApi} or one through another client than the host's makes an
 * informer of its own, which lists and watches plainly.
 *
 * <p>All informers returned are {@link HostInformer}s. Safe for use by several threads.
 */
public final class ClientJavaInformerFactory extends SharedInformerFactory {

    private static final Logger log = LoggerFactory.getLogger(ClientJavaInformerFactory.class);

    private final ApiConnection connection;
    private final ApiRequests requests;
    private final InformerFactory factory;

    @GuardedBy("this")
    private final Map<Asked, HostInformer<?>> byUrl = new HashMap<>();

    /** What is asked for, where the type is not known. */
    private record Asked(Class<?> objectClass, HttpUrl url, Set<String> namespaces) {}

    /**
     * Makes no informer.
     *
     * @param factory has the informers
     * @param connection the factory's
     */
    public ClientJavaInformerFactory(InformerFactory factory, ApiConnection connection) {
        // client-java's constructor insists on a client without a read timeout. Nothing is sent through it, nor run in
        // the pool.
        super(
                new ApiClient(connection
                        .apiClient()
                        .getHttpClient()
                        .newBuilder()
                        .readTimeout(Duration.ZERO)
                        .build()),
                ForkJoinPool.commonPool(),
                true);
        this.connection = connection;
        this.requests = new ApiRequests(connection.apiClient());
        this.factory = factory;
    }

    // client-java's shorter variants call these three.

    @Override
    public synchronized <A extends KubernetesObject, L extends KubernetesListObject>
            SharedIndexInformer<A> sharedIndexInformerFor(
                    CallGenerator callGenerator,
                    Class<A> apiTypeClass,
                    Class<L> apiListTypeClass,
                    long resyncPeriodInMillis,
                    @Nullable BiConsumer<Class<A>, Throwable> exceptionHandler) {
        CollectionRequest request = (watch, version) -> callGenerator
                .generate(new CallGeneratorParams(watch, version, null))
                .request();
        HttpUrl url = request.url();
        ResourcePath path = url == null ? null : requests.path(url);
        ResourceType<A> type = path == null || path.name() != null ? null : typeOf(apiTypeClass, path);
        HostInformer<A> informer = url != null && path != null && type != null && CollectionRequest.isForAll(url)
                ? shared(type, path.namespace())
                : byUrl(apiTypeClass, type, url, Set.of(), namespace -> request);
        return configured(apiTypeClass, informer, resyncPeriodInMillis, exceptionHandler);
    }

    @Override
    public synchronized <A extends KubernetesObject, L extends KubernetesListObject>
            SharedIndexInformer<A> sharedIndexInformerFor(
                    ListerWatcher<A, L> listerWatcher,
                    Class<A> apiTypeClass,
                    long resyncPeriodInMillis,
                    @Nullable BiConsumer<Class<A>, Throwable> exceptionHandler) {
        return configured(
                apiTypeClass,
                plain(listerWatcher, apiTypeClass, factory.typeOf(apiTypeClass), null, null),
                resyncPeriodInMillis,
                exceptionHandler);
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
        ResourceType<A> type = target == null ? factory.typeOf(apiTypeClass) : typeOf(apiTypeClass, target.resource());
        HostInformer<A> informer;
        if (target == null || !connection.owns(target.client())) {
            // In a way of its own, or through a client that may lead to another cluster.
            informer = plain(
                    new GenericListerWatcher<>(genericKubernetesApi, only),
                    apiTypeClass,
                    type,
                    target == null ? null : target.resource().type().qualifiedName(),
                    only);
        } else if (type != null) {
            informer = shared(type, only);
        } else {
            Function<@Nullable String, CollectionRequest> requestIn = each -> (watch, version) -> requests.request(
                    "GET", target.resource().type().path(each == null ? only : each), List.of(), null, null);
            informer = byUrl(
                    apiTypeClass,
                    null,
                    requestIn.apply(null).url(),
                    only == null ? namespacesFor(target.resource()) : Set.of(),
                    requestIn);
        }
        return configured(apiTypeClass, informer, resyncPeriodInMillis, exceptionHandler);
    }

    private <A extends KubernetesObject> @Nullable ResourceType<A> typeOf(Class<A> apiTypeClass, ResourcePath path) {
        ResourceType<A> type = factory.typeOf(apiTypeClass);
        return type != null && path.isOf(type) ? type : null;
    }

    /** The informer that all share; namespace null for those that the factory is set to. */
    private <A extends KubernetesObject> HostInformer<A> shared(ResourceType<A> type, @Nullable String namespace) {
        Selection<A> selection = Selection.of(type);
        return factory.informer(namespace == null ? selection : selection.inNamespaces(Set.of(namespace)));
    }

    /** The informer of requests, where the type is not known or which ask for some objects only. */
    @GuardedBy("this")
    @SuppressWarnings("unchecked") // the class is part of the key
    private <A extends KubernetesObject> HostInformer<A> byUrl(
            Class<A> apiTypeClass,
            @Nullable ResourceType<A> type,
            @Nullable HttpUrl url,
            Set<String> namespaces,
            Function<@Nullable String, CollectionRequest> requestIn) {
        Asked asked = url == null ? null : new Asked(apiTypeClass, url, namespaces);
        HostInformer<A> existing = asked == null ? null : (HostInformer<A>) byUrl.get(asked);
        if (existing != null) {
            return existing;
        }
        HostInformer<A> made = factory.informer(apiTypeClass, type, namespaces, requestIn);
        if (asked != null) {
            byUrl.put(asked, made);
        }
        return made;
    }

    /**
     * An informer that lists and watches as the caller does.
     *
     * @param resource with its group; null if only the caller knows
     * @param only the namespace; null for all, or if only the caller knows
     */
    private <A extends KubernetesObject, L extends KubernetesListObject> HostInformer<A> plain(
            ListerWatcher<A, L> listerWatcher,
            Class<A> apiTypeClass,
            @Nullable ResourceType<A> type,
            @Nullable String resource,
            @Nullable String only) {
        Permission known = resource == null ? null : new Permission("list", resource, only);
        return factory.informer(
                apiTypeClass,
                type,
                only,
                transform -> new CallerListWatch<>(listerWatcher, transform, apiTypeClass.getSimpleName(), known));
    }

    /** The namespaces to ask one by one for a type of which it is not known whether it has any. */
    private Set<String> namespacesFor(ResourcePath resource) {
        Set<String> configured = factory.options().namespaces();
        return configured.isEmpty() || isOfCluster(resource) ? Set.of() : configured;
    }

    /** By a type that somebody has declared, or by what the API server says; where neither can tell, it is not. */
    private boolean isOfCluster(ResourcePath resource) {
        String name = resource.type().qualifiedName();
        try {
            ResourceType<?> declared = factory.typeOf(resource);
            ResourceType<?> type = declared != null
                    ? declared
                    : factory.discovery().dynamicType(resource.group(), resource.version(), resource.plural());
            return type != null && type.scope() == ResourceType.Scope.CLUSTER;
        } catch (ApiException e) {
            log.atInfo()
                    .addKeyValue("resource", name)
                    .addKeyValue("cause", FailureMessage.of(e))
                    .log(
                            "Informer of {}: watches the configured namespaces, since it cannot be told whether the type has any: {}",
                            name,
                            FailureMessage.of(e));
            return false;
        }
    }

    private record GenericListerWatcher<A extends KubernetesObject, L extends KubernetesListObject>(
            GenericKubernetesApi<A, L> api, @Nullable String namespace) implements ListerWatcher<A, L> {

        @Override
        public L list(CallGeneratorParams params) throws ApiException {
            ListOptions options = options(params);
            return (namespace == null ? api.list(options) : api.list(namespace, options))
                    .throwsApiException()
                    .getObject();
        }

        @Override
        public Watchable<A> watch(CallGeneratorParams params) throws ApiException {
            ListOptions options = options(params);
            return namespace == null ? api.watch(options) : api.watch(namespace, options);
        }

        private static ListOptions options(CallGeneratorParams params) {
            ListOptions options = new ListOptions();
            options.setResourceVersion(params.resourceVersion);
            options.setTimeoutSeconds(params.timeoutSeconds);
            return options;
        }
    }

    private <A extends KubernetesObject> SharedIndexInformer<A> configured(
            Class<A> apiTypeClass,
            HostInformer<A> informer,
            long resyncPeriodInMillis,
            @Nullable BiConsumer<Class<A>, Throwable> exceptionHandler) {
        informers.putIfAbsent(apiTypeClass, informer);
        factory.configure(informer, Duration.ofMillis(Math.max(0, resyncPeriodInMillis)), exceptionHandler);
        return informer;
    }

    /** The informer first asked for by the class, else the one of its whole objects; null if there is none. */
    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // the keys are the informers' classes; null as client-java has it
    public synchronized <A extends KubernetesObject> SharedIndexInformer<A> getExistingSharedIndexInformer(
            Class<A> apiTypeClass) {
        SharedIndexInformer<A> asked = informers.get(apiTypeClass);
        return asked == null ? factory.existing(apiTypeClass) : asked;
    }

    /** As {@link #getExistingSharedIndexInformer}, made if there is none; null if the class's type is not known. */
    public synchronized <A extends KubernetesObject> @Nullable SharedIndexInformer<A> existingOrMade(
            Class<A> apiTypeClass) {
        SharedIndexInformer<A> existing = getExistingSharedIndexInformer(apiTypeClass);
        ResourceType<A> type = existing == null ? factory.typeOf(apiTypeClass) : null;
        return type == null ? existing : factory.informer(type);
    }

    /** Starts every informer of the host that has not been started; may be called again after more have been made. */
    @Override
    public synchronized void startAllRegisteredInformers() {
        factory.start();
    }

    /** Stops every informer of the host; they stay registered and can be started again. */
    @Override
    public synchronized void stopAllRegisteredInformers(boolean shutdownThreadPool) {
        factory.stop();
    }
}
