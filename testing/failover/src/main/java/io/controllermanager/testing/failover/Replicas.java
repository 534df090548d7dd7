package io.controllermanager.testing.failover;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The replicas of a run: those that live, and all that ever did. For one thread. */
final class Replicas implements AutoCloseable {

    private final Launch launch;
    private final List<Replica> living = new ArrayList<>();
    private final List<Replica> all = new ArrayList<>();
    private boolean fenceless;

    Replicas(Launch launch) {
        this.launch = launch;
    }

    /** Starts one more. */
    void start() throws IOException {
        start(launch);
    }

    /** Starts one more, in another way. */
    void start(Launch other) throws IOException {
        Replica replica = Replica.start(other, all.size() + 1);
        living.add(replica);
        all.add(replica);
        if (fenceless) {
            replica.controls().takeFenceAway();
        }
    }

    /** One that lives no more, or soon will not. */
    void remove(Replica replica) {
        living.remove(replica);
    }

    List<Replica> living() {
        return Collections.unmodifiableList(living);
    }

    List<Replica> all() {
        return Collections.unmodifiableList(all);
    }

    /** The one that lives and has this identity, null if none has. */
    @Nullable
    Replica of(String identity) {
        return living.stream()
                .filter(replica -> replica.holds(identity))
                .findFirst()
                .orElse(null);
    }

    void awaitReady() {
        for (Replica replica : living) {
            await(replica.name() + " is ready").until(replica::isReady);
        }
    }

    /** Whether all that is held is held by those that live, and none holds two more than another. */
    boolean shareEvenly(Collection<String> holders) {
        Map<Replica, Integer> shares = new TreeMap<>((a, b) -> a.name().compareTo(b.name()));
        living.forEach(replica -> shares.put(replica, 0));
        for (String holder : holders) {
            Replica replica = of(holder);
            if (replica == null) {
                return false;
            }
            shares.merge(replica, 1, Integer::sum);
        }
        return Collections.max(shares.values()) - Collections.min(shares.values()) <= 1;
    }

    /** Takes the fences of these and of all that follow away. */
    void takeFencesAway() {
        fenceless = true;
        living.forEach(replica -> replica.controls().takeFenceAway());
    }

    @Override
    public void close() {
        living.forEach(Replica::close);
    }
}
