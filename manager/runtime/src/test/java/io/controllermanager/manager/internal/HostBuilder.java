package io.controllermanager.manager.internal;

import io.controllermanager.controller.internal.OperatorAnnotations;
import io.controllermanager.controller.internal.journal.Journal;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes hosts that differ from each other in a part or two. */
final class HostBuilder {

    private final Leadership leadership;
    private final Cluster cluster;
    private final Clock clock;
    private final Timer timer;
    private final Function<String, EventRecorder> recorders;
    private final List<ControllerRegistration> controllers = new ArrayList<>();
    private MeterRegistry meters = new SimpleMeterRegistry();
    private OperatorAnnotations annotations = OperatorAnnotations.DEFAULTS;
    private Duration shutdownTimeout = Duration.ofSeconds(30);
    private Runnable onLeadershipLost = () -> {};
    private @Nullable Runnable onUnrestartable;
    private Consumer<String> onEssentialFailed = reason -> {};

    HostBuilder(
            Leadership leadership,
            Cluster cluster,
            Clock clock,
            Timer timer,
            Function<String, EventRecorder> recorders) {
        this.leadership = leadership;
        this.cluster = cluster;
        this.clock = clock;
        this.timer = timer;
        this.recorders = recorders;
    }

    HostBuilder controllers(List<ControllerRegistration> more) {
        controllers.addAll(more);
        return this;
    }

    HostBuilder meterRegistry(MeterRegistry registry) {
        meters = registry;
        return this;
    }

    HostBuilder annotations(OperatorAnnotations newAnnotations) {
        annotations = newAnnotations;
        return this;
    }

    HostBuilder shutdownTimeout(Duration timeout) {
        shutdownTimeout = timeout;
        return this;
    }

    HostBuilder onLeadershipLost(Runnable reaction) {
        onLeadershipLost = reaction;
        return this;
    }

    HostBuilder onUnrestartable(Runnable reaction) {
        onUnrestartable = reaction;
        return this;
    }

    HostBuilder onEssentialFailed(Consumer<String> reaction) {
        onEssentialFailed = reaction;
        return this;
    }

    ControllerManager build() {
        return new ControllerManager(parts());
    }

    HostParts parts() {
        return new HostParts(
                leadership,
                cluster,
                controllers,
                recorders,
                clock,
                timer,
                meters,
                Journal.standard(),
                ObservationRegistry.NOOP,
                annotations,
                shutdownTimeout,
                false,
                new Listener(onLeadershipLost, onUnrestartable, onEssentialFailed));
    }

    private record Listener(Runnable lost, @Nullable Runnable unrestartable, Consumer<String> essentialFailed)
            implements HostListener {

        @Override
        public void onLeadershipLost() {
            lost.run();
        }

        @Override
        public void onUnrestartable() {
            if (unrestartable == null) {
                HostListener.super.onUnrestartable();
            } else {
                unrestartable.run();
            }
        }

        @Override
        public void onEssentialFailed(String reason) {
            essentialFailed.accept(reason);
        }
    }
}
