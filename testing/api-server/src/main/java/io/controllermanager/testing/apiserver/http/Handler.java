package io.controllermanager.testing.apiserver.http;

import java.io.IOException;

/** Answers requests. */
@FunctionalInterface
public interface Handler {

    /**
     * Answers one, in the thread that read it.
     *
     * @throws StatusException for a refusal
     * @throws IOException to cut the connection instead of answering
     */
    Response handle(Request request) throws IOException, InterruptedException;
}
