package io.controllermanager.readiness;

/**
 * Whether something is ready, and why not.
 *
 * @param state how far it is
 * @param reason one UpperCamelCase word, for machines
 * @param message a sentence for people
 */
public record Readiness(State state, String reason, String message) {

    /** How far something is. */
    public enum State {
        /** All is as it should be. */
        READY,
        /** It is on its way. */
        PROGRESSING,
        /** It does not get there by itself. */
        FAILED
    }

    /** All is as it should be. */
    public static Readiness ready(String reason, String message) {
        return new Readiness(State.READY, reason, message);
    }

    /** It is on its way. */
    public static Readiness progressing(String reason, String message) {
        return new Readiness(State.PROGRESSING, reason, message);
    }

    /** It does not get there by itself. */
    public static Readiness failed(String reason, String message) {
        return new Readiness(State.FAILED, reason, message);
    }

    /** Whether all is as it should be. */
    public boolean isReady() {
        return state == State.READY;
    }
}
