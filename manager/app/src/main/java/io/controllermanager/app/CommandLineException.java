package io.controllermanager.app;

import java.util.List;

/** The command line is wrong. */
final class CommandLineException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient List<String> errors;

    CommandLineException(List<String> errors) {
        super(String.join("\n", errors));
        this.errors = List.copyOf(errors);
    }

    /** One line for each mistake. */
    List<String> errors() {
        return errors;
    }
}
