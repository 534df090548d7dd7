package io.controllermanager.testing.failover;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What came of one fault.
 *
 * @param number counts from 1
 * @param fault what befell
 * @param lease whose holder is meant by leader
 * @param victim whom, empty if nobody in particular
 * @param begin when
 * @param end when all was well again
 * @param before who led
 * @param after who leads
 * @param contended whether the Go program led meanwhile
 * @param moves how often a Lease, any of them, has got another holder
 * @param handOver from the last write of the old leader to the first of the new one, null if it is the same or the Go
 *     program led in between
 * @param writes how many writes of replicas were judged
 * @param reconciles how many of their reconciles
 * @param onTheWire how many writes were past the fence, and reconciles past the gate, at a suspension
 * @param afterEdit how much was done right after the holder was changed by hand
 * @param late how many reconciles began or ended late since a thread had to wait for a core, and whether the leader has
 *     changed since its renewals were late
 * @param violations what should not have been
 */
public record Round(
        int number,
        String fault,
        String lease,
        String victim,
        Instant begin,
        Instant end,
        String before,
        String after,
        boolean contended,
        int moves,
        @Nullable Duration handOver,
        int writes,
        int reconciles,
        int onTheWire,
        int afterEdit,
        int late,
        List<String> violations) {

    /** Names the columns. */
    static final String HEADER =
            "round\tfault\tlease\tvictim\tbegin\tend\tleader_before\tleader_after\tgo_led\tmoves\thand_over_ms\twrites"
                    + "\treconciles\ton_the_wire\tafter_edit\tlate\tverdict";

    /** A line of the record. */
    String line() {
        return String.format(
                Locale.ROOT,
                "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t%s",
                number,
                fault,
                lease,
                victim.isEmpty() ? "-" : victim,
                begin,
                end,
                before,
                after,
                contended ? "yes" : "no",
                moves,
                handOver == null ? "-" : handOver.toMillis(),
                writes,
                reconciles,
                onTheWire,
                afterEdit,
                late,
                violations.isEmpty() ? "ok" : String.join("; ", violations));
    }

    /** The same as JSON. */
    String json() {
        JsonObject json = new JsonObject();
        json.addProperty("round", number);
        json.addProperty("fault", fault);
        json.addProperty("lease", lease);
        json.addProperty("victim", victim.isEmpty() ? null : victim);
        json.addProperty("begin", begin.toString());
        json.addProperty("end", end.toString());
        json.addProperty("leader_before", before);
        json.addProperty("leader_after", after);
        json.addProperty("go_led", contended);
        json.addProperty("moves", moves);
        json.addProperty("hand_over_ms", handOver == null ? null : handOver.toMillis());
        json.addProperty("writes", writes);
        json.addProperty("reconciles", reconciles);
        json.addProperty("on_the_wire", onTheWire);
        json.addProperty("after_edit", afterEdit);
        json.addProperty("late", late);
        JsonArray found = new JsonArray();
        violations.forEach(found::add);
        json.add("violations", found);
        return json.toString();
    }
}
