package io.controllermanager.manager;

import io.controllermanager.client.Registration;
import io.controllermanager.controller.Controller;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What does a controller's work, once for each time it is brought up: on our workers, or on those that a controller built
 * for client-java brings. {@link HostedController} decides when.
 */
sealed interface ControllerRunner permits PooledRunner, ClientJavaRunner {

    /**
     * Makes the reconciler and subscribes to its sources; nothing is reconciled yet.
     *
     * @throws InterruptedException if closed meanwhile
     */
    void prepare() throws InterruptedException;

    /** Tells once when everything it reads from is filled; the waiting ends when this is closed. */
    void whenSynced(Runnable told);

    /**
     * Tells once when everything it reads from has come as far as another process had written.
     *
     * @param versions that one's {@link io.controllermanager.informer.Informer#writtenVersions}
     * @return ends the waiting
     */
    Registration whenPassed(Map<String, String> versions, Runnable told);

    /** What it reads from and is not filled, with the last error of each. */
    List<String> lateCaches();

    /**
     * Begins to work; where it has stood by since it was interrupted, everything is looked at again. Never blocks. This,
     * {@link #retire} and {@link #interrupt} are called by one thread.
     */
    void open();

    /** Whether what its caches hold is still being queued, after it began to work. */
    boolean isRequeueing();

    /** Has everything looked at once more, behind live changes; does nothing where the workers are not ours. */
    void resync();

    /** Ends the work at once, as leadership is lost, and stands by. Never blocks. */
    void interrupt();

    /** Whether none of its work runs; does not say whether more will. */
    boolean hasEnded();

    /** Whether some of its work runs on though it was told to end. */
    boolean hasGivenUp();

    /** Begins nothing new and leaves alone what runs; not for one that brings its workers. Never blocks. */
    void retire();

    /** Begins nothing new and waits for what runs, which is interrupted at the limit; returns whether it ended before. */
    boolean drain(Duration limit) throws InterruptedException;

    /** Gives up everything, for good. */
    void close();

    /** Whether its workers are not ours: such a one cannot be paused, nor work a second time in this process. */
    boolean bringsWorkers();

    /** Whether it has worked and can never work again in this process. */
    boolean isShutDown();

    /**
     * Changes how many keys are reconciled at once.
     *
     * @throws IllegalStateException if this one cannot
     */
    void resize(int workers);

    /** The controller on our workers; null before it has been prepared, and for one with its own workers. */
    @Nullable
    Controller controller();
}
