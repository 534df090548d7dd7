package io.controllermanager.reconciler;

import org.jspecify.annotations.Nullable;

/**
 * A child's name belongs to an object that its owner does not control: nothing is done to that. Thrown out of an {@link
 * ObjectReconciler}, it has the object tried again: once the name is given up if the controller's cache shows that, else every 30
 * seconds.
 */
public final class NameTakenException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient OwnedType<?> type;
    private final @Nullable String namespace;
    private final String name;

    NameTakenException(String message, OwnedType<?> type, @Nullable String namespace, String name) {
        super(message);
        this.type = type;
        this.namespace = namespace;
        this.name = name;
    }

    /** The same in other words, for a controller whose users know it by those. */
    public NameTakenException withMessage(String message) {
        NameTakenException other = new NameTakenException(message, type, namespace, name);
        other.setStackTrace(getStackTrace());
        return other;
    }

    OwnedType<?> type() {
        return type;
    }

    @Nullable
    String namespace() {
        return namespace;
    }

    /** The name that is taken. */
    public String name() {
        return name;
    }
}
