package io.controllermanager.leaderelection.internal;

import io.controllermanager.client.Registration;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One Lease in memory, with the API server's optimistic locking; each contender has its own way to it. */
public final class LeaseStore {

    private final List<String> requests = new ArrayList<>();
    private final List<String> holders = new ArrayList<>();
    private final List<Observer> observers = new CopyOnWriteArrayList<>();
    private @Nullable V1Lease lease;
    private int version;

    /** One who is told of changes, and how it sees a Lease. */
    private record Observer(Consumer<ElectionStep.Event> told, UnaryOperator<V1Lease> view) {

        void seen(V1Lease lease) {
            V1Lease seen = view.apply(lease);
            told.accept(step -> step.seen(seen));
        }

        void deleted(V1Lease lease) {
            V1Lease seen = view.apply(lease);
            told.accept(step -> step.deleted(seen));
        }
    }

    /** What a list finds. */
    private Supplier<? extends Collection<LeaseStore>> namespace = () -> List.of(this);

    /** A Lease among others. */
    LeaseStore among(Supplier<? extends Collection<LeaseStore>> all) {
        namespace = all;
        return this;
    }

    /** A contender's way to the Lease, which can be cut. */
    public final class Lock implements LeaseLock {

        private final String owner;
        private volatile @Nullable String failure;
        private volatile @Nullable String listFailure;
        private volatile @Nullable Consumer<Consumer<ElectionStep.Event>> onWatch;
        private volatile @Nullable String unwatchable;
        private volatile Consumer<Runnable> delivery = Runnable::run;
        private volatile UnaryOperator<V1Lease> view = UnaryOperator.identity();
        private volatile boolean answersLost;
        private volatile Runnable beforeAnswer = () -> {};
        private volatile Runnable beforeRequest = () -> {};

        Lock(String owner) {
            this.owner = owner;
        }

        /**
         * From the next start on its owner is told of changes, by the thread that makes them and before they are answered.
         *
         * @param watched is given the one who is told
         */
        void watchable(Consumer<Consumer<ElectionStep.Event>> watched) {
            this.onWatch = watched;
            this.unwatchable = null;
        }

        /** As the other one, and tells when that begins. */
        public void watchable(Runnable watched) {
            watchable(observer -> watched.run());
        }

        /** From the next start on its owner is told only that nothing can be watched, and why. */
        public void unwatchable(String why) {
            this.unwatchable = why;
        }

        /**
         * As the other one, but each change after the first state is told as the delivery sees fit.
         *
         * @param newDelivery runs what it is given once, later, in order
         */
        void watchable(Consumer<Consumer<ElectionStep.Event>> watched, Consumer<Runnable> newDelivery) {
            this.onWatch = watched;
            this.delivery = newDelivery;
        }

        /** From the next start on its owner is told of a Lease as it sees it. */
        void seenAs(UnaryOperator<V1Lease> newView) {
            this.view = newView;
        }

        /** Every request fails with this from now on; null for none. */
        public void failWith(@Nullable String message) {
            this.failure = message;
        }

        /** Lists fail with this from now on; null for none. */
        void failListsWith(@Nullable String message) {
            this.listFailure = message;
        }

        /** Whether requests take effect from now on without the contender's getting an answer. */
        public void loseAnswers(boolean lost) {
            this.answersLost = lost;
        }

        /** Runs before each request reaches the store. */
        public void beforeRequest(Runnable action) {
            this.beforeRequest = action;
        }

        /** Runs after each request has taken effect, before the contender is answered. */
        public void beforeAnswer(Runnable action) {
            this.beforeAnswer = action;
        }

        @Override
        public @Nullable V1Lease get() throws LeaseException {
            checkReachable();
            V1Lease answer = read(owner);
            checkAnswer();
            return answer;
        }

        @Override
        public List<V1Lease> list() throws LeaseException {
            checkReachable();
            String message = listFailure;
            if (message != null) {
                throw new LeaseException(false, message, null);
            }
            noteList(owner);
            List<V1Lease> all = namespace.get().stream()
                    .map(LeaseStore::current)
                    .filter(Objects::nonNull)
                    .toList();
            checkAnswer();
            return all;
        }

        @Override
        public V1Lease create(V1Lease lease) throws LeaseException {
            checkReachable();
            V1Lease answer = insert(owner, lease);
            checkAnswer();
            return answer;
        }

        @Override
        public V1Lease update(V1Lease lease) throws LeaseException {
            checkReachable();
            V1Lease answer = replace(owner, lease);
            checkAnswer();
            return answer;
        }

