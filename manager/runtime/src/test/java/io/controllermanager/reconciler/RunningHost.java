package io.controllermanager.reconciler;

import static org.awaitility.Awaitility.await;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.manager.internal.Cluster;
import io.controllermanager.manager.internal.ControllerManager;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.manager.internal.ControllerState;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.manager.internal.HostParts;
import io.controllermanager.manager.internal.Leadership;
import io.controllermanager.recorder.internal.EventBroadcaster;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiClient;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A process with one controller, for one namespace, that keeps a list of its writes. */
final class RunningHost implements AutoCloseable {

    private final List<String> writes = new CopyOnWriteArrayList<>();
    private final SystemTimer timer = new SystemTimer("timer");
    private final ApiConnection connection;
    private final InformerFactory informers;
    private final EventBroadcaster events;
    private final ControllerManager manager;
    private final String name;

    RunningHost(ApiClient client, String namespace, ControllerDescriptor controller) {
        this(client, namespace, Set.of(namespace), controller, Clock.system(), null);
    }

    /** For all namespaces; the writes in one are listed. */
    static RunningHost everywhere(ApiClient client, String namespace, ControllerDescriptor controller) {
        return new RunningHost(client, namespace, Set.of(), controller, Clock.system(), null);
    }

    /** With retries that come when the test moves the time. */
    RunningHost(ApiClient client, String namespace, ControllerDescriptor controller, VirtualTime time) {
        this(client, namespace, Set.of(namespace), controller, time, time);
    }

    private RunningHost(
            ApiClient client,
            String namespace,
            Set<String> namespaces,
            ControllerDescriptor controller,
            Clock clock,
            @Nullable Timer retries) {
        name = controller.name();
        client.setHttpClient(client.getHttpClient()
                .newBuilder()
                .addInterceptor(chain -> {
                    String method = chain.request().method();
                    List<String> path = chain.request().url().pathSegments();
                    if (!method.equals("GET") && path.contains(namespace)) {
                        writes.add(method + " "
                                + String.join("/", path.subList(path.indexOf(namespace) + 1, path.size())));
                    }
                    return chain.proceed(chain.request());
                })
                .build());
        connection =
                ApiConnection.builder(Clock.system(), timer).apiClient(client).build();
        informers = new InformerFactory(
                connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(namespaces));
        events = new EventBroadcaster(connection.apiClient(), Clock.system(), "test");
        manager = new ControllerManager(HostParts.of(
                Leadership.always(connection.apiClient()),
                new Cluster(informers, connection.monitor()),
                List.of(ControllerRegistration.of(controller)),
                events::recorder,
                clock,
                retries == null ? timer : retries));
        manager.start();
    }

    /** What was written since the last call, such as {@code PATCH gadgets/a/status}, sorted. */
    List<String> writes() {
        List<String> sorted = writes.stream().sorted().toList();
        writes.clear();
        return sorted;
    }

    ControllerStatus status() {
        return manager.controllers().get(0);
    }

    /** Has an object reconciled, as a resync does. */
    void reconcile(Request key) {
        manager.reconcileNow(name, key);
    }

    /** Waits until at least so many reconciles have ended and there is nothing left to do. */
    void awaitIdle(long reconciles) {
        await().until(() -> {
            ControllerStatus status = status();
            return status.state() == ControllerState.RUNNING
                    && status.reconciles() >= reconciles
                    && status.queueDepth() + status.activeWorkers() + status.delayed() == 0;
        });
    }

    /** Waits until all caches have a version, and what came up to it has been queued; for a host with one type. */
    void awaitSeen(String version) {
        long newest = ResourceVersions.number(version);
        await().until(() -> informers.statuses().stream()
                .allMatch(informer -> informer.reflectors().stream()
                                .allMatch(reflector -> ResourceVersions.number(reflector.resourceVersion()) >= newest)
                        && informer.handlers().stream()
                                .allMatch(handler -> handler.lag().isZero())));
    }

    @Override
    public void close() {
        manager.stop();
        events.close();
        informers.close();
        connection.close();
        timer.close();
    }
}
