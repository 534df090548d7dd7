package io.controllermanager.apiserver.world;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.rest.Commits;
import io.controllermanager.apiserver.rest.GarbageCollector;
import io.controllermanager.apiserver.rest.Writer;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.StoredObject;
import io.controllermanager.apiserver.writes.WriteJournal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of workloads, and the rules for it. What is due is done in the thread that writes or asks for something,
 * before the answer; while nobody does, in a thread that lives as long as something is to come. For use by any thread.
 */
public final class World implements Commits.Follower, AutoCloseable {

    /** In the order in which they are decided about, so that owners see what has become of all that they own. */
    private static final List<Map.Entry<String, Consumer<Part>>> DECISIONS = List.of(
            entry("persistentvolumeclaims", Pods::claim),
            entry("pods", Pods::pod),
            entry("replicasets.apps", Workloads::replicaSet),
            entry("statefulsets.apps", Workloads::statefulSet),
            entry("daemonsets.apps", Workloads::daemonSet),
            entry("jobs.batch", Jobs::job),
            entry("deployments.apps", Workloads::deployment),
            entry("cronjobs.batch", Jobs::cronJob));

    private static final List<String> ORDER =
            DECISIONS.stream().map(Map.Entry::getKey).toList();

    /** What decisions look at beside the object and what it owns. */
    private static final Map<String, List<String>> SEEN_BY = Map.of(
            "persistentvolumeclaims", List.of("pods"),
            "storageclasses.storage.k8s.io", List.of("persistentvolumeclaims"),
            "nodes", List.of("daemonsets.apps"));

    final Commits commits;
    private final GarbageCollector collector;
    private final Writer writer;
    private final WriteJournal journal;
    private final InstantSource clock;
    private final List<Rule> rules = new ArrayList<>();
    private final NavigableSet<Key> queue = new TreeSet<>(
            Comparator.<Key>comparingInt(key -> ORDER.indexOf(key.resource())).thenComparing(Key::path));
    private final Map<Key, Instant> due = new HashMap<>();
    private @Nullable Thread keeper;
    private boolean working;
    /** Whether the decision has written others, so that the object is decided about again. */
    private boolean acted;

    public World(
            Commits commits, GarbageCollector collector, Writer writer, WriteJournal journal, InstantSource clock) {
        this.commits = commits;
        this.collector = collector;
        this.clock = clock;
        this.writer = writer;
        this.journal = journal;
    }

    /**
     * A rule for one step, which comes into force when it is told more. Of several for the same the newest counts.
     *
     * @param kind of the object, or of one that owns it, directly or not: {@code Deployment}, {@code Website}
     * @param name of that object, or {@code namespace/name}; an asterisk stands for anything
     */
    public Rule when(Step step, String kind, String name) {
        Objects.requireNonNull(step, "step");
        Objects.requireNonNull(kind, "kind");
        return new Rule(this, step, kind, Objects.requireNonNull(name, "name"));
    }

    Rule change(Rule rule, Runnable change) {
        reconsider(() -> {
            change.run();
            rules.remove(rule);
            rules.add(0, rule);
        });
        return rule;
    }

    /** Takes all rules back. */
    public void clear() {
        reconsider(rules::clear);
    }

    /** Has a change come into force for all that is there, such as the store's return to an earlier state. */
    public synchronized void reconsider(Runnable change) {
        change.run();
        due.clear();
        ORDER.forEach(resource -> touchAll(resource, ""));
        work();
    }

    /**
     * Does what is due by now, after the server's clock was moved.
     *
     * @return how long until there will be more to do; null for never, unless something is written
     */
    public synchronized @Nullable Duration run() {
        due.entrySet().stream()
                .filter(entry -> !entry.getValue().isAfter(now()))
                .forEach(entry -> queue.add(entry.getKey()));
        work();
        return due.isEmpty() ? null : Duration.between(now(), Collections.min(due.values()));
    }

    @Override
    public synchronized void follow(StoredObject object, boolean deleted) {
        Stream.concat(Stream.of(object), collector.owners(object).stream())
                .map(StoredObject::key)
                .filter(key -> ORDER.contains(key.resource()))
                .forEach(queue::add);
        SEEN_BY.getOrDefault(object.key().resource(), List.of())
                .forEach(resource -> touchAll(resource, object.key().namespace()));
        work();
    }

