package io.controllermanager.crd;

import java.util.LinkedHashSet;
import java.util.Set;

/** What is wrong with types, gathered so that one run tells all of it. */
final class Problems {

    final Set<String> found = new LinkedHashSet<>();

    void add(InvalidTypeException problem) {
        found.add(problem.getMessage());
    }

    /** Does a part of the work that the rest can do without. */
    void gather(Runnable part) {
        try {
            part.run();
        } catch (InvalidTypeException e) {
            add(e);
        }
    }

    /** Throws one exception with a line for each problem, if there is any. */
    void tell() {
        if (!found.isEmpty()) {
            throw new InvalidTypeException(String.join("\n", found));
        }
    }
}
