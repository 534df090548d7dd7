package io.controllermanager.apiserver.http;

import java.io.IOException;

/** Answers requests. */
@FunctionalInterface
public interface Handler {

    /**
     * Answers one, in a thread that is the request's alone.
     *
     * @throws StatusException for a refusal
     * @throws IOException to cut the connection instead of answering
     */
    Response handle(Request request) throws IOException, InterruptedException;
}
