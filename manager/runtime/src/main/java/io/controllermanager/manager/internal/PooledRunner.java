package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.ControllerParts;
import io.controllermanager.controller.internal.PlannedReconciler;
import io.controllermanager.controller.internal.ReconcileTerm;
import io.controllermanager.controller.internal.Shard;
import io.controllermanager.controller.internal.UndoneWriteReport;
import io.controllermanager.controller.internal.WorkerThreads;
import io.controllermanager.informer.Shards;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Runs a controller on the host's workers. While another process has a shard's Lease it stands by: its caches are full, and its
 * queue is not fed. When it begins to work on the shard, every object that its sources hold of it is queued, behind live
 * changes.
 */
final class PooledRunner implements ControllerRunner {

    /** For how long closings of shards are collected before what is known of their keys is forgotten. */
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private final ControllerRegistration registration;
    private final HostParts parts;
    private final HostLoop loop;
    private final ControllerSources sources;
    private final ReconcileTerm term;

    /** Not divided if it is one. */
    private final Shards shards;

    // prepare() sets the controller and then reads closed. close() sets closed and then reads the controller. So at
    // least one of the two sees both, and closes the controller.
    private volatile @Nullable Controller controller;
    private volatile boolean closed;

    private volatile int workers;
    private final AtomicBoolean forgetting = new AtomicBoolean();

    /** Starts nothing; what is told of lapses is said at {@link Terms}. */
    PooledRunner(
            ControllerRegistration registration,
            HostParts parts,
            HostLoop loop,
            ControllerSources sources,
            IntConsumer lapses) {
        this.registration = registration;
        this.parts = parts;
        this.loop = loop;
        this.term = parts.leadership().term(registration, lapses);
        this.shards = parts.leadership().electors(registration).divided()
                ? registration.options().shards()
                : Shards.ONE;
        this.sources = sources;
        this.workers = registration.options().workers();
    }

    @Override
    public void prepare() throws InterruptedException {
        Reconciler reconciler = registration.descriptor().reconcilerFactory().create(sources);
        endIfClosed();
        Plan plan = parts.cluster().plan();
        Controller made = make(
                registration.descriptor(),
                plan == null ? reconciler : new PlannedReconciler(registration.name(), reconciler, plan));
        controller = made;
        // The number may have been changed while it was made.
        made.resize(workers);
        sources.feed(made);
        endIfClosed();
    }

    /** Gives back what came after {@link #close} had given everything back. */
    private void endIfClosed() throws InterruptedException {
        if (closed) {
            close();
            throw new InterruptedException();
        }
    }

    private Controller make(ControllerDescriptor descriptor, Reconciler reconciler) {
        UndoneWriteReport undoneWrites = new UndoneWriteReport(
                registration.name(), sources.memories(), parts.clock(), sources.events(), parts.meters(), this::read);
        sources.closes(parts.cluster().observeWrites(undoneWrites));
        sources.closes(undoneWrites::close);
        return new Controller(new ControllerParts(
                descriptor,
                reconciler,
                registration.options().withWorkers(workers),
                term,
                shards,
                sources::uid,
                sources::serves,
                sources.memories(),
                sources::cached,
                parts.journal(),
                sources::held,
                parts.annotations(),
                parts.controllers().stream().map(ControllerRegistration::name).toList(),
                undoneWrites,
                parts.clock(),
                parts.timer(),
                parts.meters(),
                parts.observations(),
                WorkerThreads.of(registration.name(), parts.virtualThreads()),
                ControllerParts.INTERRUPT_GRACE));
    }

    private @Nullable String read(okhttp3.Request get) {
        try (Response response =
                sources.apiClient().getHttpClient().newCall(get).execute()) {
            return response.isSuccessful() ? response.body().string() : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** One of a controller that is made; nothing is opened before. */
    private Shard shard(int shard) {
        return Objects.requireNonNull(controller).shards().get(shard);
    }

    @Override
    public void open(int shard, long number) {
        Shard opened = shard(shard);
        term.open(shard, number);
        if (opened.isOpen()) {
            // What is told late must not open it: it may be closed in this moment, and be told so.
            return;
        }
        if (term.moves()) {
            // It shows as under way before it is open.
            sources.requeue().begin(shard);
        }
        opened.open();
    }

    @Override
    public boolean isRequeueing(int shard) {
        return !shard(shard).isOpen() || sources.requeue().isUnderWay(shard);
    }

    @Override
    public void close(int shard) {
        sources.requeue().end(shard);
        if (controller != null) {
            shard(shard).close();
            forgetSoon();
        }
    }

    /**
     * Many shards come and go at a time: one pass is enough for them. The keys of a controller with one shard come back to this
     * process as a rule, and operators see meanwhile which of them fail.
     */
    private void forgetSoon() {
        if (shards.divide() && !forgetting.getAndSet(true)) {
            loop.later(
                    MOMENT,
                    () -> HostLoop.background("controller-manager-forget-" + registration.name(), () -> {
                        forgetting.set(false);
                        Controller current = controller;
                        if (current != null) {
                            current.forgetClosed();
                        }
                    }));
        }
    }

    @Override
    public void interrupt(int shard) {
        close(shard);
        shard(shard).interrupt();
    }

    @Override
    public boolean isIdle(int shard) {
        return controller == null || shard(shard).isIdle();
    }

    @Override
    public boolean mayMove(int shard) {
        return !shard(shard).hasGivenUp();
    }

    @Override
    public boolean drain(int shard, Duration limit) throws InterruptedException {
        try {
            return shard(shard).drain(limit);
        } finally {
            forgetSoon();
        }
    }

    @Override
    public void resize(int newWorkers) {
        workers = newWorkers;
        Controller current = controller;
        if (current != null) {
            current.resize(newWorkers);
        }
    }

    @Override
    public void close() {
        closed = true;
        sources.close();
        Controller current = controller;
        if (current != null) {
            current.close();
        }
    }

    @Override
    public @Nullable Controller controller() {
        return controller;
    }
}
