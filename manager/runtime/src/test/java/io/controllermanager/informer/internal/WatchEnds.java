package io.controllermanager.informer.internal;

/** How an informer's watches have ended. */
public final class WatchEnds {

    private WatchEnds() {}

    /** How many have ended so: {@code regular}, {@code expired} and so on. */
    public static long count(InformerStatus status, String reason) {
        return status.reflectors().stream()
                .mapToLong(reflector -> reflector.watchEnds().getOrDefault(reason, 0L))
                .sum();
    }
}
