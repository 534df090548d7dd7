package io.controllermanager.manager;

import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.Registration;
import io.controllermanager.controller.ChannelSource;
import io.controllermanager.controller.Controller;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.EventSource;
import io.controllermanager.controller.ReconcileGate;
import io.controllermanager.controller.UndoneWriteReport;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.EventSubscriber;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.Subscription;
import io.controllermanager.informer.Waiters;
import io.controllermanager.leaderelection.LeaderElector;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a controller on our workers. While another process leads it stands by: its caches are full, its queue is not fed,
 * and as it begins to work every object that its sources hold is looked at, behind live changes.
 */
final class PooledRunner implements ControllerRunner {

    private static final Logger log = LoggerFactory.getLogger(PooledRunner.class);

    private static final Duration REPLAY_RETRY = Duration.ofSeconds(5);

    private final ControllerRegistration registration;
    private final HostParts parts;
    private final Pause pause;
    private final HostContext context;
    private final @Nullable LeaderElector elector;
    private final List<Runnable> replays = new CopyOnWriteArrayList<>();
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private final List<Registration> feeds = new CopyOnWriteArrayList<>();

    /** Null until it is made; whether that may still be is decided under this object's monitor, together with closed. */
    private volatile @Nullable Controller controller;

    private volatile boolean closed;
    private volatile int workers;

    /** Whose turn it is to replay; null while standing by, and once all is queued. */
    private final AtomicReference<@Nullable Thread> replaying = new AtomicReference<>();

    // Used by the one who opens and interrupts, once this is prepared.
    private boolean standingBy;

    PooledRunner(ControllerRegistration registration, HostParts parts, Pause pause) {
        this.registration = registration;
        this.parts = parts;
        this.pause = pause;
        this.elector = parts.leadership().elector(registration);
        this.context = new HostContext(registration, parts);
        this.workers = registration.options().workers();
    }

    @Override
    public void prepare() throws InterruptedException {
        ControllerDescriptor descriptor = registration.descriptor();
        Reconciler reconciler = descriptor.reconcilerFactory().create(context);
        Controller made;
        synchronized (this) {
            if (closed) {
                // The factory took its time, and what it asked for came after close() gave everything back.
                context.release();
                throw new InterruptedException();
            }
            made = make(descriptor, reconciler);
            if (elector != null) {
                standingBy = true;
                made.standBy();
            }
            controller = made;
        }
        // The number may have been changed while it was made.
        made.resize(workers);
        descriptor.sources().forEach(source -> subscribe(made, source));
        for (ChannelSource<?> channel : descriptor.channels()) {
            feeds.add(made.subscribe(channel));
        }
        ControllerAdapter.KeyFeed others = registration
                .adapter()
                .feed(key -> parts.cluster().holds(key.getNamespace(), key.getName()), made::enqueue);
        feeds.add(others);
        replays.add(others::replay);
        if (closed) {
            // close() came while this subscribed.
            unsubscribe();
            context.release();
            throw new InterruptedException();
        }
    }

    private Controller make(ControllerDescriptor descriptor, Reconciler reconciler) {
        UndoneWriteReport undoneWrites =
                new UndoneWriteReport(registration.name(), parts.clock(), context.events(), parts.meters(), this::read);
        feeds.add(parts.writes().apply(undoneWrites));
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
        Informer<T> informer = context.informer(source.selection());
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
    public Collection<Informer<?>> informers() {
        return context.informers();
    }

    @Override
    public void open() {
        Controller current = controller;
        if (current == null || closed) {
            return;
        }
        current.takeOver();
        current.startWorkers();
        if (standingBy) {
            Thread thread = HostLoop.daemon("controller-manager-requeue-" + registration.name(), this::replay);
            replaying.set(thread);
            thread.start();
            standingBy = false;
        }
    }

    @Override
    public void resync() {
        replays.forEach(Runnable::run);
    }

    /** Has everything looked at; what fails is tried again until it succeeds or the standby has begun again. */
    private void replay() {
        List<Runnable> left = new ArrayList<>(replays);
        try {
            left.removeIf(this::succeeds);
            // What is called may have swallowed an interruption.
            while (!left.isEmpty() && replaying.get() == Thread.currentThread()) {
                pause.pause(REPLAY_RETRY);
                left.removeIf(this::succeeds);
            }
        } catch (InterruptedException e) {
            // Another leads, or the controller is closed.
        }
        replaying.compareAndSet(Thread.currentThread(), null);
    }

    @Override
    public boolean isRequeueing() {
        return replaying.get() != null;
    }

    private boolean succeeds(Runnable replay) {
        try {
            replay.run();
            return true;
        } catch (RuntimeException | Error e) {
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
        Controller current = controller;
        if (current == null) {
            return;
        }
        if (elector != null) {
            // Without election nobody else works meanwhile, and the queue keeps what comes.
            standingBy = true;
            endReplay();
            current.standBy();
        }
        try {
            current.stopWorkers(Duration.ZERO);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean hasEnded() {
        Controller current = controller();
        return current == null || !current.isReconciling();
    }

    @Override
    public boolean hasGivenUp() {
        Controller current = controller();
        return current != null && current.hasGivenUp();
    }

    @Override
    public void retire() {
        Controller current = controller();
        if (current != null) {
            current.retireWorkers();
        }
    }

    @Override
    public boolean drain(Duration limit) throws InterruptedException {
        Controller current = controller();
        return current == null || current.stopWorkers(limit);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        endReplay();
        Controller current = controller;
        unsubscribe();
        if (current != null) {
            current.close();
        }
        context.release();
    }

    private void unsubscribe() {
        feeds.forEach(Registration::close);
        subscriptions.forEach(Subscription::close);
    }

    @Override
    public boolean bringsWorkers() {
        return false;
    }

    @Override
    public boolean isShutDown() {
        return false;
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
