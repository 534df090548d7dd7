package io.controllermanager.crd;

/** No CRD can be made of a class. The message names the class, the field and what is wrong there. */
public final class InvalidTypeException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    InvalidTypeException(String message) {
        super(message);
    }
}
