package io.controllermanager.benchmarks.shards;

import io.controllermanager.benchmarks.plane.Contender;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Lets more and more replicas share the Foos of many namespaces, with the API server's filter and without it, and tells what
 * each holds, receives and does, and how shards change hands.
 *
 * <p>Usage: {@code ShardCost FOO_CRD FOOS NAMESPACES MOST_REPLICAS SECONDS CONTENDERS_FILE}; what the file holds, {@link
 * Contender#read} says. A contender whose command divides the controller runs on both kinds of API servers with up to so
 * many replicas, another one with two, of which one stands by. Each rate is measured for so many seconds.
 */
public final class ShardCost {

    /** How often a holder of the one Lease is stopped; of shards, one stop moves several. */
    private static final int STOPS = 20;

    private ShardCost() {}

    /** Prints a line for each number of replicas, and then one for each kind of hand-over. */
    public static void main(String[] args) throws Exception {
        Path crd = Path.of(args[0]);
        int foos = Integer.parseInt(args[1]);
        int namespaces = Integer.parseInt(args[2]);
        int most = Integer.parseInt(args[3]);
        int seconds = Integer.parseInt(args[4]);
        List<String> handOvers = new ArrayList<>();
        report(ShardRun.HEADER);
        for (Contender contender : Contender.read(Path.of(args[5]))) {
            Contender trainee = contender.trainee();
            if (trainee != null) {
                try (ShardRun run = new ShardRun(trainee, crd, false, namespaces, namespaces, seconds)) {
                    run.train();
                }
            }
            boolean divided = ShardRun.shards(contender) > 1;
            for (boolean filter : divided ? new boolean[] {true, false} : new boolean[] {false}) {
                try (ShardRun run = new ShardRun(contender, crd, filter, foos, namespaces, seconds)) {
                    for (int replicas = 1; replicas <= (divided ? most : 2); replicas++) {
                        report(run.join());
                        if (replicas > 1) {
                            run.stopAndKill(divided ? 1 : STOPS);
                        }
                    }
                    handOvers.addAll(run.handOvers());
                }
            }
        }
        report("");
        report(ShardRun.HAND_OVER_HEADER);
        handOvers.forEach(ShardCost::report);
        System.exit(0);
    }

    @SuppressWarnings("SystemOut")
    private static void report(String line) {
        System.out.println(line);
    }
}
