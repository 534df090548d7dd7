package io.controllermanager.app.rights;

/** A part of what a release does, and what becomes of it without one of its rights. */
interface Work {

    /** Has all of it happen once; what it makes carries the name. */
    void round(String name) throws Exception;

    /** Whether it is this work that needs a right. */
    boolean needs(Right right);

    /** How this work fails for want of a right that it needs. */
    Proof proof(Right right);
}
