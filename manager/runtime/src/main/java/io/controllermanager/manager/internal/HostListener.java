package io.controllermanager.manager.internal;

/** Told of what may be a reason to end the process, on a thread of its own. By default the process goes on. */
public interface HostListener {

    /** Leadership was lost while the host runs, and workers have been told to stop. The process stands by. */
    default void onLeadershipLost() {}

    /**
     * Called in place of {@link #onLeadershipLost} if a controller was running that cannot run again in this process. Without
     * a restart of the process that controller is shown as failed.
     */
    default void onUnrestartable() {
        onLeadershipLost();
    }

    /**
     * A controller has failed that is {@link io.controllermanager.controller.ControllerOptions#essential}.
     *
     * @param reason in one line
     */
    default void onEssentialFailed(String reason) {}
}
