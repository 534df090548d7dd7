package io.controllermanager.informer.faults;

import com.google.gson.JsonObject;
import io.controllermanager.informer.StoreSnapshot;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One mechanism at work on one rig, and what came of it. When it is over, these must hold, while writers go on:
 *
 * <ul>
 *   <li>There is evidence that something went wrong.
 *   <li>The informer comes to a version that was current when it was over.
 *   <li>Its store equals what the server lists at exactly its version.
 *   <li>So does what each handler believes: one quick, one slow, one that was added while things went wrong. None of them
 *       was told anything that does not fit what it was told before, such as an object's going back in time.
 *   <li>If there was no list, the handlers that were there before were told exactly the changes that a watch past the
 *       proxy shows, in that order: nothing is missing, nothing comes twice.
 *   <li>There was a list only if the server said 410, by its own account, and only if the mechanism is one of those that
 *       make it say so. Of the embedded server, that is what the proxy has seen it send. A real one's log shows from which
 *       versions the informer's watches began, and the server says of them whether it has forgotten them.
 *   <li>Writers have gone on: each of them was answered again after it was over. {@code benchmarks/run/informer-faults} also
 *       asks for {@link #LEAST_WRITES} on the embedded server, which nothing makes slow, where it took long enough to tell. A
 *       test does not, since it must not depend on the machine.
 * </ul>
 */
final class Episode {

    /** How many of {@value Writers#PER_SECOND} writes a second must be answered; any number will do unless a benchmark asks. */
    static final int LEAST_WRITES = Integer.getInteger("informer.least-writes", 0);

    /** A machine that is busy with something else for a moment makes a rate over less than this mean little. */
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(20);

    private final Rig rig;
    private final Mechanism mechanism;
    private final long seed;
    private final boolean brief;
    private final boolean alone;
    private final List<String> faults = new ArrayList<>();

    /**
     * What came of it.
     *
     * @param fault how long it lasted
     * @param found how long it took the informer to find out by itself, null if that is not the question
     * @param recovery from its end until the informer had what was current then, null if it never had
     * @param evidence what shows that it happened
     * @param listsBefore how often the informer had read everything
     * @param listsAfter how often when it was over
     * @param expired how often the server said 410 to it
     * @param writes how many writes a second were answered from its beginning until the informer had recovered
     * @param objects in the store, after
     * @param events that the quick handler was told of meanwhile
     * @param compared how many changes were compared with the server's own history, one by one; 0 after a list
     * @param faults what must not be
     */
    record Outcome(
            Instant at,
            String server,
            String mechanism,
            boolean watchListFirst,
            long seed,
            Duration fault,
            @Nullable Duration found,
            @Nullable Duration recovery,
            Map<String, Long> evidence,
            long listsBefore,
            long listsAfter,
            long expired,
            double writes,
            int objects,
            long events,
            int compared,
            List<String> faults) {

        boolean passed() {
            return faults.isEmpty();
        }

        /** One line of JSON. */
        String json() {
            JsonObject line = new JsonObject();
            line.addProperty("time", at.toString());
            line.addProperty("server", server);
            line.addProperty("mechanism", mechanism);
            line.addProperty("first", watchListFirst ? "watch-list" : "list");
            line.addProperty("seed", seed);
            line.addProperty("fault_ms", fault.toMillis());
            line.addProperty("found_ms", found == null ? null : found.toMillis());
            line.addProperty("recovery_ms", recovery == null ? null : recovery.toMillis());
            JsonObject shown = new JsonObject();
            evidence.forEach(shown::addProperty);
            line.add("evidence", shown);
            line.addProperty("lists_before", listsBefore);
            line.addProperty("lists_after", listsAfter);
            line.addProperty("expired", expired);
            line.addProperty("writes_per_s", Math.round(writes));
            line.addProperty("objects", objects);
            line.addProperty("events", events);
            line.addProperty("compared", compared);
            line.addProperty("verdict", passed() ? "passed" : String.join("; ", faults));
            return line.toString();
        }
    }

    /**
     * An episode to come.
     *
     * @param brief whether it is to take as short as it can
     * @param alone whether nothing else goes wrong with this server meanwhile
     */
    Episode(Rig rig, Mechanism mechanism, long seed, boolean brief, boolean alone) {
        this.rig = rig;
        this.mechanism = mechanism;
        this.seed = seed;
        this.brief = brief;
        this.alone = alone;
    }

    Outcome run() throws InterruptedException {
        try {
            return judged();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Outcome judged() throws InterruptedException, IOException {
        Instant at = Instant.now();
        // It has a version a moment after it has synced.
        Awaitility.await("the informer is up to date")
                .pollInterval(Duration.ofMillis(5))
                .until(() -> rig.informer().hasSynced() && rig.status().connected() && rig.version() > 0);
        Recorder.Checkpoint quickBefore = checkpoint(rig.quick(), "before");
        Recorder.Checkpoint slowBefore = checkpoint(rig.slow(), "before");
        faults.clear();
        Object life = rig.lifeOfNow();
        InformerStatus before = rig.status();
        long toldBefore = rig.ends("expired");
        long saidBefore = rig.proxy().expired();
        AuditLog log = rig.world().isEmbedded()
                ? null
                : new AuditLog(rig.world().plane().auditLog(), rig.userAgent());
        long eventsBefore = rig.quick().events();

        Recorder late = new Recorder("late", rig.timer(), Duration.ZERO);
        List<Subscription> subscriptions = new ArrayList<>();
        Scene scene = new Scene(
                rig,
                new Random(seed),
                brief,
                () -> subscriptions.add(rig.informer().subscribe("late", late, Duration.ZERO)));
        Duration lasted;
        Duration recovery = null;
        int compared = 0;
        double writes;
        try {
            long begun = System.nanoTime();
            long written = rig.world().writers().written();
            happen(scene);
            scene.begun();
            long end = System.nanoTime();
            lasted = Duration.ofNanos(end - begun);
            recovery = recover(end);
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            writes = (rig.world().writers().written() - written) * 1e9 / took.toNanos();
            judgeWrites(writes, took);
            boolean anew = life != rig.lifeOfNow();
            if (recovery != null) {
                compareStore();
                List<Recorder.Checkpoint> checkpoints = new ArrayList<>();
                for (Recorder handler : List.of(rig.quick(), rig.slow(), late)) {
                    checkpoints.add(checkpoint(handler, "after"));
                }
                if (!anew && rig.status().lists() == before.lists()) {
                    compared = compareHistory(quickBefore, checkpoints.get(0), rig.quick())
                            + compareHistory(slowBefore, checkpoints.get(1), rig.slow());
                }
            }
        } finally {
            subscriptions.forEach(Subscription::close);
        }
        InformerStatus after = rig.status();
        boolean anew = life != rig.lifeOfNow();
        // A life begins with a list.
        long listsBefore = anew ? 1 : before.lists();
        long lists = after.lists() - listsBefore;
        long told = rig.ends("expired") - (anew ? 0 : toldBefore);
        long expired = 0;
        if (log == null) {
            expired = rig.proxy().expired() - saidBefore;
            if (told > expired) {
                faults.add("it was told 410 " + told + " times, and the server has said so " + expired + " times");
            }
        } else if (lists > 0 || told > 0) {
            expired = forgotten(log);
        }
        judgeLists(lists, expired, anew);
        if (scene.evidence().values().stream().noneMatch(count -> count > 0)) {
            faults.add("nothing shows that it happened");
        }
        return new Outcome(
                at,
                rig.world().name(),
                mechanism.name(),
                rig.watchListFirst(),
                seed,
                lasted,
                scene.found(),
                recovery,
                scene.evidence(),
                listsBefore,
                after.lists(),
                expired,
                writes,
                after.objects(),
                rig.quick().events() - (anew ? 0 : eventsBefore),
                compared,
                List.copyOf(faults));
    }

    private void happen(Scene scene) throws InterruptedException {
        try {
            mechanism.act().happen(scene);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            faults.add("the mechanism did not come about: " + e);
        } finally {
            rig.proxy().restore();
        }
    }

    /** Waits until the informer has what is current now; gives the time since the fault's end. */
    private @Nullable Duration recover(long endNanos) throws InterruptedException {
        long goal;
        try {
            goal = rig.world().asked(() -> rig.world().version());
        } catch (ApiException | IOException e) {
            faults.add("the server cannot be asked for its version: " + e.getMessage());
            return null;
        }
        try {
            Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> rig.version() >= goal);
            return Duration.ofNanos(System.nanoTime() - endNanos);
        } catch (ConditionTimeoutException e) {
            faults.add("it has not come to " + goal + " but to " + rig.version() + " within " + Waiting.LIMIT + ": "
                    + rig.status());
            return null;
        }
    }

    /**
     * The store between two readings of the same version is what it was at that version. An event is stored a moment before
     * its version is counted, and so is a list, which may bring many changes: then the store is what it was at one of the
     * changes up to the version that is counted next.
     */
    private void compareStore() throws InterruptedException {
        long version;
        StoreSnapshot<V1ConfigMap> snapshot;
        do {
            version = rig.version();
            snapshot = rig.informer().snapshot();
        } while (version != rig.version());
        Map<String, State> stored = new HashMap<>();
        for (V1ConfigMap object : snapshot.list()) {
            stored.put(String.valueOf(object.getMetadata().getName()), State.of(object));
        }
        long seen = version;
        try {
            String difference = difference(rig.world().asked(() -> rig.world().at(seen)), stored);
            if (!difference.isEmpty() && !isOfAChangeSince(seen, stored)) {
                faults.add("the store at " + seen + " " + difference);
            }
        } catch (ApiException | IOException e) {
            if (alone || !("" + e.getMessage()).contains("HTTP response code: 410")) {
                faults.add("the store cannot be compared: " + e.getMessage());
            }
        }
    }

    private boolean isOfAChangeSince(long seen, Map<String, State> stored)
            throws ApiException, IOException, InterruptedException {
        try {
            Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> rig.version() > seen);
        } catch (ConditionTimeoutException e) {
            return false;
        }
        long counted = rig.version();
        List<Seen> changes =
                rig.world().asked(() -> rig.world().history(seen, counted)).orElse(List.of());
        for (Seen change : changes) {
            if (difference(rig.world().asked(() -> rig.world().at(change.version())), stored)
                    .isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private Recorder.Checkpoint checkpoint(Recorder handler, String when) throws InterruptedException {
        long until = System.nanoTime() + Waiting.LIMIT.toNanos();
        List<Seen> seen = new ArrayList<>();
        String problem;
        do {
            try {
                Recorder.Checkpoint checkpoint = reached(handler);
                checkpoint.complaints().forEach(complaint -> faults.add(when + ": " + complaint));
                seen.addAll(checkpoint.seen());
                String difference =
                        difference(rig.world().asked(() -> rig.world().at(checkpoint.version())), checkpoint.objects());
                if (!difference.isEmpty()) {
                    faults.add(when + ": handler " + handler.name() + " at " + checkpoint.version() + " " + difference);
                }
                return new Recorder.Checkpoint(checkpoint.version(), checkpoint.objects(), seen, List.of());
            } catch (ExecutionException | AssertionError e) {
                problem = when + ": handler " + handler.name() + " is told nothing any more";
                break;
            } catch (ApiException | IOException e) {
                // Compacted meanwhile, maybe by another lane: a later version may be there still.
                problem = when + ": handler " + handler.name() + " cannot be compared: " + e.getMessage();
            }
        } while (System.nanoTime() < until);
        faults.add(problem);
        return new Recorder.Checkpoint(0, Map.of(), List.of(), List.of());
    }

    /** Waits on while a handler comes to newer versions: a slow one may have a long backlog. */
    private Recorder.Checkpoint reached(Recorder handler) throws InterruptedException, ExecutionException {
        CompletableFuture<Recorder.Checkpoint> asked = handler.checkpointAfter(rig.version());
        while (true) {
            long told = handler.newest();
            try {
                return Waiting.on(asked);
            } catch (AssertionError e) {
                if (handler.newest() == told) {
                    throw e;
                }
            }
        }
    }

    /** Gives how many changes were compared. */
    private int compareHistory(Recorder.Checkpoint from, Recorder.Checkpoint to, Recorder handler)
            throws InterruptedException {
        List<Seen> history;
        String problem = "the server has forgotten it";
        try {
            history = rig.world()
                    .asked(() -> rig.world().history(from.version(), to.version()))
                    .orElse(null);
        } catch (ApiException | IOException e) {
            history = null;
            problem = String.valueOf(e.getMessage());
        }
        if (history == null) {
            // After a restart or a compaction there is none, and a real server compacts by itself every five minutes.
            // Else it would be this comparison that is blind.
            if (alone && rig.world().isEmbedded() && mechanism.lists() == Mechanism.Lists.NEVER) {
                faults.add("handler " + handler.name() + " cannot be compared with what happened after "
                        + from.version() + ": " + problem);
            }
            return 0;
        }
        List<Seen> told = to.seen();
        for (int i = 0; i < Math.max(history.size(), told.size()); i++) {
            Seen was = i < history.size() ? history.get(i) : null;
            Seen said = i < told.size() ? told.get(i) : null;
            if (was == null || !was.equals(said)) {
                faults.add("handler " + handler.name() + " was told " + said + " and not " + was + " as number "
                        + (i + 1) + " of " + history.size() + " changes after " + from.version());
                return i;
            }
        }
        return history.size();
    }

    /** From how many of the versions that its watches began from the server can go on no longer. */
    private long forgotten(AuditLog log) throws InterruptedException, IOException {
        long forgotten = 0;
        try {
            for (long version : log.watchedFrom()) {
                if (rig.world().asked(() -> rig.world().hasForgotten(version))) {
                    forgotten++;
                }
            }
        } catch (ApiException e) {
            faults.add("the server cannot be asked what it has forgotten: " + e.getMessage());
        }
        return forgotten;
    }

    private void judgeWrites(double rate, Duration took) {
        Writers writers = rig.world().writers();
        if (rig.world().isEmbedded() && took.compareTo(LONG_ENOUGH) >= 0 && rate < LEAST_WRITES) {
            faults.add("only " + Math.round(rate) + " writes a second were answered");
        }
        long[] before = writers.answered();
        try {
            Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> {
                long[] now = writers.answered();
                return IntStream.range(0, now.length).allMatch(i -> now[i] > before[i]);
            });
        } catch (ConditionTimeoutException e) {
            faults.add("a writer gets no answer any more");
        }
    }

    private void judgeLists(long lists, long expired, boolean anew) {
        if (lists > 0 && expired == 0 && !anew && mechanism.lists() != Mechanism.Lists.REFUSED) {
            faults.add("it listed " + lists + " times though the server never said 410");
        }
        if (alone && lists > 0 && mechanism.lists() == Mechanism.Lists.NEVER && !anew) {
            faults.add("it listed " + lists + " times, for which there was no reason");
        }
        if (lists == 0 && mechanism.lists() == Mechanism.Lists.EXPIRED) {
            faults.add("it did not list though the server had forgotten what it needed: " + rig.status());
        }
    }

    private static String difference(Map<String, State> listed, Map<String, State> known) {
        if (listed.equals(known)) {
            return "";
        }
        TreeSet<String> names = new TreeSet<>(listed.keySet());
        names.addAll(known.keySet());
        names.removeIf(name -> listed.containsKey(name) && listed.get(name).equals(known.get(name)));
        String first = names.first();
        return "differs from the server's in " + names.size() + " of " + listed.size() + " objects: " + first + " is "
                + listed.get(first) + " and known as " + known.get(first);
    }
}
