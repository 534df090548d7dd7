package io.controllermanager.manager.internal;

import io.controllermanager.controller.internal.OperatorAnnotations;
import io.controllermanager.controller.internal.WorkerThreads;
import io.controllermanager.controller.internal.journal.Journal;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * What a host is made of.
 *
 * @param leadership the Leases by which this process works, and the clients that controllers are given
 * @param cluster the API server, and the informers that mirror it
 * @param controllers what to run; each has a name of its own
 * @param recorders makes the recorder of Events for a controller's name; its owner flushes it after the host has stopped
 * @param clock the time
 * @param timer calls back for delays and time limits; must outlive the host
 * @param meters where meters go
 * @param journal remembers what reconciles did
 * @param observations who observes each reconcile
 * @param annotations by which operators pause single objects and have them reconciled
 * @param shutdownTimeout how long running reconciles may go on when the host stops; zero for not at all
 * @param virtualThreads whether workers are virtual threads, which needs Java 21 or later
 * @param listener told of what may be a reason to end the process
 */
public record HostParts(
        Leadership leadership,
        Cluster cluster,
        List<ControllerRegistration> controllers,
        Function<String, EventRecorder> recorders,
        Clock clock,
        Timer timer,
        MeterRegistry meters,
        Journal journal,
        ObservationRegistry observations,
        OperatorAnnotations annotations,
        Duration shutdownTimeout,
        boolean virtualThreads,
        HostListener listener) {

    /**
     * Refuses parts that do not fit.
     *
     * @throws IllegalStateException if two controllers have the same name, or the JVM has no virtual threads
     * @throws IllegalArgumentException if the shutdown timeout is negative
     */
    public HostParts {
        controllers = List.copyOf(controllers);
        Set<String> names = new HashSet<>();
        for (ControllerRegistration controller : controllers) {
            if (!names.add(controller.name())) {
                throw new IllegalStateException("two controllers have the name \"" + controller.name() + "\"");
            }
        }
        if (virtualThreads && !WorkerThreads.virtualAvailable()) {
            throw new IllegalStateException("virtual threads need Java 21 or later, this is " + Runtime.version());
        }
        if (shutdownTimeout.isNegative()) {
            throw new IllegalArgumentException("shutdownTimeout must not be negative, but is " + shutdownTimeout);
        }
    }

    /** Nobody measures or listens, workers are platform threads, and running reconciles may go on for 30 seconds. */
    public static HostParts of(
            Leadership leadership,
            Cluster cluster,
            List<ControllerRegistration> controllers,
            Function<String, EventRecorder> recorders,
            Clock clock,
            Timer timer) {
        return new HostParts(
                leadership,
                cluster,
                controllers,
                recorders,
                clock,
                timer,
                new CompositeMeterRegistry(),
                Journal.standard(),
                ObservationRegistry.NOOP,
                OperatorAnnotations.DEFAULTS,
                Duration.ofSeconds(30),
                false,
                new HostListener() {});
    }
}
