package io.controllermanager.informer.internal;

import io.controllermanager.client.internal.request.Permission;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.partition.Portion;
import io.controllermanager.informer.internal.reflector.ListWatch;
import io.controllermanager.informer.internal.reflector.WatchEvent;
import io.controllermanager.informer.internal.reflector.WatchStream;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A collection of ConfigMaps as an API server would serve it, whose watches lag and whose lists are held back as a test wants.
 */
final class FakeCollection {

    private final Map<String, V1ConfigMap> objects = new TreeMap<>();
    private final List<WatchEvent<V1ConfigMap>> events = new ArrayList<>();
    private final Map<String, Long> limits = new HashMap<>();
    private final Set<String> heldLists = new HashSet<>();
    private final Set<String> refusedLists = new HashSet<>();
    private final List<String> lists = new ArrayList<>();
    private final List<Stream> streams = new ArrayList<>();
    private final @Nullable Shards filteredBy;
    private long version = 100;
    private long oldest = 100;
    private int uids;
    private int mostListed;

    /**
     * Empty.
     *
     * @param filteredBy how lists and watches are filtered by shard; null if they are not
     */
    FakeCollection(@Nullable Shards filteredBy) {
        this.filteredBy = filteredBy;
    }

    // What the test does.

    /** Makes or changes an object; gives it. An owner is its name, for the uid too. */
    synchronized V1ConfigMap put(String namespace, String name, @Nullable String owner) {
        V1ConfigMap before = objects.get(namespace + "/" + name);
        V1ObjectMeta metadata = new V1ObjectMeta()
                .namespace(namespace)
                .name(name)
                .uid(before == null ? "uid-" + ++uids : before.getMetadata().getUid())
                .resourceVersion(Long.toString(++version));
        if (owner != null) {
            metadata.addOwnerReferencesItem(new V1OwnerReference()
                    .apiVersion("apps/v1")
                    .kind("Deployment")
                    .name(owner)
                    .uid(owner)
                    .controller(true));
        }
        V1ConfigMap object = new V1ConfigMap().metadata(metadata);
        objects.put(namespace + "/" + name, object);
        say(new WatchEvent.Changed<>(object, before == null));
        return object;
    }

    synchronized void delete(String namespace, String name) {
        V1ConfigMap before = objects.remove(namespace + "/" + name);
        if (before != null) {
            V1ObjectMeta old = before.getMetadata();
            say(new WatchEvent.Removed<>(new V1ConfigMap()
                    .metadata(new V1ObjectMeta()
                            .namespace(namespace)
                            .name(name)
                            .uid(old.getUid())
                            .ownerReferences(old.getOwnerReferences())
                            .resourceVersion(Long.toString(++version)))));
        }
    }

    private void say(WatchEvent<V1ConfigMap> event) {
        events.add(event);
        notifyAll();
    }

    synchronized Map<String, V1ConfigMap> objects() {
        return new TreeMap<>(objects);
    }

    synchronized long version() {
        return version;
    }

    /** Has reflectors with this title see nothing newer than now. */
    synchronized void holdWatch(String title) {
        limits.put(title, version);
    }

    synchronized void releaseWatch(String title) {
        limits.remove(title);
        notifyAll();
    }

    /** Has lists of reflectors with this title wait with what they have read. */
    synchronized void holdLists(String title) {
        heldLists.add(title);
    }

    /** Refuses lists of reflectors with this title. */
    synchronized void refuseLists(String title) {
        refusedLists.add(title);
    }

    synchronized void releaseLists(String title) {
        heldLists.remove(title);
        refusedLists.remove(title);
        notifyAll();
    }

    /** Forgets the history, and ends all watches with 410. */
    synchronized void expire() {
        oldest = ++version;
        notifyAll();
    }

    /** The lists asked for so far: title and resourceVersion. */
    synchronized List<String> lists() {
        return List.copyOf(lists);
    }

    /** How many objects a list has held at most. */
    synchronized int mostListed() {
        return mostListed;
    }

    /** The watches that are open, by title. */
    synchronized List<String> watches() {
        return streams.stream().map(stream -> stream.portion.title()).sorted().toList();
    }

    ListWatch<V1ConfigMap> source(Portion portion) {
        return new Source(portion);
    }

