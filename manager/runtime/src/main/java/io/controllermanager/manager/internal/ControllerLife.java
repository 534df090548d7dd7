package io.controllermanager.manager.internal;

import org.jspecify.annotations.Nullable;

/**
 * Where a controller is in its life: a value, which the {@link HostLoop} replaces by another. {@link #next} says what to do
 * about it, as a reconciler does: it compares what is desired with what is, and takes one step.
 *
 * @param phase what the host has done with it so far
 * @param state what operators are shown
 * @param detail what it waits for or why it failed, null if there is nothing to say
 * @param notReady why the process is not ready because of it, null if it is
 * @param settled whether the host competes for its Lease without waiting for this one any longer
 * @param wish what operators want
 */
record ControllerLife(
        Phase phase,
        ControllerState state,
        @Nullable String detail,
        @Nullable String notReady,
        boolean settled,
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
        /** Its caches are synced; another process may lead. */
        STANDBY,
        /** This process leads, but its caches may lack what the last leader wrote. */
        CATCHING_UP,
        /** It could work, but its workers take no keys. */
        READY,
        /** Its workers take keys. */
        WORKING,
        /** Its workers take no more keys and finish, so that another process can go on. */
        HANDING_OVER,
        /** It could not be made, or cannot go on. */
        FAILED,
        /** Its last reconciles are waited for. */
        STOPPING,
        /** No more reconciles; its informers are still there. */
        DRAINED,
        /** Its queue and informers are given up. */
        CLOSING,
        /** Nothing is left of it. */
        CLOSED;

        boolean isStarting() {
            return this == STARTING || this == FILLING;
        }

        /** Whether it could do its work if this process led. */
        boolean isUp() {
            return compareTo(STANDBY) >= 0 && compareTo(HANDING_OVER) <= 0;
        }

        /** Whether none of its reconciles runs any more, or they have been waited for long enough. */
        boolean hasEnded() {
            return compareTo(DRAINED) >= 0;
        }
    }

    /** What is wanted, the strongest first. */
    enum Desired {
        /** It has been stopped, and the Lease is no longer held for it. */
        CLOSED,
        /** It has been stopped. */
        STOPPED,
        /** Another process may do its work. */
        STANDBY,
        /** Its work is to end, so that another process can do it. */
        HANDED_OVER,
        /** An operator has paused it. */
        PAUSED,
        /** It is to work. */
        WORKING;

        /**
         * What follows from what the host knows.
         *
         * @param leads whether it may work
         * @param handingOver whether the Lease is being given to another process
         * @param leaseGone whether no Lease is held for it, or need not be given up for it
         */
        static Desired of(Wish wish, boolean leads, boolean handingOver, boolean leaseGone) {
            if (wish == Wish.STOP) {
                return leaseGone ? CLOSED : STOPPED;
            }
            if (!leads) {
                return STANDBY;
            }
            return handingOver ? HANDED_OVER : wish == Wish.PAUSE ? PAUSED : WORKING;
        }
    }

    /** One step. Each leads to another phase, so that the same one never follows itself. */
    enum Action {
        NONE,
        /** Begin to make it. */
        START,
        /** Wait until its caches have what the last leader wrote. */
        CATCH_UP,
        /** Let its workers take keys. */
        OPEN,
        /** Take no more keys, and let running reconciles go on. */
        PAUSE,
        /** Take no more keys, and wait for running reconciles up to the shutdown timeout. */
        HAND_OVER,
        /** End running reconciles at once: another process may lead. */
        INTERRUPT,
        /** Stop what is under way, for good, and wait for it. */
        STOP,
        /** Give up queue, informers and meters. */
        CLOSE
    }

    /** The step from what is to what is desired. */
    static Action next(Desired desired, Phase phase) {
        return switch (phase) {
            case NEW -> isStop(desired) ? Action.STOP : Action.START;
            case STARTING, FILLING, FAILED -> isStop(desired) ? Action.STOP : Action.NONE;
            case STANDBY, CATCHING_UP, READY, WORKING, HANDING_OVER -> nextWhenUp(desired, phase);
            case DRAINED -> desired == Desired.CLOSED ? Action.CLOSE : Action.NONE;
            case STOPPING, CLOSING, CLOSED -> Action.NONE;
        };
    }

    private static boolean isStop(Desired desired) {
        return desired == Desired.STOPPED || desired == Desired.CLOSED;
    }

    private static Action nextWhenUp(Desired desired, Phase phase) {
        return switch (desired) {
            case CLOSED, STOPPED -> Action.STOP;
            case STANDBY -> phase == Phase.STANDBY ? Action.NONE : Action.INTERRUPT;
            case HANDED_OVER ->
                switch (phase) {
                    // As if it were to work, which it may yet be.
                    case STANDBY -> Action.CATCH_UP;
                    case READY, WORKING -> Action.HAND_OVER;
                    default -> Action.NONE;
                };
            case PAUSED -> phase == Phase.WORKING || phase == Phase.HANDING_OVER ? Action.PAUSE : Action.NONE;
            case WORKING ->
                switch (phase) {
                    case STANDBY -> Action.CATCH_UP;
                    case READY, HANDING_OVER -> Action.OPEN;
                    default -> Action.NONE;
                };
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
                phase == Phase.NEW ? Phase.STARTING : phase, waiting, newDetail, newNotReady, settled, wish);
    }

    /** It could work, but does not. */
    ControllerLife idle(Phase newPhase, @Nullable String newDetail) {
        return wish == Wish.PAUSE
                ? new ControllerLife(newPhase, ControllerState.PAUSED, "paused by an operator", null, true, wish)
                : new ControllerLife(newPhase, ControllerState.WAITING_FOR_LEADERSHIP, newDetail, null, true, wish);
    }

    ControllerLife working() {
        return new ControllerLife(Phase.WORKING, ControllerState.RUNNING, null, null, true, wish);
    }

    ControllerLife failed(String problem) {
        return new ControllerLife(Phase.FAILED, ControllerState.FAILED, problem, problem, true, wish);
    }

    ControllerLife closed() {
        return new ControllerLife(Phase.CLOSED, ControllerState.STOPPED, null, null, true, wish);
    }

    /** It goes on; what operators are shown stays. */
    ControllerLife in(Phase newPhase) {
        return new ControllerLife(newPhase, state, detail, notReady, settled, wish);
    }

    ControllerLife settle() {
        return new ControllerLife(phase, state, detail, notReady, true, wish);
    }

    ControllerLife wished(Wish newWish) {
        return new ControllerLife(phase, state, detail, notReady, settled, newWish);
    }
}
