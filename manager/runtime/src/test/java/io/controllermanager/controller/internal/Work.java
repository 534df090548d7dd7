package io.controllermanager.controller.internal;

import java.time.Duration;

/** Begins and ends the work of controllers that are not divided, as a host does. */
final class Work {

    private Work() {}

    /** Lets its reconciles begin, after a pause as well. */
    static void begin(Controller controller) {
        controller.shards().get(0).open();
        controller.pause(false);
    }

    /** Lets no more begin, and waits for those that run, up to the limit; returns whether all have ended. */
    static boolean end(Controller controller, Duration limit) throws InterruptedException {
        Shard shard = controller.shards().get(0);
        shard.close();
        return shard.drain(limit);
    }
}
