package io.controllermanager.apiserver.patch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who writes.
 *
 * @param name the field manager
 * @param apply whether by server-side apply; what a manager applies and what it writes otherwise are kept apart
 * @param apiVersion the version of the request
 * @param subresource empty for the object itself
 */
public record Manager(String name, boolean apply, String apiVersion, String subresource) {

    /** How many bytes a name may have. */
    public static final int MAX_LENGTH = 128;

    /** The same one in another version. */
    Manager in(String version) {
        return new Manager(name, apply, version, subresource);
    }

    /** The one that has what is there before anyone has applied anything. */
    Manager beforeFirstApply() {
        return new Manager("before-first-apply", false, apiVersion, subresource);
    }

    /** How a conflict names it. */
    String text() {
        return "conflict with \"" + name + "\""
                + (subresource.isEmpty() ? "" : " with subresource \"" + subresource + "\"")
                + (apply ? "" : " using " + apiVersion);
    }

    /** Whoever applies is the same in all versions. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Manager manager && identity().equals(manager.identity());
    }

    @Override
    public int hashCode() {
        return identity().hashCode();
    }

    private List<Object> identity() {
        return List.of(name, apply, apply ? "" : apiVersion, subresource);
    }
}
