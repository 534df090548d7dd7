package io.controllermanager.workqueue.internal;

import io.controllermanager.client.internal.json.FieldPaths;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Which fields of an object changed: the two states that are yet to be compared, or the paths. States are compared when somebody
 * asks, since most are never asked for. Until then both are kept from the garbage collector.
 */
public sealed interface FieldChange {

    /** The paths of the fields that differ, at most {@link FieldPaths#MOST} and one for each of those left out. */
    List<String> paths();

    /** This change and one after it. */
    FieldChange then(FieldChange later);

    /** Two states of an object, whose values are shown besides if that is said. */
    static FieldChange between(Object before, Object after, boolean values) {
        return new States(before, after, values);
    }

    /** Compares at once, and lets go of the objects. */
    default FieldChange compared() {
        return new Paths(paths());
    }

    /**
     * Two states.
     *
     * @param before an object as informers have it
     * @param after the same later
     * @param values whether paths are followed by values
     */
    record States(Object before, Object after, boolean values) implements FieldChange {

        @Override
        public List<String> paths() {
            return FieldPaths.between(before, after, values);
        }

        @Override
        public FieldChange then(FieldChange later) {
            return later instanceof States states
                    ? new States(before, states.after, values)
                    : compared().then(later);
        }
    }

    /**
     * What came of a comparison.
     *
     * @param paths as {@link FieldChange#paths}
     */
    record Paths(List<String> paths) implements FieldChange {

        @Override
        public FieldChange then(FieldChange later) {
            Set<String> all = new LinkedHashSet<>(paths);
            all.addAll(later.paths());
            return new Paths(FieldPaths.first(all));
        }
    }
}
