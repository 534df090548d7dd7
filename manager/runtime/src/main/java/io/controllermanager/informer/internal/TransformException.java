package io.controllermanager.informer.internal;

/** A caller's transform has thrown: no error of a request, nor of what the API server sent. */
final class TransformException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With what the transform threw. */
    TransformException(Throwable cause) {
        super("the transform failed: " + cause, cause);
    }
}
