package io.controllermanager.manager.internal;

import io.controllermanager.leaderelection.internal.ShardAgreement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Says which shards of a controller this process works on, in one line a moment after they have changed: shards come and go
 * many at a time. Used by the loop's thread.
 */
final class ShardReport {

    private static final Logger log = LoggerFactory.getLogger(ShardReport.class);

    /** How long changes are collected. */
    static final Duration MOMENT = Duration.ofSeconds(1);

    private final HostedController controller;
    private final HostLoop loop;
    private boolean due;

    /** What was said last, after its level. */
    private String told = "";

    ShardReport(HostedController controller, HostLoop loop) {
        this.controller = controller;
        this.loop = loop;
    }

    /**
     * A shard is worked on or no longer, or others begin or cease to divide the controller as this process does. Nothing is
     * said of one that is not divided.
     */
    void changed() {
        if (!due && controller.isDivided()) {
            due = true;
            loop.later(MOMENT, this::tell);
        }
    }

    private void tell() {
        due = false;
        if (!controller.life().isUp()) {
            return;
        }
        String which = ranges(controller.view().working());
        String now = controller.view().ofShards() + (which.isEmpty() ? "" : " (" + which + ")");
        ShardAgreement agreement = controller.shards().get(0).agreement();
        boolean contradicted = agreement.isContradicted();
        Level level = contradicted ? Level.WARN : Level.INFO;
        if (!told.equals(level + now)) {
            told = level + now;
            log.atLevel(level)
                    .addKeyValue("controller", controller.name())
                    .log("Controller {}: {}", controller.name(), now);
        }
        if (!contradicted && !agreement.agrees()) {
            // Whoever takes the anchor may divide the controller in another way.
            changed();
        }
    }

    /** Such as {@code 0-4, 7}. */
    static String ranges(List<Integer> rising) {
        List<int[]> runs = new ArrayList<>();
        for (int number : rising) {
            int[] last = runs.isEmpty() ? new int[] {-2, -2} : runs.get(runs.size() - 1);
            if (last[1] == number - 1) {
                last[1] = number;
            } else {
                runs.add(new int[] {number, number});
            }
        }
        return runs.stream()
                .map(run -> run[0] == run[1] ? "" + run[0] : run[0] + "-" + run[1])
                .collect(Collectors.joining(", "));
    }
}
