package io.controllermanager.informer.faults;

/**
 * One change of one object, as a handler was told of it or as the API server has it.
 *
 * @param version the resourceVersion after the change
 */
record Seen(long version, Kind kind, String name) {

    /** What happened. */
    enum Kind {
        CREATED,
        UPDATED,
        DELETED
    }

    @Override
    public String toString() {
        return kind + " " + name + "@" + version;
    }
}
