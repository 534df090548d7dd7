package io.controllermanager.testing.controllers;

import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ApiConnection;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.InformerFactory;
import io.controllermanager.informer.InformerOptions;
import io.controllermanager.manager.ControllerManager;
import io.controllermanager.manager.ControllerRegistration;
import io.controllermanager.manager.ControllerState;
import io.controllermanager.manager.ControllerStatus;
import io.controllermanager.recorder.EventBroadcaster;
import io.controllermanager.time.Clock;
import io.controllermanager.time.SystemTimer;
import io.kubernetes.client.openapi.ApiClient;
import java.util.Set;

/** A controller manager with one controller, for one namespace. It runs from its making until it is closed. */
public final class RunningManager implements AutoCloseable {

    private final SystemTimer timer = new SystemTimer("test-timer");
    private final ApiConnection connection;
    private final InformerFactory informers;
    private final EventBroadcaster events;
    private final ControllerManager manager;

    public RunningManager(ApiClient client, String namespace, ControllerDescriptor controller) {
        Clock clock = Clock.system();
        connection = ApiConnection.builder(clock, timer).apiClient(client).build();
        informers = new InformerFactory(
                connection, clock, timer, InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)));
        events = new EventBroadcaster(connection.apiClient(), clock, "test");
        manager = ControllerManager.builder()
                .apiClient(connection.apiClient())
                .informerFactory(informers)
                .monitor(connection.monitor())
                .timer(timer)
                .eventRecorders(events::recorder)
                .controller(ControllerRegistration.of(controller))
                .build();
        manager.start();
    }

    /** What the controller is doing. */
    public ControllerStatus status() {
        return manager.controllers().get(0);
    }

    /** Waits until at least so many reconciles have ended and there is nothing left to do. */
    public void awaitIdle(long reconciles) {
        await().until(() -> {
            ControllerStatus status = status();
            return status.state() == ControllerState.RUNNING
                    && status.reconciles() >= reconciles
                    && status.queueDepth() + status.activeWorkers() + status.delayed() == 0;
        });
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
