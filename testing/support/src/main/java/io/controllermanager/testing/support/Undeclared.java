package io.controllermanager.testing.support;

/** Throws checked exceptions that nobody declares, as Kotlin and bytecode tools do. */
public final class Undeclared {

    private Undeclared() {}

    /**
     * Throws an exception of any class.
     *
     * @param <R> what the caller would return
     */
    public static <R> R thrown(Exception exception) {
        return Undeclared.<R, RuntimeException>sneaked(exception);
    }

    @SuppressWarnings("unchecked") // as the compiler of another language would
    private static <R, E extends Exception> R sneaked(Exception exception) throws E {
        throw (E) exception;
    }
}
