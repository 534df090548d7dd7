package io.controllermanager.manager;

import io.controllermanager.client.Registration;
import io.controllermanager.client.WriteObserver;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a host is made of; see {@link ControllerManager.Builder}. */
record HostParts(
        Leadership leadership,
        Cluster cluster,
        Function<Runnable, Registration> recovery,
        Function<WriteObserver, Registration> writes,
        List<ControllerRegistration> controllers,
        MeterRegistry meters,
        ObservationRegistry observations,
        Clock clock,
        Timer timer,
        Duration shutdownTimeout,
        boolean virtualThreads,
        Function<String, EventRecorder> recorders,
        @Nullable Runnable onLeadershipLost,
        @Nullable Runnable onUnrestartable,
        Consumer<String> onEssentialFailed) {}
