package io.controllermanager.testing.apiserver.patch;

/**
 * Who writes.
 *
 * @param name the field manager
 * @param apply whether by server-side apply; what a manager applies and what it writes otherwise are kept apart
 * @param apiVersion the version of the request
 * @param subresource empty for the object itself
 */
public record Manager(String name, boolean apply, String apiVersion, String subresource) {

    String operation() {
        return apply ? "Apply" : "Update";
    }

    /** How a conflict names it. */
    String text() {
        return "conflict with \"" + name + "\""
                + (subresource.isEmpty() ? "" : " with subresource \"" + subresource + "\"")
                + (apply ? "" : " using " + apiVersion);
    }
}
