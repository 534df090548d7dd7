package io.controllermanager.client.internal.transport;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A credential that may be replaced where it comes from, in files or by a credential plugin. What is read there and is of
 * no use (half written, say) is reported once and leaves the former one in place.
 *
 * <p>{@link #isDue} and {@link #value} may be called by any thread, {@link #readAgain} by one at a time.
 */
public final class Renewable<T> {

    private static final Logger log = LoggerFactory.getLogger(Renewable.class);

    /**
     * For files, which cost little to read: so long a connection may outlive a credential that has been replaced. Whoever
     * competes for a Lease sends a request each few seconds, which is when files are looked at.
     */
    public static final Duration FILE_LIFETIME = Duration.ofSeconds(5);

    /** Many requests may fail at once. */
    private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);

    private final String name;
    private final Supplier<@Nullable T> source;
    private final Consumer<T> check;
    private final Duration lifetime;
    private final Clock clock;
    private volatile T value;
    private volatile long readNanos;
    private @Nullable String reported;

    /**
     * Begins with one that has just been read.
     *
     * @param name how messages call it, such as {@code certificate authority /etc/ca.crt}
     * @param source reads the present one; null if there is none just now
     * @param check throws if one is of no use
     * @param lifetime after which it is read again; zero for a source that has it at hand
     * @throws RuntimeException if the first one is of no use
     */
    public Renewable(
            String name, T first, Supplier<@Nullable T> source, Consumer<T> check, Duration lifetime, Clock clock) {
        this.name = name;
        this.source = source;
        this.check = check;
        this.lifetime = lifetime;
        this.clock = clock;
        this.value = first;
        check.accept(first);
        this.readNanos = clock.nanoTime();
    }

    /** The newest one that is of use. */
    public T value() {
        return value;
    }

    /** Whether it is time to read it again. */
    boolean isDue() {
        return age().compareTo(lifetime) >= 0;
    }

    private Duration age() {
        return Duration.ofNanos(clock.nanoTime() - readNanos);
    }

    /** Reads it again, unless that has been done within the last second; whether there is another by then. */
    public boolean readAgain() {
        if (!lifetime.isZero() && age().compareTo(SHORTEST_INTERVAL) < 0) {
            return false;
        }
        readNanos = clock.nanoTime();
        try {
            T read = source.get();
            if (read == null) {
                return false;
            }
            boolean changed = !read.equals(value);
            if (changed) {
                check.accept(read);
                value = read;
                log.atInfo().addKeyValue("credential", name).log("The {} has been renewed", name);
            }
            reported = null;
            return changed;
        } catch (RuntimeException e) {
            report(e);
            return false;
        }
    }

    private void report(RuntimeException e) {
        String reason = String.valueOf(e.getMessage());
        if (!reason.equals(reported)) {
            reported = reason;
            log.atWarn()
                    .addKeyValue("credential", name)
                    .addKeyValue("cause", reason)
                    .log("The {} cannot be renewed, the former one stays in use: {}", name, reason);
        }
    }
}
