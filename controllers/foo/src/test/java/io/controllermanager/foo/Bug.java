package io.controllermanager.foo;

/** What may be wrong with a {@link FooCopy}. */
enum Bug {
    NONE,
    /** The Deployment has no owner. */
    NO_OWNER,
    /** Whether the Deployment has to be created is read off the status, and one that exists already is an error. */
    CREATES_WITHOUT_ADOPTING,
    /** The status counts how often it was written. */
    STATUS_IN_A_LOOP,
    /** The finalizer is removed before the clean-up. */
    FINALIZER_REMOVED_TOO_EARLY,
    /** The load balancer is not looked at again. */
    REQUEUE_LOST,
    /** The Deployment is replaced as a whole, whatever others have written into it. */
    OVERWRITES_OTHERS,
    /** Nobody tells when the Deployment is gone. */
    FORGETS_TO_WATCH,
    /** The old Deployment stays when another name is wanted. */
    LEAVES_RENAMED_CHILD,
    /** An error is logged, and that is all. */
    SWALLOWS_ERRORS,
    /** Which Deployment was made is remembered by the process alone. */
    REMEMBERS_IN_MEMORY
}
