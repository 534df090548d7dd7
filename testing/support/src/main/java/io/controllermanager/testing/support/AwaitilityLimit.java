package io.controllermanager.testing.support;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Has Awaitility wait for as long as {@link Waiting} says, and look often, in every test of the run. */
public final class AwaitilityLimit implements LauncherSessionListener {

    private static final Duration POLL = Duration.ofMillis(10);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Waiting.LIMIT);
        Awaitility.setDefaultPollInterval(POLL);
        Awaitility.setDefaultPollDelay(Duration.ZERO);
    }
}
