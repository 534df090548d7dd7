package io.controllermanager.client.internal.request;

/**
 * What is in the way of a reflector's list or watch at this moment.
 *
 * @param kind what it is
 * @param permission the verb that failed, and on what
 * @param message what the API server answered, or why it did not
 */
public record Obstacle(ErrorKind kind, Permission permission, String message) {

    /** Whether a right is missing. */
    public boolean isForbidden() {
        return kind == ErrorKind.FORBIDDEN;
    }

    /** Whether the API server does not have the type. */
    public boolean isNotServed() {
        return kind == ErrorKind.NOT_SERVED;
    }

    /** As operators read it. */
    @Override
    public String toString() {
        return switch (kind) {
            case FORBIDDEN -> "missing permission to " + permission + ": " + message;
            case NOT_SERVED -> "the API server does not serve " + permission.resource();
            case TURNED_AWAY -> "the API server is overloaded: " + message;
            default -> message;
        };
    }
}
