package io.controllermanager.apiserver.world;

/** What becomes of Pods and claims, at once unless a {@link Rule} says otherwise. All else follows from these. */
public enum Step {
    /** A Pod's containers run and are ready. */
    READY,
    /** A Pod that does not always restart ends; with success. */
    COMPLETE,
    /** A Pod on a node, which is being deleted, is gone. */
    GONE,
    /** A claim has its volume. */
    BOUND,
    /** A bound claim has the size that is asked for since then. */
    RESIZED
}
