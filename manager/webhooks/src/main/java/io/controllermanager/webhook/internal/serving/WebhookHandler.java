package io.controllermanager.webhook.internal.serving;

import java.io.InputStream;
import java.util.Set;

/** Answers what the API server asks. Safe for use by several threads. */
public interface WebhookHandler {

    /** The paths that are served, and no others. */
    Set<String> paths();

    /**
     * The answer to a request's body, both of them JSON.
     *
     * @throws BadRequestException if the body is none that can be answered; the message is a sentence
     * @throws InterruptedException if the time that the API server waits is over
     */
    byte[] answer(String path, InputStream body) throws BadRequestException, InterruptedException;
}
