package io.controllermanager.benchmarks.shards;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.benchmarks.plane.LineWatch;
import io.controllermanager.benchmarks.plane.TokenPlane;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Who has held each Lease since when, as a watch from outside tells. Safe for any thread. */
final class Leases implements AutoCloseable {

    private static final String COLLECTION = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

    private final Map<String, List<Holder>> holders = new TreeMap<>();
    private final LineWatch watch;

    /**
     * A holder.
     *
     * @param since when the watch told, by {@link System#nanoTime()}
     * @param identity empty for none
     */
    record Holder(long since, String identity) {

        /** Whether it is the replica of this name. */
        boolean is(String replica) {
            return identity.startsWith(replica + "_");
        }
    }

    /**
     * A Lease that has gone from one to another.
     *
     * @param lease its name
     * @param giver who held it
     * @param released when it had no holder any more, or, if it was not released, another one
     * @param taken when it had the next holder
     * @param receiver who that is
     */
    record Move(String lease, String giver, long released, long taken, String receiver) {}

    Leases(TokenPlane plane) throws IOException {
        String url = plane.url(COLLECTION);
        watch = new LineWatch(plane.client(), url + "?watch=true", "application/json", plane.version(url), this::note);
    }

    private synchronized void note(String line) {
        long now = System.nanoTime();
        JsonObject lease = JsonParser.parseString(line).getAsJsonObject().getAsJsonObject("object");
        JsonObject spec = Objects.requireNonNullElseGet(lease.getAsJsonObject("spec"), JsonObject::new);
        String identity =
                spec.has("holderIdentity") ? spec.get("holderIdentity").getAsString() : "";
        List<Holder> known = holders.computeIfAbsent(
                lease.getAsJsonObject("metadata").get("name").getAsString(), name -> new ArrayList<>());
        if (known.isEmpty() || !known.get(known.size() - 1).identity().equals(identity)) {
            known.add(new Holder(now, identity));
        }
    }

    /** Whether these Leases are all held by these replicas, none of which holds two more than another. */
    synchronized boolean areEven(List<String> leases, List<String> replicas) {
        Map<String, Integer> shares = new HashMap<>();
        replicas.forEach(replica -> shares.put(replica, 0));
        for (String lease : leases) {
            List<Holder> known = holders.getOrDefault(lease, List.of());
            Holder last = known.isEmpty() ? new Holder(0, "") : known.get(known.size() - 1);
            String holder = replicas.stream().filter(last::is).findFirst().orElse("");
            if (holder.isEmpty()) {
                return false;
            }
            shares.merge(holder, 1, Integer::sum);
        }
        return Collections.max(shares.values()) - Collections.min(shares.values()) <= 1;
    }

    /** Whether a replica holds any of some Leases. */
    synchronized boolean holds(List<String> leases, String replica) {
        return leases.stream()
                .map(lease -> holders.getOrDefault(lease, List.of()))
                .anyMatch(
                        known -> !known.isEmpty() && known.get(known.size() - 1).is(replica));
    }

    /** All moves of some Leases that ended after a moment. */
    synchronized List<Move> moves(List<String> leases, long since) {
        List<Move> moves = new ArrayList<>();
        for (String lease : leases) {
            moves.addAll(moves(lease, holders.getOrDefault(lease, List.of()), since));
        }
        return moves;
    }

    private static List<Move> moves(String lease, List<Holder> known, long since) {
        List<Move> moves = new ArrayList<>();
        Holder giver = null;
        long released = 0;
        for (Holder next : known) {
            if (next.identity().isEmpty()) {
                released = next.since();
            } else {
                if (giver != null && !giver.identity().equals(next.identity()) && next.since() - since > 0) {
                    boolean wasFree = released - giver.since() > 0;
                    moves.add(new Move(
                            lease, giver.identity(), wasFree ? released : next.since(), next.since(), next.identity()));
                }
                giver = next;
            }
        }
        return moves;
    }

    @Override
    public void close() {
        watch.close();
    }
}
