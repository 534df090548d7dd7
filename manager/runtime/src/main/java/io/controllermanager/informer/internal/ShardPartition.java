package io.controllermanager.informer.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.kubernetes.client.common.KubernetesObject;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The part of an informer that holds some shards' objects of all that its reflector brings. Shards come and go while the
 * reflector watches on:
 *
 * <ul>
 *   <li>A shard that comes is kept of what the watch brings from that moment on. A list, not older than that moment, brings
 *       the rest, and only that is taken from it. What has been held before does not notice.
 *   <li>A shard that goes is forgotten, and nobody is told.
 *   <li>A shard that comes while the reflector reads the collection, at first or after a 410, is listed after that.
 * </ul>
 *
 * <p>That list may be newer than the watch. Until the watch has come as far, what it brings of the shard and is older than
 * the list is left out.
 *
 * @param <T> the objects' class
 */
final class ShardPartition<T extends KubernetesObject> implements Reflector.Sink<T> {

    /** How many objects may go during a list before it begins again; each time twice as many, up to 32 times: some 50 MB. */
    static final int MOST_GONE = 10_000;

    private final ShardedSelection<T> selection;
    private final @Nullable String namespace;
    private final InformerParts<T> parts;
    private final Runnable onFilled;
    private final Object lock;
    private final Partition<T> partition;

    /** Those whose objects are held; written with the lock held. */
    private volatile Set<Integer> shards;

    /** Those of them that a list has filled. */
    @GuardedBy("lock")
    private final Set<Integer> filled = new HashSet<>();

    /** What the reflector reads at present: the collection, before it watches. Null while it watches. */
    @GuardedBy("lock")
    private @Nullable ShardReading<T> reading;

    /** The list of shards that have come; null if there is none. */
    @GuardedBy("lock")
    private @Nullable Join join;

    @GuardedBy("lock")
    private int mostGone = MOST_GONE;

    @GuardedBy("lock")
    private final ShardProgress progress = new ShardProgress();

    @GuardedBy("lock")
    private boolean ended;

    /**
     * A part that holds some shards, whose reflector has not been started.
     *
     * @param portion what the reflector reads
     * @param rivals other parts that may have an object of the same key
     * @param isShared whether there are other parts of the same namespace
     * @param onFilled called once one or more shards are filled, under the lock
     */
    ShardPartition(
            ShardedSelection<T> selection,
            Portion portion,
            Set<Integer> shards,
            boolean isShared,
            Partition.Rivals<T> rivals,
            InformerParts<T> parts,
            Runnable onFilled) {
        this.selection = selection;
        this.namespace = portion.namespace();
        this.shards = Set.copyOf(shards);
        this.parts = parts;
        this.onFilled = onFilled;
        this.lock = parts.lock();
        // Until it begins to read, which is when it takes the shards that there are.
        this.reading = new ShardReading<>(selection, Set.of());
        IndexedStore<T> store = parts.store();
        Supplier<List<String>> keys = isShared ? this::keysOfShards : () -> store.currentKeys(namespace);
        this.partition = new Partition<>(
                parts,
                isShared ? new StoreShare<>(store, this::holds) : store,
                keys,
                rivals,
                () -> {},
                () -> {},
                own -> parts.reflectors().make(portion, this));
    }

    Partition<T> partition() {
        return partition;
    }

    /** The reflector that lists shards which have come, if there is one. */
    Stream<Reflector<T>> lists() {
        synchronized (lock) {
            return Stream.ofNullable(join).map(joining -> joining.reflector);
        }
    }

    @Nullable
    String namespace() {
        return namespace;
    }

    /** Whether it holds the shard's objects, or will. */
    boolean holds(int shard) {
        return shards.contains(shard);
    }

    private boolean holds(T object) {
        return shards.contains(selection.shardOf(object));
    }

    /** Whether all objects of a shard that is held have been stored. */
    boolean isFilled(int shard) {
        synchronized (lock) {
            return filled.contains(shard);
        }
    }

    /** How far it has come with a shard, negative if that is not known. */
    long passed(int shard) {
        synchronized (lock) {
            return progress.passed(shard);
        }
    }

    // Shards come and go.

    /** Holds one more shard. */
    void hold(int shard) {
        synchronized (lock) {
            Set<Integer> all = new HashSet<>(shards);
            all.add(shard);
            shards = Set.copyOf(all);
            listMissing();
        }
    }

