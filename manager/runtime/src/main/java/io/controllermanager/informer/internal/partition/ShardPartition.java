package io.controllermanager.informer.internal.partition;

import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.internal.reflector.Reflector;
import io.controllermanager.informer.internal.store.IndexedStore;
import io.controllermanager.informer.internal.store.OwnWrites;
import io.controllermanager.informer.internal.store.WriteAnswers;
import io.kubernetes.client.common.KubernetesObject;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
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
public final class ShardPartition<T extends KubernetesObject> extends Partition<T> {

    /** How many objects may go during a list before it begins again; each time twice as many, up to 32 times: some 50 MB. */
    public static final int MOST_GONE = 10_000;

    private final ShardPartitions<T> all;
    private final ShardedSelection<T> selection;
    private final boolean isShared;

    /** Those whose objects are held. */
    private final ShardSet<T> held;

    /** Those of them that a list has filled. */
    private final Set<Integer> filled = new HashSet<>();

    /** What the reflector reads at present: the collection, before it watches. Null while it watches. */
    private @Nullable ShardSet<T> reading;

    /** The list of shards that have come; null if there is none. Read by any thread. */
    private volatile @Nullable Join join;

    private int mostGone = MOST_GONE;
    private final ShardProgress progress = new ShardProgress();

    /**
     * A part that holds some shards, whose reflector has not been started.
     *
     * @param all where this is one of
     * @param portion what the reflector reads
     * @param held the shards, to be changed by this alone
     * @param isShared whether there are other parts of the same namespace
     */
    ShardPartition(
            ShardPartitions<T> all,
            Partitions.Parts<T> parts,
            ShardedSelection<T> selection,
            Portion portion,
            ShardSet<T> held,
            boolean isShared) {
        super(parts, portion, isShared ? new StoreShare<>(parts.store(), held) : parts.store(), all::look);
        this.all = all;
        this.selection = selection;
        this.isShared = isShared;
        this.held = held;
        // Until it begins to read, which is when it takes the shards that there are.
        this.reading = new ShardSet<>(selection, Set.of());
    }

    /** The reflector that lists shards which have come, if there is one. By any thread. */
    Stream<Reflector<T>> lists() {
        return Stream.ofNullable(join).map(joining -> joining.reflector);
    }

    /** Whether it holds the shard's objects, or will. By any thread. */
    boolean holds(int shard) {
        return held.shards().contains(shard);
    }

    /** Whether all objects of a shard that is held have been stored. */
    boolean isFilled(int shard) {
        return filled.contains(shard);
    }

    /** Whether a shard has come as far as another process had written, which is so if nothing is known of that. */
    boolean hasPassed(int shard, Map<String, String> versions) {
        return progress.passed(shard)
                >= Math.max(
                        ResourceVersions.number(versions.get(label(shard))),
                        ResourceVersions.number(versions.get(label(ShardedSelection.ANY))));
    }

    private String label(int shard) {
        return label()
                + "#"
                + (shard == ShardedSelection.ANY ? "any" : Integer.toString(shard))
                + "-of-"
                + selection.shards().count();
    }

    @Override
    public boolean claim(String key, T object, List<ResourceEvent<T>> events) {
        return all.claim(this, key, object, events);
    }

    // Shards come and go.

    void hold(int shard) {
        held.add(shard);
        listMissing();
    }

    void drop(int shard) {
        held.drop(shard);
        filled.remove(shard);
        progress.drop(shard);
        if (reading != null) {
            reading.drop(shard);
        }
        Join joining = join;
        if (joining != null) {
            joining.reading.drop(shard);
            // What has come to the dropped shard meanwhile, the list may have in another.
            if (selection.movesObjects() || joining.reading.shards().isEmpty()) {
                endJoin();
            }
        }
        drop(keys(shard), object -> selection.shardOf(object) == shard);
        listMissing();
    }

    @Override
    public void end() {
        endJoin();
        super.end();
    }

    /** Takes nothing any more, and its objects go; nobody is told. */
    void vanish() {
        end();
        drop(keysOfShards(), held);
    }

    @Override
    public List<String> keys() {
        return isShared ? keysOfShards() : super.keys();
    }

    private List<String> keysOfShards() {
        return held.shards().stream().flatMap(shard -> keys(shard).stream()).toList();
    }

    private List<String> keys(int shard) {
        List<String> keys = parts.store().currentKeys(ShardedSelection.INDEX, Integer.toString(shard));
        return namespace == null
                ? keys
                : keys.stream().filter(key -> key.startsWith(namespace + "/")).toList();
    }

    /** Lists shards that are held and neither filled nor listed already. */
    private void listMissing() {
        Set<Integer> missing = new HashSet<>(held.shards());
        missing.removeAll(filled);
        if (!missing.isEmpty() && reading == null && join == null && isOpen()) {
            Join made = new Join(missing, ResourceVersions.number(progress.version()));
            join = made;
            made.reflector.start(progress.version());
        }
    }

    private void endJoin() {
        Join ending = join;
        if (ending != null) {
            join = null;
            ending.reflector.stop();
        }
    }

    /** A list of shards that have come, on a reflector that ends with it. */
    private final class Join implements Reflector.Sink<T> {

