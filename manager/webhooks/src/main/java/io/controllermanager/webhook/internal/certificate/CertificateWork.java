package io.controllermanager.webhook.internal.certificate;

import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;

/** Looks at what there is, and does what is to be done. For one thread. */
interface CertificateWork {

    /**
     * Does all that can be done now. What is to be served has been handed on by then, also if this fails.
     *
     * @return how long until there is something to do again, unless something changes before
     * @throws ApiException if a request fails, whose work is to be tried again
     */
    Duration look() throws ApiException;
}
