/** Serves the webhooks that are found among an application's beans. */
@NullMarked
package io.controllermanager.webhook.autoconfigure;

import org.jspecify.annotations.NullMarked;
