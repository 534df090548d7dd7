package io.controllermanager.test;

/** What may be wrong with a {@link GreetingController}. */
enum Bug {
    NONE,
    /** The ConfigMap has no owner. */
    NO_OWNER,
    /** Whether the ConfigMap has to be created is read off the status, and one that exists already is an error. */
    CREATES_WITHOUT_ADOPTING,
    /** The status says when it was written. */
    STATUS_IN_A_LOOP,
    /** The finalizer is removed before the clean-up. */
    FINALIZER_REMOVED_TOO_EARLY,
    /** The guest book is not looked at again. */
    REQUEUE_LOST,
    /** The ConfigMap is replaced as a whole, whatever others have written into it. */
    OVERWRITES_OTHERS,
    /** Nobody tells when the ConfigMap is gone. */
    FORGETS_TO_WATCH,
    /** The old ConfigMap stays when another name is wanted. */
    LEAVES_RENAMED_CHILD,
    /** An error is logged, and that is all. */
    SWALLOWS_ERRORS,
    /** Which ConfigMap was made is remembered by the process alone. */
    REMEMBERS_IN_MEMORY
}
