package io.controllermanager.manager.internal;

/** Where a controller is in its life. */
public enum ControllerState {
    /** Switched off by configuration: no informer, no worker. */
    DISABLED,
    /** Not started yet, or stopped. */
    STOPPED,
    /** Asks the API server for the types that it needs, until all of them are served. */
    WAITING_FOR_TYPE,
    /** Its informers have not stored their initial lists yet. */
    WAITING_FOR_CACHES,
    /** Ready to work as soon as this process leads. */
    WAITING_FOR_LEADERSHIP,
    /** Its workers take keys. */
    RUNNING,
    /** Caches are synced, but an operator has paused it: keys queue, none is reconciled. */
    PAUSED,
    /** It could not be made or started; the rest runs without it. */
    FAILED
}
