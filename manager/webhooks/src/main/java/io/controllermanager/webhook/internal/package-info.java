/** Runs webhooks: the server, and its certificates. */
@NullMarked
package io.controllermanager.webhook.internal;

import org.jspecify.annotations.NullMarked;
