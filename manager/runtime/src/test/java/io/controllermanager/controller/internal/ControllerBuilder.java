package io.controllermanager.controller.internal;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.internal.journal.Journal;
import io.controllermanager.informer.Shards;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Collects the parts of a controller under test. Not safe for use by several threads. */
final class ControllerBuilder {

    private static final EventRecorder NO_EVENTS = new EventRecorder() {
        @Override
        public void normal(KubernetesObject regarding, String reason, String note) {
            throw new AssertionError(note);
        }

        @Override
        public void warning(KubernetesObject regarding, String reason, String note) {
            throw new AssertionError(note);
        }
    };

    final ControllerDescriptor descriptor;
    final Reconciler reconciler;
    final Timer timer;
    ControllerOptions options;

    @Nullable
    WorkQueue<Request> queue;

    ReconcileTerm term = ReconcileTerm.always();
    Shards shards = Shards.ONE;
    Function<Request, @Nullable String> uids = key -> null;
    Predicate<Request> served = key -> true;
    OperatorAnnotations annotations = OperatorAnnotations.DEFAULTS;
    Function<Request, @Nullable KubernetesObject> objects = key -> null;
    Clock clock = Clock.system();

    MeterRegistry meterRegistry = new CompositeMeterRegistry();

    ObservationRegistry observationRegistry = ObservationRegistry.NOOP;

    ThreadFactory threadFactory;

    KeyMemories memories = new KeyMemories();
    Journal journal = Journal.standard();
    Duration interruptGrace = ControllerParts.INTERRUPT_GRACE;

    /**
     * Begins a controller.
     *
     * @param descriptor what the controller is
     * @param reconciler made by the descriptor's factory
     * @param timer calls back for delays and time limits
     */
    ControllerBuilder(ControllerDescriptor descriptor, Reconciler reconciler, Timer timer) {
        this.descriptor = descriptor;
        this.reconciler = reconciler;
        this.timer = timer;
        this.options = descriptor.options();
        this.threadFactory = WorkerThreads.of(descriptor.name(), false);
    }

    /** How it runs; the descriptor's options unless said otherwise. */
    ControllerBuilder options(ControllerOptions newOptions) {
        this.options = newOptions;
        return this;
    }

    /** What it remembers of its keys; its own unless given. */
    ControllerBuilder memories(KeyMemories newMemories) {
        this.memories = newMemories;
        return this;
    }

    /** Its queue; the controller owns it and closes it. Made from the options unless given. */
    ControllerBuilder queue(WorkQueue<Request> newQueue) {
        this.queue = newQueue;
        return this;
    }

    /**
     * By what right each reconcile runs. While it does not last keys go back into the queue at their own priority: nothing is
     * counted, and their failures stay. Where keys are divided, workers go on with those of other shards meanwhile. It always
     * lasts unless given.
     */
    ControllerBuilder term(ReconcileTerm newTerm) {
        this.term = newTerm;
        return this;
    }

    /**
     * Divides its keys. All shards are closed until {@link Shard#open}. Not divided unless given.
     *
     * @param newUids the uid of the object of the type that the controller is for that bears a name, null if this process holds
     *     none; asked, on any thread, only where keys are divided by uid
     * @param newServed whether a key can be worked on now; one that cannot is dropped
     */
    ControllerBuilder shards(
            Shards newShards, Function<Request, @Nullable String> newUids, Predicate<Request> newServed) {
        this.shards = newShards;
        this.uids = newUids;
        this.served = newServed;
        return this;
    }

    /** The time; the machine's unless given. */
    ControllerBuilder clock(Clock newClock) {
        this.clock = newClock;
        return this;
    }

    /** Where its meters go; nowhere unless given. */
    ControllerBuilder meterRegistry(MeterRegistry newMeterRegistry) {
        this.meterRegistry = newMeterRegistry;
        return this;
    }

    /** Who observes each reconcile; nobody unless given. */
    ControllerBuilder observationRegistry(ObservationRegistry newObservationRegistry) {
        this.observationRegistry = newObservationRegistry;
        return this;
    }

    /** Makes the workers' threads; daemon threads named {@code <controller>-worker-<number>} unless given. */
    ControllerBuilder threadFactory(ThreadFactory newThreadFactory) {
        this.threadFactory = newThreadFactory;
        return this;
    }

    /**
     * Whether workers are virtual threads, which they are not unless said.
     *
     * @throws UnsupportedOperationException if they are to be and the JVM has none (before 21)
     */
    ControllerBuilder virtualThreads(boolean virtual) {
        return threadFactory(WorkerThreads.of(descriptor.name(), virtual));
    }

    /** How long an interrupted reconcile may take to end before it counts as stuck; 5 seconds unless given. */
    ControllerBuilder interruptGrace(Duration newInterruptGrace) {
        this.interruptGrace = newInterruptGrace;
        return this;
    }

    /** Makes the controller, without workers. */
    Controller build() {
        ControllerParts parts = new ControllerParts(
                descriptor,
                reconciler,
                options,
                term,
                shards,
                uids,
                served,
                memories,
                path -> null,
                journal,
                objects,
                annotations,
                List.of("foo", "bar"),
                // It is shown no write.
                new UndoneWriteReport(descriptor.name(), memories, clock, NO_EVENTS, meterRegistry, get -> null),
                clock,
                timer,
                meterRegistry,
                observationRegistry,
                threadFactory,
                interruptGrace);
        return queue == null ? new Controller(parts) : new Controller(parts, queue);
    }
}
