package io.controllermanager.manager.internal;

import org.jspecify.annotations.Nullable;

/**
 * Where a controller is in its life: a value, which the {@link HostLoop} replaces by another. {@link #next} says what to do
 * about it. Each of its shards has a {@link ShardLife} besides, by which it works.
 *
 * @param phase what the host has done with it so far
 * @param state what operators are shown, unless it is up: then its shards say
 * @param detail what it waits for or why it failed, null if there is nothing to say
 * @param notReady why the process is not ready because of it, null if it is
 * @param competes whether the host competes for its Lease without waiting for this one any longer
 * @param wish what operators want
 */
record ControllerLife(
        Phase phase,
        ControllerState state,
        @Nullable String detail,
        @Nullable String notReady,
        boolean competes,
        Wish wish) {

    /** What operators want of one that is switched on. */
    enum Wish {
        RUN,
        PAUSE,
        STOP
    }

    /** What is observed. */
    enum Phase {
        /** Nothing has been done yet. */
        NEW,
        /** Its types are asked for, its reconciler is made. */
        STARTING,
        /** Its caches are filled. */
        FILLING,
        /** It could do its work; its shards work as far as this process has their Leases. */
        UP,
        /** It could not be made, or cannot go on. */
        FAILED,
        /** Its shards end, and then their Leases are given up. */
        STOPPING,
        /** Its queue and informers are given up. */
        CLOSING,
        /** Nothing is left of it. */
        CLOSED;

        boolean isStarting() {
            return this == STARTING || this == FILLING;
        }
    }

    /** One step. Each leads to another phase, so that the same one never follows itself. */
    enum Action {
        NONE,
        /** Begin to make it. */
        START,
        /** Stop what is under way, for good. */
        STOP,
        /** Give up queue, informers and meters. */
        CLOSE
    }

    /**
     * The step that is next.
     *
     * @param ended whether nothing of it runs any more, and no Lease is held for it or need be given up for it
     */
    static Action next(Wish wish, boolean ended, Phase phase) {
        return switch (phase) {
            case NEW -> wish == Wish.STOP ? Action.STOP : Action.START;
            case STARTING, FILLING, UP, FAILED -> wish == Wish.STOP ? Action.STOP : Action.NONE;
            case STOPPING -> ended ? Action.CLOSE : Action.NONE;
            case CLOSING, CLOSED -> Action.NONE;
        };
    }

    /** One that the configuration has switched off is over before it begins. */
    static ControllerLife first(boolean enabled) {
        return enabled
                ? new ControllerLife(Phase.NEW, ControllerState.STOPPED, null, null, false, Wish.RUN)
                : new ControllerLife(Phase.CLOSED, ControllerState.DISABLED, null, null, true, Wish.STOP);
    }

    /** It waits for something on its way up. */
    ControllerLife starting(ControllerState waiting, @Nullable String newNotReady, @Nullable String newDetail) {
        return new ControllerLife(
                phase == Phase.NEW ? Phase.STARTING : phase, waiting, newDetail, newNotReady, competes, wish);
    }

    /** It is up, and ready. */
    ControllerLife up(ControllerState shown, @Nullable String newDetail) {
        return wish == Wish.PAUSE
                ? new ControllerLife(Phase.UP, ControllerState.PAUSED, ShardLife.PAUSED, null, true, wish)
                : new ControllerLife(Phase.UP, shown, newDetail, null, true, wish);
    }

    ControllerLife failed(String problem) {
        return new ControllerLife(Phase.FAILED, ControllerState.FAILED, problem, problem, true, wish);
    }

    ControllerLife closed() {
        return new ControllerLife(Phase.CLOSED, ControllerState.STOPPED, null, null, true, wish);
    }

    /** It goes on; what operators are shown stays. */
    ControllerLife in(Phase newPhase) {
        return new ControllerLife(newPhase, state, detail, notReady, competes, wish);
    }

    ControllerLife competing() {
        return new ControllerLife(phase, state, detail, notReady, true, wish);
    }

    ControllerLife wished(Wish newWish) {
        return new ControllerLife(phase, state, detail, notReady, competes, newWish);
    }

    /** Whether its shards are to work when they may. */
    boolean isUp() {
        return phase == Phase.UP && wish != Wish.STOP;
    }

    boolean isPaused() {
        return wish == Wish.PAUSE;
    }
}