        private final ShardSet<T> reading;
        private final long since;
        private final Reflector<T> reflector;

        /** Objects that have gone since then, with the version of that: the list may still have them. */
        private final Map<String, Long> gone = new HashMap<>();

        Join(Set<Integer> shards, long since) {
            this.reading = new ShardSet<>(selection, shards);
            this.since = since;
            this.reflector = parts.reflectors().apply(new Portion(namespace, null, "more shards"), this);
        }

        @Override
        public boolean isOpen() {
            return join == this;
        }

        @Override
        public Predicate<T> listing() {
            return reading;
        }

        /** Whether the watch has brought this state of an object already, or a later one. */
        boolean isKnown(String key, T object) {
            long at = ResourceVersions.number(object);
            Long told = toldVersion(key);
            return told == null ? gone.getOrDefault(key, -1L) > at : told >= at;
        }

        @Override
        public void replace(Map<String, T> objects, String listVersion) {
            joined(this, objects, ResourceVersions.number(listVersion));
        }
    }

    private void joined(Join from, Map<String, T> objects, long at) {
        if (at >= 0 && at < from.since) {
            // Of a server that has been restored from a backup. It is listed again until the watch knows as well.
            throw new IllegalStateException(
                    "the list is of version " + at + ", and the watch had come to " + from.since);
        }
        Set<Integer> come = from.reading.shards();
        // What the watch has brought already, in this state or a later one, and what is of shards that have gone again.
        objects.entrySet()
                .removeIf(entry ->
                        !from.reading.test(entry.getValue()) || from.isKnown(entry.getKey(), entry.getValue()));
        add(objects);
        filled.addAll(come);
        progress.listed(come, at);
        endJoin();
        listMissing();
        all.look();
    }

    /** The version that the reflector has brought of an object, null for none. */
    private @Nullable Long toldVersion(String key) {
        T told = told(key);
        return told == null ? null : ResourceVersions.number(told);
    }

    // What the reflector brings.

    @Override
    public Predicate<T> listing() {
        endJoin();
        ShardSet<T> begun = new ShardSet<>(selection, held.shards());
        reading = begun;
        return begun;
    }

    @Override
    public void replace(Map<String, T> objects, String listVersion) {
        ShardSet<T> read = reading;
        if (read == null) {
            return;
        }
        // Some may have gone since they were read.
        objects.values().removeIf(read.negate());
        Set<Integer> before = Set.copyOf(filled);
        replace(objects, listVersion, read, object -> !before.contains(selection.shardOf(object)));
        reading = null;
        progress.read(listVersion);
        filled.addAll(read.shards());
        listMissing();
        all.look();
    }

    @Override
    public void put(T object) {
        String version = object.getMetadata().getResourceVersion();
        Long told = toldVersion(IndexedStore.key(object));
        if (progress.listIsAhead(told, selection.shardOf(object), ResourceVersions.number(version))) {
            super.passed(String.valueOf(version));
        } else if (held.test(object)) {
            super.put(object);
        } else {
            leave(object);
        }
        progress.watched(version);
        if (!held.test(object)) {
            noteGone(object);
        }
    }

    @Override
    public void remove(T object) {
        String version = object.getMetadata().getResourceVersion();
        Long told = toldVersion(IndexedStore.key(object));
        if (told != null && progress.listIsAhead(told, selection.shardOf(object), ResourceVersions.number(version))) {
            // Made again meanwhile, as a list has said.
            super.passed(String.valueOf(version));
        } else {
            super.remove(object);
        }
        progress.watched(version);
        noteGone(object);
    }

    @Override
    public void passed(String seen) {
        super.passed(seen);
        progress.watched(seen);
    }

    /** An object has gone, or is not held now. Called once the watch has that version, from which a list may begin again. */
    private void noteGone(T object) {
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

    /** What this process writes of other shards is left alone, unless it was held before. */
    @Override
    public void written(WriteAnswers.Answer<T> answer, @Nullable T stored) {
        T before = known(answer.key());
        T ours = stored != null && held.test(stored) ? stored : null;
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
        concerned.retainAll(held.shards());
        if (!concerned.isEmpty()) {
            concerned.forEach(shard -> note(label(shard), answer.version()));
            show(answer, ours);
        }
    }

    /**
     * A store as one of several partitions sees it whose objects may have the same keys one after the other. Guarded by the
     * informer's lock.
     *
     * @param <T> the objects' class
     * @param ours which objects are the partition's
     */
    private record StoreShare<T extends KubernetesObject>(IndexedStore<T> store, Predicate<T> ours)
            implements OwnWrites.Shown<T> {

        @Override
        public @Nullable T current(String key) {
            T there = store.current(key);
            return there == null || !ours.test(there) ? null : there;
        }

        /** Another partition's object that is newer stays. */
        @Override
        public void put(String key, T object) {
            T there = store.current(key);
            if (there == null
                    || ours.test(there)
                    || ResourceVersions.number(there) <= ResourceVersions.number(object)) {
                store.put(key, object);
            }
        }

        /** Another partition's object stays. */
        @Override
        public void remove(String key) {
            if (current(key) != null) {
                store.remove(key);
            }
        }
    }
}
