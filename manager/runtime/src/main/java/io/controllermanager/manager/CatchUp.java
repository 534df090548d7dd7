package io.controllermanager.manager;

import io.controllermanager.client.Registration;
import io.controllermanager.manager.ControllerLife.Phase;
import io.controllermanager.time.Timer;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A new leader's wait for its caches: to act on caches that lack what the last leader wrote would do its work a second time.
 * It ends after a while in any case, since no watch tells of an object that this process may not see. Used by the {@link
 * HostLoop}'s thread only.
 */
final class CatchUp implements Registration {

    private static final Logger log = LoggerFactory.getLogger(CatchUp.class);

    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final HostedController controller;
    private final Map<String, String> versions;
    private final Registration passing;
    private final Timer.Cancellable limit;
    private boolean over;

    /**
     * Begins to wait.
     *
     * @param versions how far the last leader had written
     * @param led how long this process has led
     */
    CatchUp(HostedController controller, Map<String, String> versions, Duration led, HostLoop loop) {
        this.controller = controller;
        this.versions = versions;
        this.passing = controller.runner().whenPassed(versions, () -> loop.post(() -> end(true)));
        this.limit = loop.later(LONGEST.minus(led), () -> end(false));
    }

    private void end(boolean passed) {
        if (over) {
            return;
        }
        if (!passed) {
            log.atWarn()
                    .addKeyValue("controller", controller.name())
                    .addKeyValue("versions", versions)
                    .log(
                            "Controller {}: starts although its caches have not come as far as the last leader had written ({})",
                            controller.name(),
                            versions);
        }
        close();
        controller.become(controller.life().in(Phase.READY), "has caught up");
    }

    /** Ends the wait; what is under way comes to nothing. */
    @Override
    public void close() {
        over = true;
        passing.close();
        limit.cancel();
    }
}