        @Override
        public Registration watch(Consumer<ElectionStep.Event> observer) {
            String why = unwatchable;
            if (why != null) {
                observer.accept(step -> step.watchInterrupted(why));
                return () -> {};
            }
            Consumer<Consumer<ElectionStep.Event>> watched = onWatch;
            if (watched == null) {
                return () -> {};
            }
            watched.accept(observer);
            Observer deferred = new Observer(event -> delivery.accept(() -> observer.accept(event)), view);
            observers.add(deferred);
            V1Lease now = current();
            if (now != null) {
                new Observer(observer, view).seen(now);
            }
            return () -> observers.remove(deferred);
        }

        private void checkAnswer() throws LeaseException {
            beforeAnswer.run();
            if (answersLost) {
                throw new LeaseException(false, "the answer is lost", null);
            }
        }

        private void checkReachable() throws LeaseException {
            beforeRequest.run();
            String message = failure;
            if (message != null) {
                throw new LeaseException(false, message, null);
            }
        }
    }

    public Lock lock(String owner) {
        return new Lock(owner);
    }

    /** The Lease as it is, null if there is none. */
    public synchronized @Nullable V1Lease current() {
        return copy(lease);
    }

    /** The requests so far, such as {@code a:update}. */
    public synchronized List<String> requests() {
        return List.copyOf(requests);
    }

    /** Who has held the Lease so far, one after the other; an empty string where it was released between two. */
    public synchronized List<String> holders() {
        return List.copyOf(holders);
    }

    public synchronized void forgetRequests() {
        requests.clear();
    }

    /** Changes the Lease as someone with kubectl would. */
    public synchronized void edit(Consumer<V1Lease> change) {
        V1Lease edited = copy(lease);
        if (edited == null) {
            throw new IllegalStateException("no Lease");
        }
        change.accept(edited);
        store(edited);
    }

    /** Puts the store back to a state of before, and its counter with it, as etcd is restored from a backup. */
    public synchronized void restore(V1Lease backup) {
        lease = copy(backup);
        version = Integer.parseInt(metadata(backup).getResourceVersion());
    }

    /** Puts a Lease there. */
    public synchronized void put(V1Lease newLease) {
        store(newLease);
    }

    public synchronized void delete() {
        V1Lease last = copy(lease);
        lease = null;
        if (last != null) {
            metadata(last).setResourceVersion(String.valueOf(++version));
            observers.forEach(observer -> observer.deleted(last));
        }
    }

    private synchronized void noteList(String owner) {
        requests.add(owner + ":list");
    }

    private synchronized @Nullable V1Lease read(String owner) {
        requests.add(owner + ":get");
        return copy(lease);
    }

    private synchronized V1Lease insert(String owner, V1Lease newLease) throws LeaseException {
        requests.add(owner + ":create");
        if (lease != null) {
            throw new LeaseException(true, "exists", null);
        }
        return store(newLease);
    }

    private synchronized V1Lease replace(String owner, V1Lease newLease) throws LeaseException {
        requests.add(owner + ":update");
        V1Lease stored = lease;
        if (stored == null) {
            throw new LeaseException(true, "none", null);
        }
        if (!metadata(stored).getResourceVersion().equals(metadata(newLease).getResourceVersion())) {
            throw new LeaseException(true, "changed", null);
        }
        return store(newLease);
    }

    private V1Lease store(V1Lease newLease) {
        V1Lease stored = Objects.requireNonNull(copy(newLease));
        metadata(stored).setResourceVersion(String.valueOf(++version));
        lease = stored;
        String holder = Leases.holder(stored);
        if (holders.isEmpty() || !holders.get(holders.size() - 1).equals(holder)) {
            holders.add(holder);
        }
        V1Lease told = Objects.requireNonNull(copy(stored));
        observers.forEach(observer -> observer.seen(told));
        return Objects.requireNonNull(copy(stored));
    }

    private static V1ObjectMeta metadata(V1Lease lease) {
        V1ObjectMeta metadata = lease.getMetadata();
        if (metadata == null) {
            metadata = new V1ObjectMeta();
            lease.setMetadata(metadata);
        }
        return metadata;
    }

    /** By hand, since through JSON it would be most of what tests of many Leases do. */
    static @Nullable V1Lease copy(@Nullable V1Lease lease) {
        if (lease == null) {
            return null;
        }
        V1Lease copy = Leases.preferring(lease, Leases.preferredHolder(lease));
        V1LeaseSpec spec = lease.getSpec();
        return spec == null
                ? copy
                : copy.spec(new V1LeaseSpec()
                        .holderIdentity(spec.getHolderIdentity())
                        .leaseDurationSeconds(spec.getLeaseDurationSeconds())
                        .acquireTime(spec.getAcquireTime())
                        .renewTime(spec.getRenewTime())
                        .leaseTransitions(spec.getLeaseTransitions()));
    }
}
