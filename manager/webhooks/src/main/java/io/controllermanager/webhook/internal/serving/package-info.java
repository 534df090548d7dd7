/** Serves webhooks by HTTPS. */
@NullMarked
package io.controllermanager.webhook.internal.serving;

import org.jspecify.annotations.NullMarked;
