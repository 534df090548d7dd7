package io.controllermanager.spring.autoconfigure;

/** Ends the process. A bean, so that tests and other applications can have their own way. */
@FunctionalInterface
public interface ProcessExit {

    /** The exit code when a controller has failed that is essential. */
    int FAILED = 1;

    /** The exit code when leadership was lost and the process was told to exit on that. */
    int LEADERSHIP_LOST = 2;

    /** Begins to end the process, as after a signal, and returns at once. */
    void exit(int code);
}
