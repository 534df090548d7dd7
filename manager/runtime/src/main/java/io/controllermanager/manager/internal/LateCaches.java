package io.controllermanager.manager.internal;

import io.controllermanager.informer.internal.HostInformer;
import java.time.Duration;
import java.util.Collection;
import java.util.stream.Collectors;

/** What is said of caches that are not filled in time. */
final class LateCaches {

    /** How often late caches are reported anew, since their last errors change. */
    static final Duration PERIOD = Duration.ofSeconds(10);

    private LateCaches() {}

    /** One sentence with what is not filled, and the last error of each. */
    static String problem(String what, ControllerRegistration controller, Collection<HostInformer<?>> informers) {
        String late = informers.stream()
                .map(HostInformer::status)
                .filter(status -> !status.synced())
                .map(status -> status.resource()
                        + (status.lastError() == null ? "" : " (last error: " + status.lastError() + ")"))
                .collect(Collectors.joining(", "));
        return what + " are not synced after "
                + controller.options().cacheSyncTimeout().toSeconds() + " s" + (late.isEmpty() ? "" : ": " + late);
    }
}