    private boolean serves(Portion portion, V1ConfigMap object) {
        V1ObjectMeta metadata = object.getMetadata();
        if (portion.namespace() != null && !portion.namespace().equals(metadata.getNamespace())) {
            return false;
        }
        Shards by = filteredBy;
        return by == null
                || portion.shardSelector() == null
                || IntStream.range(0, by.count())
                        .filter(shard -> portion.shardSelector().equals(by.selector(shard)))
                        .anyMatch(shard ->
                                by.of(metadata.getNamespace(), metadata.getName(), metadata.getUid()) == shard);
    }

    private final class Source implements ListWatch<V1ConfigMap> {

        private final Portion portion;
        private volatile boolean cancelled;

        Source(Portion portion) {
            this.portion = portion;
        }

        @Override
        public String target() {
            return portion.target("configmaps");
        }

        @Override
        public Permission permission(String verb) {
            return new Permission(verb, "configmaps", portion.namespace());
        }

        @Override
        public Listing<V1ConfigMap> list(String resourceVersion, Predicate<? super V1ConfigMap> kept)
                throws ApiException {
            synchronized (FakeCollection.this) {
                lists.add(portion.title() + " " + resourceVersion);
                FakeCollection.this.notifyAll();
                if (refusedLists.contains(portion.title())) {
                    throw new ApiException(500, "refused on purpose");
                }
                List<V1ConfigMap> items = new ArrayList<>();
                for (V1ConfigMap object : objects.values()) {
                    if (serves(portion, object) && kept.test(object)) {
                        items.add(object);
                    }
                }
                mostListed = Math.max(mostListed, items.size());
                long at = version;
                await(() -> !heldLists.contains(portion.title()) || cancelled);
                if (cancelled) {
                    throw new ApiException(0, "cancelled");
                }
                return new Listing<>(items, Long.toString(at), 0);
            }
        }

        @Override
        public WatchStream<V1ConfigMap> watch(String resourceVersion, int timeoutSeconds) {
            synchronized (FakeCollection.this) {
                Stream stream = new Stream(portion, Long.parseLong(resourceVersion));
                streams.add(stream);
                FakeCollection.this.notifyAll();
                return stream;
            }
        }

        @Override
        public void cancel() {
            synchronized (FakeCollection.this) {
                cancelled = true;
                for (Stream stream : List.copyOf(streams)) {
                    if (stream.portion == portion) {
                        stream.close();
                    }
                }
                FakeCollection.this.notifyAll();
            }
        }
    }

    private void await(BooleanSupplier condition) {
        synchronized (this) {
            while (!condition.getAsBoolean()) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    private final class Stream implements WatchStream<V1ConfigMap> {

        private final Portion portion;
        private long seen;
        private int polled;
        private boolean closed;

        Stream(Portion portion, long from) {
            this.portion = portion;
            this.seen = from;
        }

        @Override
        public WatchEvent<V1ConfigMap> next() throws IOException {
            synchronized (FakeCollection.this) {
                while (!closed) {
                    if (seen < oldest) {
                        return new WatchEvent.Failed<>(410, "too old resource version", null);
                    }
                    WatchEvent<V1ConfigMap> next = poll();
                    if (next != null) {
                        return next;
                    }
                    try {
                        FakeCollection.this.wait();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                }
                throw new IOException("closed");
            }
        }

        /** The next event that this watch is served, if it may see it. */
        private @Nullable WatchEvent<V1ConfigMap> poll() {
            for (; polled < events.size(); polled++) {
                WatchEvent<V1ConfigMap> event = events.get(polled);
                V1ConfigMap object = event instanceof WatchEvent.Changed<V1ConfigMap> changed
                        ? changed.object()
                        : ((WatchEvent.Removed<V1ConfigMap>) event).object();
                long at = ResourceVersions.number(object);
                if (at > limits.getOrDefault(portion.title(), Long.MAX_VALUE)) {
                    return null;
                }
                if (at > seen) {
                    seen = at;
                    if (serves(portion, object)) {
                        return event;
                    }
                }
            }
            return null;
        }

        @Override
        public Duration idleLimit() {
            return Duration.ofHours(1);
        }

        @Override
        public void close() {
            synchronized (FakeCollection.this) {
                closed = true;
                streams.remove(this);
                FakeCollection.this.notifyAll();
            }
        }
    }

    @Override
    public synchronized String toString() {
        return "collection at %d, history from %d, lists %s, watches %s".formatted(version, oldest, lists, watches());
    }

    /** What a store should have, by key. */
    static Map<String, String> versions(Map<String, V1ConfigMap> objects) {
        Map<String, String> versions = new LinkedHashMap<>();
        objects.forEach((key, object) ->
                versions.put(key, String.valueOf(object.getMetadata().getResourceVersion())));
        return versions;
    }
}
