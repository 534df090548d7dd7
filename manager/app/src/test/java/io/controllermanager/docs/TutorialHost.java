package io.controllermanager.docs;

import io.controllermanager.client.ApiConnection;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.InformerFactory;
import io.controllermanager.informer.InformerOptions;
import io.controllermanager.manager.ControllerManager;
import io.controllermanager.manager.ControllerRegistration;
import io.controllermanager.recorder.EventBroadcaster;
import io.controllermanager.time.Clock;
import io.controllermanager.time.SystemTimer;
import io.kubernetes.client.openapi.ApiClient;

/** Runs one controller, without Spring. */
final class TutorialHost implements AutoCloseable {

    private final SystemTimer timer = new SystemTimer("timer");
    private final ApiConnection connection;
    private final InformerFactory informers;
    private final EventBroadcaster events;
    private final ControllerManager manager;

    TutorialHost(ApiClient client, ControllerDescriptor controller) {
        connection =
                ApiConnection.builder(Clock.system(), timer).apiClient(client).build();
        informers = new InformerFactory(connection, Clock.system(), timer, InformerOptions.DEFAULTS);
        events = new EventBroadcaster(connection.apiClient(), Clock.system(), "test");
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

    @Override
    public void close() {
        manager.stop();
        events.close();
        informers.close();
        connection.close();
        timer.close();
    }
}
