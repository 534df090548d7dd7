package io.controllermanager.apiserver.resource;

import java.util.Locale;

/** What a type does that not all types do. The table of built-in types has these in lower case, with dashes. */
public enum Trait {
    /** Changes of the spec are counted in {@code metadata.generation}. */
    COUNTS_GENERATIONS,
    /** A PUT creates what is not there. */
    CREATED_BY_PUT,
    /** A PUT has to say of what version it is. */
    PUT_BY_VERSION,
    /** Dependents stay when their owner is deleted, unless the client says otherwise, as before there were policies. */
    ORPHANS,
    /** The answer of a deletion is the object, though it is gone; of others it is a Status (ReturnDeletedObject). */
    SHOWN_WHEN_GONE;

    static Trait of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
