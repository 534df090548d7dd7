package io.controllermanager.client;

/** A listener's hold on what it listens to. */
public interface Registration extends AutoCloseable {

    /** Ends it; the listener is not called again, save for a call that is under way. */
    @Override
    void close();
}
