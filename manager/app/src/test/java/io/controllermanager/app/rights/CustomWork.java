package io.controllermanager.app.rights;

import java.util.Set;

/** What a controller of custom objects does, as far as all of them do the same. */
abstract class CustomWork implements Work {

    /** Where it happens. */
    final Stage stage;

    /** The objects that the controller is for. */
    final CustomObjects objects;

    /** The namespace where they are. */
    final String namespace;

    private final Set<String> groups;

    /**
     * Nothing happens yet.
     *
     * @param groups the API groups that this controller alone asks for
     */
    CustomWork(Stage stage, CustomObjects objects, Set<String> groups) {
        this.stage = stage;
        this.objects = objects;
        this.namespace = stage.watched();
        this.groups = groups;
    }

    @Override
    public final boolean needs(Right right) {
        return groups.contains(right.group())
                || (right.resource().equals("events")
                        && !right.namespace().equals(stage.release().namespace()));
    }

    @Override
    public final Proof proof(Right right) {
        return proof(right, "without-" + right.what().replaceAll("[^a-z]", "-"));
    }

    /** How it fails for want of a right, shown by objects that carry a name. */
    abstract Proof proof(Right right, String name);
}
