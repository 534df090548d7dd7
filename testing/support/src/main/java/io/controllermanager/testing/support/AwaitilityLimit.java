package io.controllermanager.testing.support;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Has Awaitility wait for as long as {@link Waiting} says, and look often, in every test of the run. A program that is no
 * test calls {@link #set()}.
 */
public final class AwaitilityLimit implements LauncherSessionListener {

    private static final Duration POLL = Duration.ofMillis(10);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        set();
    }

    /** Sets Awaitility's defaults for this process. */
    public static void set() {
        Awaitility.setDefaultTimeout(Waiting.LIMIT);
        Awaitility.setDefaultPollInterval(POLL);
        Awaitility.setDefaultPollDelay(Duration.ZERO);
    }
}
