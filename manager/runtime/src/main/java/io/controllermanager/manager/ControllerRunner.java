package io.controllermanager.manager;

import io.controllermanager.controller.Controller;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What does a controller's work, once for each time it is brought up: on our workers, or on those that a controller built
 * for client-java brings. {@link HostedController} decides when.
 */
sealed interface ControllerRunner permits PooledRunner, ForeignRunner {

    /**
     * Makes the reconciler and subscribes to its sources; nothing is reconciled yet.
     *
     * @throws InterruptedException if closed meanwhile
     */
    void prepare() throws InterruptedException;

    /** Whether everything it reads from is filled. */
    boolean cachesSynced();

    /**
     * Whether everything it reads from has come as far as another process had written.
     *
     * @param versions that one's {@link io.controllermanager.informer.Informer#writtenVersions}
     */
    boolean hasPassed(Map<String, String> versions);

    /** What it reads from and is not filled, with the last error of each. */
    List<String> lateCaches();

    /** Begins to work; where it has stood by since it was interrupted, everything is looked at again. Never blocks. */
    void open();

    /** Has everything looked at once more, behind live changes; does nothing where the workers are not ours. */
    void resync();

    /** Ends the work at once, as leadership is lost, and stands by. Never blocks. */
    void interrupt();

    /** Whether none of its work runs; does not say whether more will. */
    boolean hasEnded();

    /** Whether some of its work runs on though it was told to end. */
    boolean hasGivenUp();

    /**
     * Begins nothing new and leaves alone what runs; returns at once.
     *
     * @throws IllegalStateException if this one cannot
     */
    void retire();

    /** Begins nothing new and waits for what runs, which is interrupted at the limit; returns whether it ended before. */
    boolean drain(Duration limit) throws InterruptedException;

    /** Gives up everything, for good. */
    void close();

    /** Whether it can work again in this process after it was interrupted. */
    boolean restartable();

    /** Whether it has worked and can never work again in this process. */
    boolean spent();

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
