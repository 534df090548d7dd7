package io.controllermanager.informer.internal.reflector;

import io.controllermanager.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How far a reflector has come, and how its connection is. Written by the reflector's thread, read by any. */
final class ReflectorState {

    private final Clock clock;
    private volatile boolean stopped;
    private volatile boolean listed;
    private volatile String resourceVersion = "";
    private volatile boolean forgotten;
    private volatile boolean connected;
    private volatile long disconnectedNanos;
    private volatile @Nullable Long lastMessageNanos;
    private volatile @Nullable Long versionNanos;

    ReflectorState(Clock clock) {
        this.clock = clock;
        this.disconnectedNanos = clock.nanoTime();
    }

    /** The reflector is being stopped; by any thread. */
    void stop() {
        stopped = true;
    }

    boolean isStopped() {
        return stopped;
    }

    /** The API server has said something. */
    void heard() {
        lastMessageNanos = clock.nanoTime();
    }

    void connected() {
        connected = true;
        heard();
    }

    void disconnected() {
        // In this order, since whoever sees that it is not connected asks since when.
        disconnectedNanos = clock.nanoTime();
        connected = false;
    }

    /** The whole collection has been stored. */
    void listed() {
        listed = true;
    }

    void seen(String version) {
        resourceVersion = version;
        forgotten = false;
        versionNanos = clock.nanoTime();
    }

    /** The API server does not know the newest version that was seen. */
    void forgetVersion() {
        forgotten = true;
    }

    /** The version to read the collection at: 0 for any, empty for the most recent. */
    String listVersion() {
        String newest = resourceVersion;
        return forgotten ? "" : newest.isEmpty() ? "0" : newest;
    }

    boolean isListed() {
        return listed;
    }

    boolean isConnected() {
        return connected;
    }

    /** The newest version that was seen, empty before there is one. */
    String resourceVersion() {
        return resourceVersion;
    }

    /** Whether a watch can begin at the newest version: {@code 0} stands for any, as none does. */
    boolean isVersioned() {
        return !resourceVersion.isEmpty() && !resourceVersion.equals("0");
    }

    /** Time since then, null before there is one. */
    @Nullable
    Duration resourceVersionAge() {
        return since(versionNanos);
    }

    @Nullable
    Duration sinceLastMessage() {
        return since(lastMessageNanos);
    }

    /** How long no watch has been open, null while one is. */
    @Nullable
    Duration disconnectedFor() {
        return connected ? null : since(disconnectedNanos);
    }

    private @Nullable Duration since(@Nullable Long nanos) {
        return nanos == null ? null : Duration.ofNanos(clock.nanoTime() - nanos);
    }
}
