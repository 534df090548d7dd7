package io.controllermanager.informer.internal.reflector;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An open watch. Read by one thread; closed by any.
 *
 * @param <T> the object's class
 */
public interface WatchStream<T> extends AutoCloseable {

    /**
     * Waits for the next event.
     *
     * @return the event, null at the regular end of the stream
     * @throws IOException if the stream breaks off, or what comes makes no sense
     */
    @Nullable
    WatchEvent<T> next() throws IOException;

    /** How long the stream may say nothing before it is taken for dead. */
    Duration idleLimit();

    /** Ends the stream; a waiting reader gets an exception or the end. */
    @Override
    void close();
}
