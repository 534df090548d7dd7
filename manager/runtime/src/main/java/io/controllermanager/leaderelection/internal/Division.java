package io.controllermanager.leaderelection.internal;

import io.controllermanager.informer.Shards;
import org.jspecify.annotations.Nullable;

/**
 * By which Leases one controller is worked on in this process: by the anchor itself, by a Lease of its own, or by one for each
 * shard. What the anchor says decides whether that is right, and which other Leases tell of processes that work in another way.
 * Decisions without state.
 *
 * @param shards one shard if it is not divided
 * @param own whether it has a Lease of its own; of no matter if it is divided
 */
record Division(String controller, Shards shards, boolean own) {

    /** Which Leases are to be looked at: those of all shards, and the controller's own. */
    record Others(boolean ofShards, boolean own) {

        boolean any() {
            return ofShards || own;
        }
    }

    /** Whether it is worked on by the anchor itself: whoever takes that writes what is right. */
    boolean isByAnchor() {
        return !shards.divide() && !own;
    }

    /**
     * In what an anchor disagrees with this process.
     *
     * @param said what the anchor says; null if it is missing
     * @param lease the anchor's name
     * @return a sentence, null if it agrees
     */
    @Nullable
    String disagreement(@Nullable Divisions said, String lease) {
        if (isByAnchor()) {
            return null;
        }
        Shards number = said == null ? null : said.of(controller);
        boolean one = number == null || !number.divide();
        if (said != null && (shards.divide() ? shards.equals(number) : one && said.own())) {
            return null;
        }
        String says = said == null
                ? " is missing"
                : !shards.divide() && one
                        ? " does not say that each controller has a Lease of its own"
                        : number == null
                                ? " does not say that " + controller + " has shards"
                                : " says that " + controller + " has " + shown(number);
        String here = shards.divide() || !one ? shown(shards) : "one for each";
        return "Lease " + lease + says + ", and this process has " + here;
    }

    private static String shown(Shards shards) {
        return shards.divide() ? shards.count() + " shards by " + shards.by().word() : "1 shard";
    }

    /**
     * Which Leases tell of processes that may work on the controller in another way, where the anchor agrees. Nobody works by
     * those that no anchor has ever spoken of.
     */
    Others others(Divisions said) {
        return new Others(shards.divide() || said.mentions(controller), said.wereOwn() && (shards.divide() || !own));
    }
}
