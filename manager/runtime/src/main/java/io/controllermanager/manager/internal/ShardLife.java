package io.controllermanager.manager.internal;

import org.jspecify.annotations.Nullable;

/**
 * Where one shard of a controller is in its life: a value, which the {@link HostLoop} replaces by another. A controller that is
 * not divided has one shard. {@link #next} says what to do about it, as a reconciler does: it compares what is desired with what
 * is, and takes one step. An operator's pause keeps a shard from nothing but beginning reconciles.
 *
 * @param phase what the host has done with it so far
 * @param detail what it waits for, null if there is nothing to say
 * @param notReady why the process is not ready because of it, null if it is
 * @param filling whether it waits for its caches
 */
record ShardLife(
        Phase phase, @Nullable String detail, @Nullable String notReady, boolean filling) {

    /** What operators are told of one that is paused. */
    static final String PAUSED = "paused by an operator";

    /** What is observed. */
    enum Phase {
        /** No reconcile of it begins; another process may work on it. */
        STANDBY,
        /** This process has its Lease, but its caches may lack what the last holder wrote. */
        CATCHING_UP,
        /** Its reconciles may begin. */
        WORKING,
        /** No reconcile of it begins and those that run finish, so that another process can go on. */
        HANDING_OVER,
        /** The same, for good. */
        STOPPING,
        /** None of its reconciles runs any more, or they have been waited for long enough. */
        ENDED
    }

    /** What is wanted, the strongest first. */
    enum Desired {
        /** Its controller is stopped, or has failed. */
        STOPPED,
        /** Another process may work on it, or its controller is not up yet. */
        STANDBY,
        /** This process is to end with it, so that another one can begin. */
        HANDED_OVER,
        /** It is to be worked on. */
        WORKING;

        /**
         * What follows from what the host knows.
         *
         * @param leads whether this process may work on it
         * @param leaves whether it is to be given to another
         */
        static Desired of(ControllerLife controller, boolean leads, boolean leaves) {
            if (controller.wish() == ControllerLife.Wish.STOP || controller.phase() == ControllerLife.Phase.FAILED) {
                return STOPPED;
            }
            if (!leads || !controller.isUp()) {
                return STANDBY;
            }
            return leaves ? HANDED_OVER : WORKING;
        }
    }

    /** One step. Each leads to another phase, so that the same one never follows itself. */
    enum Action {
        NONE,
        /** Wait until its caches have what the last holder of the Lease wrote, and then let its reconciles begin. */
        CATCH_UP,
        /** Let none begin, wait for those that run up to the shutdown timeout, and give the Lease away. */
        HAND_OVER,
        /** End running reconciles at once: another process may work on it. */
        INTERRUPT,
        /** Let none begin any more, for good, and wait for those that run up to the shutdown timeout. */
        STOP
    }

    /** The step from what is to what is desired. */
    static Action next(Desired desired, Phase phase) {
        return switch (phase) {
            case STANDBY ->
                switch (desired) {
                    case STOPPED -> Action.STOP;
                    case STANDBY -> Action.NONE;
                    case HANDED_OVER -> Action.HAND_OVER;
                    case WORKING -> Action.CATCH_UP;
                };
            case CATCHING_UP, WORKING, HANDING_OVER ->
                switch (desired) {
                    case STOPPED -> Action.STOP;
                    case STANDBY -> Action.INTERRUPT;
                    case HANDED_OVER -> phase == Phase.HANDING_OVER ? Action.NONE : Action.HAND_OVER;
                    // It may have been handed over before it had caught up.
                    case WORKING -> phase == Phase.HANDING_OVER ? Action.CATCH_UP : Action.NONE;
                };
            case STOPPING, ENDED -> Action.NONE;
        };
    }

    /** One of a controller that is switched off is over before it begins. */
    static ShardLife first(boolean enabled) {
        return in(enabled ? Phase.STANDBY : Phase.ENDED, null);
    }

    static ShardLife in(Phase phase, @Nullable String detail) {
        return new ShardLife(phase, detail, null, false);
    }

    /** Its caches are filled. */
    static ShardLife filling(String detail, @Nullable String notReady) {
        return new ShardLife(Phase.CATCHING_UP, detail, notReady, true);
    }

    /** The same as operators are shown it, where its controller is paused. */
    ShardLife paused() {
        return in(phase, PAUSED);
    }
}
