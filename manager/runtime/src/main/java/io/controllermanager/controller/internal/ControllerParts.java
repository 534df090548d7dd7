package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.internal.journal.Journal;
import io.controllermanager.informer.Shards;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a controller is made of.
 *
 * @param descriptor what the controller is
 * @param reconciler made by the descriptor's factory
 * @param options how it runs
 * @param term by what right each reconcile runs. While it does not last keys go back into the queue at their own priority:
 *     nothing is counted, and their failures stay. Where keys are divided, workers go on with those of other shards meanwhile
 * @param shards how its keys are divided; all shards are closed until {@link Shard#open}
 * @param uids the uid of the object of the type that the controller is for that bears a name, null if this process holds none;
 *     asked, on any thread, only where keys are divided by uid
 * @param served whether a key can be worked on now; one that cannot is dropped
 * @param memories what it remembers of its keys
 * @param cached the object that a cache of it has at a path, null if none has it
 * @param journal remembers what its reconciles did
 * @param objects the object of the type that the controller is for that has a key, null if this process holds none
 * @param annotations by which operators pause single objects and have them reconciled
 * @param controllers the names of all controllers of this process
 * @param undoneWrites tells who undoes what its reconciles write; its owner shows it the writes, and closes it
 * @param clock the time
 * @param timer calls back for delays and time limits
 * @param meterRegistry where its meters go
 * @param observationRegistry who observes each reconcile
 * @param threadFactory makes the workers' threads
 * @param interruptGrace how long an interrupted reconcile may take to end before it counts as stuck
 */
public record ControllerParts(
        ControllerDescriptor descriptor,
        Reconciler reconciler,
        ControllerOptions options,
        ReconcileTerm term,
        Shards shards,
        Function<Request, @Nullable String> uids,
        Predicate<Request> served,
        KeyMemories memories,
        Function<ResourcePath, @Nullable KubernetesObject> cached,
        Journal journal,
        Function<Request, @Nullable KubernetesObject> objects,
        OperatorAnnotations annotations,
        List<String> controllers,
        UndoneWriteReport undoneWrites,
        Clock clock,
        Timer timer,
        MeterRegistry meterRegistry,
        ObservationRegistry observationRegistry,
        ThreadFactory threadFactory,
        Duration interruptGrace) {

    /** Long enough for an end that is not delayed on purpose. */
    public static final Duration INTERRUPT_GRACE = Duration.ofSeconds(5);
}