    /** Holds one shard less. */
    void drop(int shard) {
        synchronized (lock) {
            shards = ShardReading.without(shards, shard);
            filled.remove(shard);
            progress.drop(shard);
            ShardReading<T> collection = reading;
            if (collection != null) {
                collection.drop(shard);
            }
            Join joining = join;
            if (joining != null) {
                joining.reading.drop(shard);
                // What has come to the dropped shard meanwhile, the list may have in another.
                if (selection.movesObjects() || joining.reading.shards().isEmpty()) {
                    endJoin();
                }
            }
            partition.drop(keys(shard), object -> selection.shardOf(object) == shard);
            listMissing();
        }
    }

    /** Takes nothing any more. Its objects stay. */
    void end() {
        synchronized (lock) {
            ended = true;
            endJoin();
            partition.end();
        }
    }

    /** Takes nothing any more, and its objects go; nobody is told. */
    void vanish() {
        synchronized (lock) {
            end();
            partition.drop(keysOfShards(), this::holds);
        }
    }

    private List<String> keysOfShards() {
        return shards.stream().flatMap(shard -> keys(shard).stream()).toList();
    }

    private List<String> keys(int shard) {
        List<String> keys = parts.store().currentKeys(ShardIndex.NAME, ShardIndex.value(shard));
        return namespace == null
                ? keys
                : keys.stream().filter(key -> key.startsWith(namespace + "/")).toList();
    }

    /** Lists shards that are held and neither filled nor listed already. */
    private void listMissing() {
        synchronized (lock) {
            Set<Integer> missing = new HashSet<>(shards);
            missing.removeAll(filled);
            if (!missing.isEmpty() && reading == null && join == null && !ended) {
                Join made = new Join(missing, ResourceVersions.number(progress.version()));
                join = made;
                made.reflector.start(progress.version());
            }
        }
    }

    private void endJoin() {
        synchronized (lock) {
            Join ending = join;
            if (ending != null) {
                join = null;
                ending.reflector.stop();
            }
        }
    }

    /** A list of shards that have come, on a reflector that ends with it. */
    private final class Join implements Reflector.Sink<T> {

        private final ShardReading<T> reading;
        private final long since;
        private final Reflector<T> reflector;

        /** Objects that have gone since then, with the version of that: the list may still have them. */
        private final Map<String, Long> gone = new HashMap<>();

        Join(Set<Integer> shards, long since) {
            this.reading = new ShardReading<>(selection, shards);
            this.since = since;
            this.reflector = parts.reflectors().make(new Portion(namespace, null, "more shards"), this);
        }

        @Override
        public Predicate<T> listing() {
            return reading;
        }

        /** Whether the watch has brought this state of an object already, or a later one. */
        boolean isKnown(String key, T object) {
            long at = ResourceVersions.number(object);
            Long told = told(key);
            return told == null ? gone.getOrDefault(key, -1L) > at : told >= at;
        }

        @Override
        public void replace(Map<String, T> objects, String listVersion) {
            joined(this, objects, ResourceVersions.number(listVersion));
        }

        @Override
        public void put(T object) {}

        @Override
        public void remove(T object) {}

        @Override
        public void passed(String seen) {}
    }

    private void joined(Join from, Map<String, T> objects, long at) {
        synchronized (lock) {
            if (join != from) {
                return;
            }
            if (at >= 0 && at < from.since) {
                // Of a server that has been restored from a backup. It is listed again until the watch knows as well.
                throw new IllegalStateException(
                        "the list is of version " + at + ", and the watch had come to " + from.since);
            }
            Set<Integer> come = from.reading.shards();
            // What the watch has brought already, in this state or a later one, and what is of shards that have gone
            // again.
            objects.entrySet()
                    .removeIf(entry ->
                            !from.reading.test(entry.getValue()) || from.isKnown(entry.getKey(), entry.getValue()));
            partition.add(objects);
            filled.addAll(come);
            progress.listed(come, at);
            endJoin();
            listMissing();
            onFilled.run();
        }
        parts.waiters().look();
    }

    /** The version that the reflector has brought of an object, null for none. */
    private @Nullable Long told(String key) {
        T told = partition.told(key);
        return told == null ? null : ResourceVersions.number(told);
    }

    // What the reflector brings.