    /** Has all of a resource in a namespace decided about; an empty one stands for all of them. */
    private void touchAll(String resource, String namespace) {
        commits.store().objects(resource, namespace).forEach(object -> queue.add(object.key()));
    }

    /** Decides until nothing is left to decide; what is written meanwhile is followed before the next decision. */
    private void work() {
        if (working) {
            return;
        }
        boolean decides = !queue.isEmpty();
        working = true;
        try {
            for (Key key = queue.pollFirst(); key != null; key = queue.pollFirst()) {
                due.remove(key);
                StoredObject object = commits.store().get(key);
                if (object != null
                        && (!object.isBeingDeleted() || key.resource().equals("pods"))) {
                    journal.ofOwnAccord(() -> commits.followed(() -> decide(object)));
                }
            }
        } finally {
            working = false;
        }
        if (due.isEmpty()) {
            return;
        }
        if (keeper == null) {
            keeper = new Thread(this::keepTime, "embedded-api-server-world");
            keeper.setDaemon(true);
            keeper.start();
        } else if (decides) {
            // Something may be due earlier than what the thread waits for.
            notifyAll();
        }
    }

    private void decide(StoredObject object) {
        Part part = new Part(this, object);
        if (object.key().resource().endsWith(".apps")) {
            part.status.put("observedGeneration", part.number("/metadata/generation"));
        }
        acted = false;
        DECISIONS.get(ORDER.indexOf(object.key().resource())).getValue().accept(part);
        if (acted || !commits.replace(object, part.tree)) {
            queue.add(object.key());
        }
    }

    /** Does what becomes due, as long as there is something. Looks each second whether a test has moved its clock. */
    private synchronized void keepTime() {
        try {
            for (Duration next = run(); next != null; next = run()) {
                wait(Math.max(10, Math.min(next.toMillis(), 1_000)));
            }
        } catch (InterruptedException e) {
            due.clear(); // The server is closed.
        } finally {
            keeper = null;
        }
    }

    @Override
    public synchronized void close() {
        if (keeper != null) {
            keeper.interrupt();
        }
    }

    Instant now() {
        return clock.instant();
    }

    /** Whether a time has come. If not, the object is decided about again then. */
    boolean isPast(Key key, Instant time) {
        if (time.isAfter(now()) && time.isBefore(Instant.MAX)) {
            due.merge(key, time, (one, other) -> one.isBefore(other) ? one : other);
        }
        return !time.isAfter(now());
    }

    /** The rule for a step of an object. */
    Rule rule(Step step, StoredObject object) {
        return rules.stream()
                .filter(rule -> rule.step == step && isFor(rule, object))
                .findFirst()
                .orElseGet(() -> when(step, "", ""));
    }

    private boolean isFor(Rule rule, StoredObject object) {
        return rule.isFor(object) || collector.owners(object).stream().anyMatch(owner -> isFor(rule, owner));
    }

    /** Whether a Pod's Job fails before its containers have restarted so often. */
    boolean givesUp(Part pod, int restarts) {
        return restarts > 0
                && collector.owners(pod.stored).stream()
                        .map(owner -> owner.tree().at("/spec/backoffLimit"))
                        .anyMatch(limit -> limit.isInt() && limit.asInt() <= restarts);
    }

    /** An object by its name; null if there is none. */
    @Nullable
    Part get(String resource, String namespace, String name) {
        StoredObject object = commits.store().get(new Key(resource, namespace, name));
        return object == null ? null : new Part(this, object);
    }

    void create(ObjectNode object) {
        ResourceType type = Objects.requireNonNull(collector.type(object), "a built-in type");
        acted |= writer.create(type, object);
    }

    /** Deletes an object, unless that has begun. */
    void delete(Part part) {
        if (!part.stored.isBeingDeleted()) {
            acted = true;
            commits.deleteInBackground(part.stored);
        }
    }

    void save(Part part) {
        acted |= !part.stored.holds(part.tree);
        commits.replace(part.stored, part.tree);
    }
}
