/**
 * The certificates that webhooks are served with: how they are made, kept in a Secret and renewed, and how the API server comes
 * to trust them. A new authority is in every {@code caBundle} before a certificate that it has signed is served.
 */
@NullMarked
package io.controllermanager.webhook.internal.certificate;

import org.jspecify.annotations.NullMarked;