    @Override
    public Predicate<T> listing() {
        synchronized (lock) {
            endJoin();
            ShardReading<T> begun = new ShardReading<>(selection, shards);
            reading = begun;
            return begun;
        }
    }

    @Override
    public void restored() {
        partition.restored();
    }

    @Override
    public long written() {
        return partition.written();
    }

    @Override
    public void replace(Map<String, T> objects, String listVersion) {
        synchronized (lock) {
            ShardReading<T> read = reading;
            if (ended || read == null) {
                return;
            }
            // Some may have gone since they were read.
            objects.values().removeIf(read.negate());
            Set<Integer> before = Set.copyOf(filled);
            partition.replace(objects, listVersion, read, object -> !before.contains(selection.shardOf(object)));
            reading = null;
            progress.read(listVersion);
            filled.addAll(read.shards());
            listMissing();
            onFilled.run();
        }
        parts.waiters().look();
    }

    @Override
    public void put(T object) {
        synchronized (lock) {
            if (ended) {
                return;
            }
            long at = ResourceVersions.number(object);
            if (progress.listIsAhead(told(IndexedStore.key(object)), selection.shardOf(object), at)) {
                partition.passed(String.valueOf(object.getMetadata().getResourceVersion()));
            } else if (holds(object)) {
                partition.put(object);
            } else {
                partition.leave(object);
            }
            progress.watched(object.getMetadata().getResourceVersion());
            if (!holds(object)) {
                noteGone(object);
            }
        }
    }

    @Override
    public void remove(T object) {
        synchronized (lock) {
            if (ended) {
                return;
            }
            long at = ResourceVersions.number(object);
            Long told = told(IndexedStore.key(object));
            if (told != null && progress.listIsAhead(told, selection.shardOf(object), at)) {
                // Made again meanwhile, as a list has said.
                partition.passed(String.valueOf(object.getMetadata().getResourceVersion()));
            } else {
                partition.remove(object);
            }
            progress.watched(object.getMetadata().getResourceVersion());
            noteGone(object);
        }
    }

    @Override
    public void passed(String seen) {
        synchronized (lock) {
            if (!ended) {
                partition.passed(seen);
                progress.watched(seen);
            }
        }
        parts.waiters().look();
    }

    /** An object has gone, or is not held now. Called once the watch has that version, from which a list may begin again. */
    private void noteGone(T object) {
        synchronized (lock) {
            Join joining = join;
            // In the list it may be of another shard than now only if objects move.
            if (joining != null && (selection.movesObjects() || joining.reading.test(object))) {
                joining.gone.merge(IndexedStore.key(object), ResourceVersions.number(object), Math::max);
                if (joining.gone.size() > mostGone) {
                    // The next list is not older than what is forgotten here.
                    mostGone = Math.min(2 * mostGone, 32 * MOST_GONE);
                    endJoin();
                    listMissing();
                }
            }
        }
    }

    // What this process writes.

    /** As {@link Partitions#written}. What is of other shards is left alone, unless it was held before. */
    void written(WriteAnswers.Answer<T> answer, @Nullable T stored) {
        if (namespace != null && !namespace.equals(answer.namespace())) {
            return;
        }
        synchronized (lock) {
            T before = partition.known(answer.key());
            T ours = stored != null && holds(stored) ? stored : null;
            Set<Integer> concerned = new HashSet<>();
            if (before != null) {
                concerned.add(selection.shardOf(before));
            }
            if (ours != null) {
                concerned.add(selection.shardOf(ours));
            }
            if (before == null && answer instanceof WriteAnswers.Answer.Deleted<T> deleted) {
                String name = deleted.key().substring(deleted.key().indexOf('/') + 1);
                concerned.add(selection.shardOf(deleted.namespace(), name, deleted.uid()));
            }
            concerned.retainAll(shards);
            if (!concerned.isEmpty()) {
                concerned.forEach(
                        shard -> parts.versions().note(label(parts, selection, namespace, shard), answer.version()));
                partition.written(answer, ours);
            }
        }
    }

    /** What another process is told a version of: the same for each that is configured alike. */
    static String label(InformerParts<?> parts, ShardedSelection<?> selection, @Nullable String namespace, int shard) {
        return parts.label()
                + (namespace == null ? "" : "/" + namespace)
                + "#"
                + (shard == ShardedSelection.ANY ? "any" : Integer.toString(shard))
                + "-of-"
                + selection.shards().count();
    }
}
