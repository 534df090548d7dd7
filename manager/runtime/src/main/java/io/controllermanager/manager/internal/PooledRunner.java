package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.FailureMessage;
import io.controllermanager.controller.ChannelSource;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.EventSource;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.ReconcileGate;
import io.controllermanager.controller.internal.UndoneWriteReport;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.internal.EventSubscriber;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.Subscription;
import io.controllermanager.informer.internal.Waiters;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a controller on the host's workers. While another process leads it stands by: its caches are full, and its queue is
 * not fed. When it begins to work, every object that its sources hold is queued, behind live changes.
 */
final class PooledRunner implements ControllerRunner {

    private static final Logger log = LoggerFactory.getLogger(PooledRunner.class);

    private static final Duration REPLAY_RETRY = Duration.ofSeconds(5);

    private final ControllerRegistration registration;
    private final HostParts parts;
    private final RetryWait retryWait;
    private final HostContext context;
    private final @Nullable LeaderElector elector;
    private final List<Runnable> replays = new CopyOnWriteArrayList<>();
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private final List<Registration> feeds = new CopyOnWriteArrayList<>();

    // prepare() sets the controller and then reads closed. close() sets closed and then reads the controller. So at
    // least one of the two sees both, and closes the controller.
    private volatile @Nullable Controller controller;
    private volatile boolean closed;

    private volatile int workers;

    /** Whose turn it is to replay; null while standing by, and once all is queued. */
    private final AtomicReference<@Nullable Thread> replaying = new AtomicReference<>();

    /** Written by the one who opens and interrupts, once this is prepared. */
    private volatile boolean standingBy;

    PooledRunner(ControllerRegistration registration, HostParts parts, RetryWait retryWait) {
        this.registration = registration;
        this.parts = parts;
        this.retryWait = retryWait;
        this.elector = parts.leadership().elector(registration);
        this.context = new HostContext(registration, parts);
        this.workers = registration.options().workers();
    }

    @Override
    public void prepare() throws InterruptedException {
        ControllerDescriptor descriptor = registration.descriptor();
        Reconciler reconciler = descriptor.reconcilerFactory().create(context);
        endIfClosed();
        Controller made = make(descriptor, reconciler);
        if (elector != null) {
            standingBy = true;
            made.standBy();
        }
        controller = made;
        // The number may have been changed while it was made.
        made.resize(workers);
        descriptor.sources().forEach(source -> subscribe(made, source));
        for (ChannelSource<?> channel : descriptor.channels()) {
            feeds.add(made.subscribe(channel));
        }
        feeds.add(registration
                .adapter()
                .feed(key -> parts.cluster().holds(key.getNamespace(), key.getName()), made::enqueue));
        replays.add(() -> registration.adapter().replay(made::enqueue));
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
        UndoneWriteReport undoneWrites =
                new UndoneWriteReport(registration.name(), parts.clock(), context.events(), parts.meters(), this::read);
        feeds.add(parts.cluster().observeWrites(undoneWrites));
        feeds.add(undoneWrites::close);
        return Controller.of(descriptor, parts.leadership().guard(registration, reconciler))
                .options(registration.options().withWorkers(workers))
                .gate(elector == null ? ReconcileGate.OPEN : elector::isLeading)
                .clock(parts.clock())
                .timer(parts.timer())
                .meterRegistry(parts.meters())
                .observationRegistry(parts.observations())
                .virtualThreads(parts.virtualThreads())
                .undoneWrites(undoneWrites)
                .build();
    }

    private @Nullable String read(Request get) {
        try (Response response =
                context.apiClient().getHttpClient().newCall(get).execute()) {
            return response.isSuccessful() ? response.body().string() : null;
        } catch (IOException e) {
            return null;
        }
    }

    private <T extends KubernetesObject> void subscribe(Controller made, EventSource<T> source) {
        HostInformer<T> informer = context.informer(source.selection());
        EventSubscriber<T> subscriber = made.subscriberFor(source);
        subscriptions.add(informer.subscribe(registration.name(), subscriber, Duration.ZERO));
        replays.add(() -> informer.getIndexer()
                .list()
                .forEach(object -> subscriber.onEvent(new ResourceEvent.Created<>(object, true))));
    }

    @Override
    public void whenSynced(Runnable told) {
        List<Function<Runnable, Registration>> caches = new ArrayList<>();
        subscriptions.forEach(subscription -> caches.add(subscription::whenSynced));
        context.informers().forEach(informer -> caches.add(informer::whenSynced));
        feeds.add(Waiters.all(caches, told));
    }

    @Override
    public Collection<HostInformer<?>> informers() {
        return context.informers();
    }

    private Controller prepared() {
        return Objects.requireNonNull(controller);
    }

    @Override
    public void open() {
        prepared().takeOver();
        prepared().startWorkers();
        if (standingBy) {
            Thread thread = HostLoop.daemon("controller-manager-requeue-" + registration.name(), this::replay);
            replaying.set(thread);
            standingBy = false;
            thread.start();
        }
    }

    @Override
    public void resync() {
        replays.forEach(Runnable::run);
    }

    /** Queues everything; what fails is tried again until it succeeds or the standby has begun again. */
    private void replay() {
        List<Runnable> left = new ArrayList<>(replays);
        try {
            left.removeIf(this::succeeds);
            // What is called may have swallowed an interruption.
            while (!left.isEmpty() && replaying.get() == Thread.currentThread()) {
                retryWait.await(REPLAY_RETRY);
                left.removeIf(this::succeeds);
            }
        } catch (InterruptedException e) {
            // Another leads, or the controller is closed.
        } finally {
            replaying.compareAndSet(Thread.currentThread(), null);
        }
    }

    @Override
    public boolean isRequeueing() {
        return standingBy || replaying.get() != null;
    }

    private boolean succeeds(Runnable replay) {
        try {
            replay.run();
            return true;
        } catch (Throwable e) {
            log.atWarn()
                    .addKeyValue("controller", registration.name())
                    .setCause(e)
                    .log(
                            "Controller {}: what a cache holds could not be queued, and is tried again: {}",
                            registration.name(),
                            FailureMessage.of(e));
            return false;
        }
    }

    private void endReplay() {
        Thread ending = replaying.getAndSet(null);
        if (ending != null) {
            ending.interrupt();
        }
    }

    @Override
    public void interrupt() {
        if (elector != null) {
            // Without election nobody else works meanwhile, and the queue keeps what comes.
            standingBy = true;
            endReplay();
            prepared().standBy();
        }
        try {
            prepared().stopWorkers(Duration.ZERO);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean hasEnded() {
        Controller current = controller;
        return current == null || !current.isReconciling();
    }

    @Override
    public void retire() {
        prepared().retireWorkers();
    }

    @Override
    public boolean drain(Duration limit) throws InterruptedException {
        Controller current = controller;
        return current == null || current.stopWorkers(limit);
    }

    @Override
    public void close() {
        closed = true;
        endReplay();
        feeds.forEach(Registration::close);
        subscriptions.forEach(Subscription::close);
        Controller current = controller;
        if (current != null) {
            current.close();
        }
        context.release();
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
    public @Nullable Controller controller() {
        return controller;
    }
}
